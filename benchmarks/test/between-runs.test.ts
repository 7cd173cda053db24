import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { seed } from '../../packages/brezel/test/conformance/seed.js';
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
import { compareRuns, secondRun, wideningText } from '../report/second-run.mjs';

// Tests how the differences between two runs are learned from pairs of runs, and how they widen
// ranges.

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
  const script = fileURLToPath(new URL('../compare.mjs', import.meta.url));
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
