import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { seed } from '../../packages/brezel/test/conformance/seed.js';
import { merged } from '../harness/processes.mjs';
import { expectedExtreme, expectedRange, ratioOf, spread, summary } from '../harness/stats.mjs';
import { randomOf } from '../models/random.mjs';
import {
  LEARNED,
  learn,
  learnedFactors,
  learnedPairs,
  learnedText,
  margin,
  withRanges,
} from '../report/between-runs.mjs';
import { kindsIn } from '../report/records.mjs';
import { compareRuns, secondRun, tally, wideningText } from '../report/second-run.mjs';

// Tests the comparison of two runs: the ranges where another run is expected, the merging of
// several processes, how the differences between runs are learned from pairs of runs, and how they
// widen ranges.

const goal = (measured: number, range = {}) => ({
  kind: 'goal',
  bench: 'stall',
  goal: 'G12',
  part: 'sa',
  measured,
  unit: 'ms',
  ...range,
});
const ratio = (value: number, more = {}) => ({
  kind: 'comparison',
  bench: 'fig9-latency',
  goal: 'G6',
  figure: 'fig9',
  what: 'AC single',
  rival: 'natural graph',
  unit: 'µs',
  ours: 1,
  theirs: value,
  ratio: value,
  ...more,
});
const point = (x: string, median: number, more = {}) => ({
  kind: 'point',
  bench: 'fig8-memory',
  figure: 'fig8',
  series: 'brezel',
  x,
  unit: 'MiB',
  median,
  ...more,
});

describe('the expected range of another run', () => {
  it('is from the smallest to the largest of many samples, wider for few, undefined for one', () => {
    const many = [1, 2, 3, 4, 5, 6, 7, 8];
    expect(expectedRange(many)).toEqual({ min: 1 / 1.02, max: 8 * 1.02 });
    const few = expectedRange([10, 11, 12])!;
    expect(few.min).toBeLessThan(9);
    expect(few.max).toBeGreaterThan(13);
    expect(expectedRange([10])).toBeUndefined();
    expect(expectedRange([5, 5, 5])).toEqual({ min: expect.closeTo(5 / 1.02), max: expect.closeTo(5 * 1.02) });
    expect(summary([10, 11, 12]).expected).toEqual(few);
    expect(summary(many)).not.toHaveProperty('expected');
  });

  it.each([3, 5, 15])('contains the median of another %i trials', (trials) => {
    const random = randomOf(seed + trials);
    const draw = () =>
      Array.from({ length: trials }, () => 100 * Math.exp(0.2 * (random() + random() + random() - 1.5)));
    let held = 0;
    for (let run = 0; run < 300; run++) {
      const { min, max } = expectedRange(draw())!;
      const { median } = summary(draw());
      if (median >= min && median <= max) held++;
    }
    expect(held).toBeGreaterThan(280);
  });

  it('of a maximum goes beyond it', () => {
    const list = Array.from({ length: 50 }, (_, at) => 100 + ((at * 37) % 50));
    const { min, max } = expectedExtreme(list, (part) => Math.max(...part))!;
    expect(min).toBeGreaterThan(100);
    expect(min).toBeLessThan(149);
    expect(max).toBeGreaterThan(149 * 1.02);
    expect(expectedExtreme([3], (part) => Math.max(...part))).toBeUndefined();
  });

  it('of a ratio follows from both ranges', () => {
    const { ratio: value, min, max } = ratioOf([100, 100, 100], [10, 10, 10]);
    expect(value).toBe(10);
    expect(min).toBeCloseTo(10 / 1.02 ** 2);
    expect(max).toBeCloseTo(10 * 1.02 ** 2);
    expect(ratioOf([100], [10, 11])).toEqual({ ratio: expect.closeTo(100 / 11) });
    expect(spread([1, 2, 3, 4, 5, 6, 7, 8])).toMatchObject({ ratio: 5, low: 3, high: 7, min: 1 / 1.02, max: 8 * 1.02 });
  });
});

describe('several processes', () => {
  it('become one record: medians, and the widest ranges', () => {
    const runs = [2, 9, 4].map((value) => [
      ratio(value, { low: value - 0.5, high: value + 1, min: value - 1, max: value + 2 }),
      { kind: 'missing', bench: 'x', what: 'n', why: 'w' },
    ]);
    expect(merged(runs)).toEqual([
      ratio(4, { low: 1.5, high: 10, min: 1, max: 11, processes: 3 }),
      { kind: 'missing', bench: 'x', what: 'n', why: 'w' },
    ]);
  });

  it('add their samples and stay separate by point', () => {
    const some = (at: number) => [
      point('a', at, { samples: 3, expected: { min: at - 1, max: at + 1 } }),
      point('b', 10 * at, { samples: 1 }),
    ];
    expect(merged([some(1), some(2), some(3)])).toEqual([
      point('a', 2, { samples: 9, expected: { min: 0, max: 4 }, processes: 3 }),
      point('b', 20, { samples: 3, processes: 3 }),
    ]);
    expect(merged([some(1)])).toEqual(some(1));
  });
});

describe('a second run', () => {
  const first = [
    goal(5, { min: 4, max: 6 }),
    ratio(3, { low: 2.9, high: 3.1, min: 2.5, max: 3.5 }),
    point('memory', 100, { min: 90, max: 110, expected: { min: 80, max: 120 } }),
    point('single', 7, { min: 7, max: 7 }),
    point('round', 1, { min: 0, max: 2 }),
    point('round', 5, { min: 4, max: 6 }),
  ];
  const verdicts = (second: object[]) => compareRuns(first, second).map(({ verdict }) => verdict);

  it('is inside or outside of the range that the first run expects', () => {
    const second = [
      goal(6),
      ratio(3.6),
      point('memory', 119),
      point('single', 7),
      point('round', 2.5),
      point('round', 5),
    ];
    expect(verdicts(second)).toEqual(['within', 'outside', 'within', 'no spread', 'outside', 'within']);
    expect(tally(compareRuns(first, second)).get('fig8-memory')).toEqual({
      within: 2,
      outside: 1,
      'no spread': 1,
      'not run': 0,
    });
  });

  it('may have fewer experiments', () => expect(verdicts([goal(5)])[1]).toBe('not run'));
});

describe('npm run bench:compare', () => {
  const folder = mkdtempSync(join(tmpdir(), 'brezel-compare-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const machine = { kind: 'machine', cpu: 'a', cores: 2, node: 'v20', isa: 'avx2', rival: 'o', scale: 1, build: 'b' };
  const file = (name: string, records: object[]) => {
    writeFileSync(join(folder, name), records.map((one) => JSON.stringify(one)).join('\n'));
    return join(folder, name);
  };
  const compare = (...args: string[]) =>
    spawnSync(process.execPath, [fileURLToPath(new URL('../report/second-run.mjs', import.meta.url)), ...args], {
      encoding: 'utf8',
    });
  const one = file('one', [machine, goal(5, { min: 4, max: 6 })]);

  it('fails only for a ratio or goal outside its range', () => {
    expect(compare(one, file('near', [machine, goal(5.5)]))).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('1 of 1 ratios and goals, and 0 of 0 points'),
    });
    const far = compare(one, file('far', [machine, goal(7)]));
    expect(far).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('outside: G12 sa: 5.00 (4.00-6.00), again 7.00 ms'),
    });
  });

  it('rejects runs of different machines, and missing files', () => {
    expect(compare(one, file('other', [{ ...machine, cpu: 'z' }]))).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('cpu is a in one run'),
    });
    expect(compare(one, join(folder, 'none'))).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('no such file'),
    });
    expect(compare(one)).toMatchObject({ status: 2, stderr: expect.stringContaining('usage') });
  });
});

const machine = {
  kind: 'machine',
  cpu: 'a',
  cores: 2,
  node: 'v20',
  isa: 'avx2',
  rival: 'o',
  scale: 1,
  build: 'b',
  commit: 'c',
  date: '2026-01-01',
};
const run = (records: object[], more = {}) => ({ about: { ...machine, ...more }, records });
const start = (x: number, median: number, within = 1.02) => ({
  kind: 'point',
  bench: 'start',
  figure: 'start',
  series: 'brezel',
  x,
  unit: 'ms',
  median,
  expected: { min: median / within, max: median * within },
});
const once = (median: number) => ({
  kind: 'point',
  bench: 'fig8-memory',
  figure: 'fig8',
  series: 'brezel',
  x: 'SA',
  unit: 'MiB',
  median,
});
const factorOf = (pairs: Parameters<typeof learnedFactors>[0], kind: string) =>
  learnedFactors(pairs).find((one) => one.kind === kind)!.factor;
const verdicts = (...of: Parameters<typeof secondRun>) => secondRun(...of).lines.map(({ verdict }) => verdict);

describe('a kind of measurement', () => {
  const rate = (bench: string, figure: string, x: number) => ({
    bench,
    kind: 'point',
    figure,
    series: 's',
    x,
    xUnit: 'requests/s',
  });

  it('depends on the measured quantity, and on how near the server is to its capacity', () => {
    const records = [
      rate('fig14-http-heavy', 'fig14-latency', 100),
      rate('fig14-http-heavy', 'fig14-latency', 800),
      rate('fig14-http-heavy', 'fig14-throughput', 1600),
      { bench: 'fig14-http-heavy', kind: 'comparison', figure: 'fig14-throughput', what: 'most requests' },
      { bench: 'fig11-http', kind: 'comparison', goal: 'G7', what: 'p99 end to end' },
      { bench: 'fig9-latency', kind: 'point', figure: 'fig9-worst', x: 'AC hot call' },
      { bench: 'fig9-latency', kind: 'point', figure: 'fig9', x: 'AC cold' },
      { bench: 'fig9-latency', kind: 'comparison', goal: 'G6', what: 'AC single, hot' },
      { bench: 'fig8-memory', kind: 'goal', goal: 'G15', unit: 'times' },
      { bench: 'fig8-memory', kind: 'goal', goal: 'G9', unit: 'ms' },
      { bench: 'sa-single', kind: 'comparison', goal: 'G1' },
    ];
    expect(records.map(kindsIn(records))).toEqual([
      'request',
      'request near capacity',
      'answered rate near capacity',
      'answered rate near capacity',
      'tail',
      'worst call',
      'first call',
      'hot call',
      'memory',
      'load time',
      'sa-single',
    ]);
  });
});

describe('the factor of a kind', () => {
  const one = run([1, 2, 3, 4].map((x) => start(x, 100)));
  const other = run([100, 101, 103, 130].map((median, at) => start(at + 1, median)));

  it('is the largest excess beyond their ranges, with a margin', () => {
    const pair = learn(one, other);
    expect(pair.kinds).toEqual([
      {
        kind: 'process start',
        distances: [1, 1.01, 1.03, 1.3].map((ratio) => expect.closeTo(Math.log(ratio), 4)),
        beyond: [1.03, 1.3].map((ratio) => expect.closeTo(Math.log(ratio / 1.02), 4)),
      },
    ]);
    const [kind] = learnedFactors([pair]);
    expect(kind).toMatchObject({ points: 4, pairs: 1, beyond: 2, largest: 1.3, margin: margin(4, 4) });
    expect(kind!.factor).toBeCloseTo((1.3 / 1.02) ** margin(4, 4), 2);
  });

  it('is the median difference if no point is beyond its range', () => {
    const wide = [
      run([1, 2, 3].map((x) => start(x, 100, 2))),
      run([90, 110, 120].map((y, at) => start(at + 1, y, 2))),
    ] as const;
    expect(factorOf([learn(...wide)], 'process start')).toBeCloseTo(1.111, 2);
  });

  it('has a smaller margin if more points are known', () => {
    expect(margin(9, 1)).toBeCloseTo(1, 1);
    // With one learned excess, the next one exceeds c times that excess with a probability of 1 /
    // (1 + c).
    expect(margin(1, 1)).toBeCloseTo(9, 1);
    expect(margin(40, 20)).toBeLessThan(margin(20, 20));
  });

  it('contains a new run with the expected frequency', () => {
    const random = randomOf(seed);
    const drawn = () =>
      run(Array.from({ length: 30 }, (_, x) => start(x, 100 * Math.exp(-0.1 * Math.log(1 - random())))));
    let [outside, alone] = [0, 0];
    for (let round = 0; round < 100; round++) {
      const held = secondRun(drawn(), drawn(), [learn(drawn(), drawn())]);
      outside += held.lines.filter(({ verdict }) => verdict === 'outside').length;
      alone += held.alone.filter(({ verdict }) => verdict === 'outside').length;
    }
    expect(alone).toBeGreaterThan(1500);
    expect(outside).toBeLessThan(100);
  });
});

describe('a run', () => {
  const pair = learn(run([start(1, 100), once(50)]), run([start(1, 110), once(51)]));
  const records = [start(1, 100), once(50)];

  it('has a range for a single measurement too', () => {
    const [first, second] = withRanges(run(records, { commit: 'd' }), [pair]).records;
    expect(first).toMatchObject({ median: 100, between: { kind: 'process start' } });
    expect(first!.expected.max).toBeCloseTo(102 * factorOf([pair], 'process start'));
    expect(second!.expected.min).toBeCloseTo(50 / 1.02 / factorOf([pair], 'memory'));
    expect(compareRuns(records, records).map(({ verdict }) => verdict)).toEqual(['within', 'no spread']);
  });

  it('is not compared with itself: its own pairs do not count', () => {
    const [one, other] = [run([start(1, 100)]), run([start(1, 200)])];
    expect(verdicts(one, other, [learn(one, other)])).toEqual(['outside']);
    expect(verdicts(one, other, [learn(other, one)])).toEqual(['outside']);
    expect(verdicts(run([start(1, 100)], { commit: 'd' }), other, [learn(one, other)])).toEqual(['within']);
  });

  it('uses pairs with another number of cores only without other pairs, and says so', () => {
    const [first, second] = [run([start(1, 100)], { cores: 4 }), run([start(1, 110)], { cores: 4 })];
    const held = secondRun(first, second, [pair]);
    expect(held.lines).toMatchObject([{ verdict: 'within', factor: factorOf([pair], 'process start') }]);
    expect(wideningText(held)).toContain(
      'One other pair of runs measured these factors on 2 cores; no pair on 4 cores is recorded.',
    );
    const own = learn(run([start(1, 100)], { cores: 4, commit: 'e' }), run([start(1, 101)], { cores: 4, commit: 'e' }));
    const [line] = secondRun(first, second, [pair, own]).lines;
    expect(line!.factor).toBe(factorOf([own], 'process start'));
  });

  it('of another processor, or of an unknown kind, has the ranges of its blocks', () => {
    const other = secondRun(run([start(1, 100)], { cpu: 'z' }), run([start(1, 103)], { cpu: 'z' }), [pair]);
    expect(other.lines).toMatchObject([{ verdict: 'outside', range: { max: 102 } }]);
    expect(wideningText(other)).toContain('no other pair of runs on this processor is recorded');
    const stall = { kind: 'goal', bench: 'stall', goal: 'G12', part: 'sa', measured: 5, unit: 'ms', min: 4, max: 6 };
    const bare = secondRun(run([start(1, 100), stall], { commit: 'd' }), run([stall]), [pair]);
    expect(bare.lines[1]).toMatchObject({ kind: 'stall', range: { min: 4, max: 6 } });
    expect(wideningText(bare)).toContain('because no other pair measured them: stall.');
  });
});

describe('npm run bench:compare -- --learn', () => {
  const folder = mkdtempSync(join(tmpdir(), 'brezel-learn-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const script = fileURLToPath(new URL('../report/second-run.mjs', import.meta.url));
  const learned = join(folder, 'between.json');
  const file = (name: string, { about, records }: ReturnType<typeof run>) => {
    writeFileSync(join(folder, name), [about, ...records].map((one) => JSON.stringify(one)).join('\n'));
    return join(folder, name);
  };
  const node = (name: string, ...args: string[]) =>
    spawnSync(process.execPath, [script, ...args, ...(name === 'learn' ? ['--learn'] : []), '--between', learned], {
      encoding: 'utf8',
    });
  const one = file('one', run([start(1, 100), once(50)]));
  const other = file('other', run([start(1, 110), once(50)]));

  it('adds a pair once, in any order', () => {
    expect(node('learn', one, other)).toMatchObject({ status: 0, stdout: expect.stringContaining('process start') });
    const text = readFileSync(learned, 'utf8');
    expect(node('learn', one, other).status).toBe(0);
    expect(readFileSync(learned, 'utf8')).toBe(text);
    expect(node('learn', other, one).status).toBe(0);
    expect(learnedPairs(learned)).toHaveLength(1);
    const third = file('third', run([start(1, 120), once(50)]));
    expect(node('learn', one, third).status).toBe(0);
    expect(learnedPairs(learned)).toHaveLength(2);
    expect(learnedFactors(learnedPairs(learned))).toMatchObject([{ points: 2, pairs: 2 }, { points: 2 }]);
  });

  it('rejects equal runs, runs of different builds or machines, smoke runs and missing files', () => {
    const refused = (second: string) => node('learn', one, second);
    expect(refused(one)).toMatchObject({ status: 2, stderr: expect.stringContaining('the same run') });
    expect(refused(file('built', run([once(51)], { build: 'z' }))).stderr).toContain('two builds');
    expect(refused(file('elsewhere', run([once(51)], { cpu: 'z' }))).stderr).toContain('cpu is a in one run');
    expect(refused(join(folder, 'none')).stderr).toContain('no such file');
    const smoke = run([once(50)], { scale: 0.5 });
    expect(node('learn', file('smoke', smoke), other).stderr).toContain('smoke');
  });

  it('widens the ranges of later runs, which still fail for another speed', () => {
    const [later, near, half] = [100, 112, 50].map((median, at) =>
      file(
        `later-${at}`,
        run(
          [
            {
              ...start(1, median),
              kind: 'comparison',
              goal: 'G11',
              ratio: median,
              min: median / 1.02,
              max: median * 1.02,
            },
          ],
          { commit: 'd' },
        ),
      ),
    ) as [string, string, string];
    const narrow = [100, 104].map((median, at) =>
      file(`narrow-${at}`, run(Array.from({ length: 30 }, (_, x) => start(x, median)))),
    ) as [string, string];
    rmSync(learned);
    expect(existsSync(learned)).toBe(false);
    expect(node('compare', later, near)).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('no pair learned'),
    });
    expect(node('learn', ...narrow).status).toBe(0);
    expect(node('compare', later, later)).toMatchObject({ status: 0, stdout: expect.stringContaining('(30 points)') });
    expect(node('compare', later, half)).toMatchObject({ status: 1, stdout: expect.stringContaining('outside: G11') });
  });
});

describe('the committed pairs', () => {
  it('match their file', () => expect(readFileSync(LEARNED, 'utf8')).toBe(learnedText(learnedPairs())));

  it.each(['hot call', 'memory', 'load time', 'batch rate', 'process start', 'event', 'request'])(
    'keep the ranges of %s narrow enough to detect half the speed or twice the memory',
    (kind) => expect(factorOf(learnedPairs(), kind) * 1.02).toBeLessThan(2),
  );
});
