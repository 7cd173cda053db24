import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { seed } from '../../packages/brezel/test/conformance/seed.js';
import { merged } from '../harness/processes.mjs';
import { expectedExtreme, expectedRange, ratioOf, spread, summary } from '../harness/stats.mjs';
import { randomOf } from '../models/random.mjs';
import { compareRuns, tally } from '../report/second-run.mjs';

// Tests the ranges where another run is expected, the merging of several processes, and the
// comparison with a second run.

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
    spawnSync(process.execPath, [fileURLToPath(new URL('../compare.mjs', import.meta.url)), ...args], {
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
