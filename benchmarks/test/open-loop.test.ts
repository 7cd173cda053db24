import { expect, it } from 'vitest';
import { seed } from '../../packages/brezel/test/conformance/seed.js';
import { openLoop, poissonArrivals, zipfPicker } from '../harness/open-loop.mjs';
import { randomOf } from '../models/random.mjs';

// Tests the load generator with a clock that only the generator and its requests advance, so that
// results are exact.

function clockOf() {
  let time = 0;
  return {
    now: () => time,
    pause: async (ms: number) => {
      time += Math.max(ms, 0.001);
    },
    spend: (ms: number) => {
      time += ms;
    },
  };
}

const every = (ms: number, count: number) => Float64Array.from({ length: count }, (_, at) => (at + 1) * ms);

it('counts latency from the due time: a stalled server delays later requests', async () => {
  const clock = clockOf();
  const slow = 3;
  const { latencies, lateness } = await openLoop(every(10, 10), (at) => clock.spend(at === slow ? 45 : 1), { clock });
  const wanted = [1, 1, 1, 45, 36, 27, 18, 9, 1, 1];
  wanted.forEach((ms, at) => expect(latencies[at]).toBeCloseTo(ms, 1));
  // A client that waits for each answer would not see this lateness.
  expect(lateness[slow + 1]).toBeCloseTo(35, 1);
});

it('counts failures, thrown or rejected', async () => {
  const clock = clockOf();
  const answers = [() => 1, () => Promise.reject(new Error('refused')), () => Promise.resolve(1)];
  const send = (at: number) => {
    if (at === 3) throw new Error('thrown');
    return answers[at]!();
  };
  const { failed, unanswered, latencies } = await openLoop(every(1, 4), send, { clock });
  expect({ failed, unanswered }).toEqual({ failed: 2, unanswered: 0 });
  expect(latencies.every((ms) => ms >= 0)).toBe(true);
});

it('counts requests without an answer, with their waiting time', async () => {
  const clock = clockOf();
  const send = (at: number) => (at === 1 ? new Promise(() => {}) : undefined);
  const { unanswered, latencies, elapsedMs } = await openLoop(every(10, 3), send, { clock, drainMs: 100 });
  expect(unanswered).toBe(1);
  expect(latencies[1]).toBeGreaterThanOrEqual(100);
  expect(elapsedMs).toBeGreaterThanOrEqual(130);
});

it('draws arrivals of the given rate, in order', () => {
  const arrivals = poissonArrivals(randomOf(seed), 1000, 20);
  expect(arrivals.length).toBeGreaterThan(19_000);
  expect(arrivals.length).toBeLessThan(21_000);
  expect(arrivals.every((at, index) => index === 0 || at >= arrivals[index - 1]!)).toBe(true);
  const gaps = arrivals.subarray(1).map((at, index) => at - arrivals[index]!);
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length);
  // the deviation of exponential gaps equals their mean
  expect(deviation / mean).toBeGreaterThan(0.9);
  expect(deviation / mean).toBeLessThan(1.1);
});

it('draws models by the power law of the paper', () => {
  const pick = zipfPicker(randomOf(seed), 250, 2);
  const counts = new Float64Array(250);
  for (let draw = 0; draw < 20_000; draw++) counts[pick()]! += 1;
  expect(counts[0]! / 20_000).toBeCloseTo(6 / Math.PI ** 2, 1); // 1 / zeta(2)
  expect(counts[0]! / counts[1]!).toBeGreaterThan(3.5);
  expect(counts[0]! / counts[1]!).toBeLessThan(4.6);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20_000);
});
