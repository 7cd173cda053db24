import { expect, test } from 'vitest';
import { seed } from '../../../brezel/test/conformance/seed.js';
import {
  confidenceOfEach,
  type Interval,
  pairedRatio,
  studentQuantile,
  unpairedRatio,
  verdictOf,
} from './statistics.js';

/**
 * Returns random generators: numbers from 0 to 1 (mulberry32), and the normal distribution (Box and
 * Muller).
 */
function randomOf(start: number) {
  let state = start | 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    uniform,
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
  };
}
type Random = ReturnType<typeof randomOf>;

/**
 * Returns times as on a busy machine. Each process has a different speed, each round has noise, and
 * some rounds take three times as long.
 */
const processes = (random: Random, level: number, { count = 5, between = 0.03, within = 0.1 } = {}) =>
  Array.from({ length: count }, () => {
    const speed = level * Math.exp(between * random.normal());
    return Array.from(
      { length: 15 },
      () => speed * Math.exp(within * random.normal()) * (random.uniform() < 0.1 ? 3 : 1),
    );
  });

/** The limits below suit any seed: a run exceeds them by chance once in a million runs. */
const RUNS = 400;
const share = (test: (random: Random) => boolean, runs = RUNS) => {
  const random = randomOf(seed);
  let hits = 0;
  for (let run = 0; run < runs; run++) if (test(random)) hits++;
  return hits / runs;
};

test.each([
  [0.95, 1, 12.7062],
  [0.99, 2, 9.92484],
  [0.99, 3, 5.84091],
  [0.99, 4, 4.60409],
  [0.99, 8, 3.35539],
  [0.95, 30, 2.04227],
  [0.999, 9, 4.78091],
])("Student's t: confidence %d, %d degrees of freedom", (confidence, freedom, wanted) => {
  expect(studentQuantile(confidence, freedom)).toBeCloseTo(wanted, 4);
});

test('equal builds are called different in about one of a hundred comparisons, for any noise', () => {
  for (const between of [0, 0.03, 0.3]) {
    const alarms = share((random) => {
      const { low, high } = unpairedRatio(
        processes(random, 1, { between }),
        processes(random, 1, { between, within: 0.02 }),
        0.99,
      );
      return low > 1 || high < 1;
    });
    expect(alarms, `between processes ${between}, seed ${seed}`).toBeLessThan(0.045);
  }
});

test('noise, and differences within the limit, are not a regression', () => {
  const regressed = (level: number) =>
    share(
      (random) => verdictOf(unpairedRatio(processes(random, level), processes(random, 1), 0.99), 0.1) === 'regressed',
    );
  expect(regressed(1), `seed ${seed}`).toBeLessThan(0.01);
  // At exactly this ratio, at most half of 1 % of the runs may fail in the long run.
  expect(regressed(1.1), `seed ${seed}`).toBeLessThan(0.03);
  expect(regressed(1.4), `seed ${seed}`).toBeGreaterThan(0.9);
});

test('a machine of half the speed is not a regression: times are multiples of the reference work', () => {
  const random = randomOf(seed);
  const inReference = (factor: number) =>
    processes(random, 20 * factor).map((rounds) => rounds.map((time) => time / (10 * factor)));
  const { low, high } = unpairedRatio(inReference(2), inReference(1), 0.9999);
  expect(low).toBeLessThan(1);
  expect(high).toBeGreaterThan(1);
});

test('ratios of neighboring blocks: the interval contains the true ratio', () => {
  const held = share((random) => {
    const { low, high } = pairedRatio(processes(random, 7, { count: 4 }), 0.99);
    // One round in ten takes longer, so the median is slightly above 7.
    return low < 7 * 1.02 && high > 7;
  });
  expect(held, `seed ${seed}`).toBeGreaterThan(0.955);
});

test('many comparisons together have the confidence of one comparison', () => {
  expect(confidenceOfEach(0.99, 1)).toBeCloseTo(0.99);
  expect(confidenceOfEach(0.99, 50)).toBeCloseTo(0.9998);
  const anyOfTen = (random: Random) =>
    Array.from({ length: 10 }, () =>
      unpairedRatio(processes(random, 1), processes(random, 1), confidenceOfEach(0.9, 10)),
    ).some(({ low }) => low > 1);
  const alarms = share(anyOfTen, 100);
  expect(alarms, `seed ${seed}`).toBeLessThan(0.25);
});

test.each<[string, Interval]>([
  ['regressed', { ratio: 1.3, low: 1.11, high: 1.5 }],
  ['slower', { ratio: 1.3, low: 1.09, high: 1.5 }],
  ['same', { ratio: 1.3, low: 0.9, high: 1.9 }],
  ['faster', { ratio: 0.95, low: 0.92, high: 0.99 }],
  ['improved', { ratio: 0.5, low: 0.4, high: 0.6 }],
])('one tenth forgiven: %s', (verdict, interval) => {
  expect(verdictOf(interval, 0.1)).toBe(verdict);
});

test('equal numbers have an interval of width 0', () => {
  const { ratio, low, high } = unpairedRatio([[3], [3]], [[2], [2]], 0.99);
  expect([low, high]).toEqual([ratio, ratio]);
  expect(ratio).toBeCloseTo(1.5, 12);
});
