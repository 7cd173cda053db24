import { describe, expect, test } from 'vitest';
import {
  type BatchLimits,
  type BatchState,
  initialState,
  type Observation,
  observed,
  quantileLine,
  waitMs,
} from '../src/batch-size.js';

const limits = (controller: BatchLimits['controller'], fields: Partial<BatchLimits> = {}): BatchLimits => ({
  controller,
  sloMs: 20,
  maxBatch: 512,
  maxWaitMs: 0,
  ...fields,
});

/** Returns a generator of random numbers from 0 to 1. It gives the same numbers in each run. */
function noise(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** A simulated server: the latency of a request grows with its rows. */
const server =
  (random = () => 0, base = 2, perRow = 0.5) =>
  (rows: number) =>
    base + perRow * rows + 2 * random();

/** Sends full requests to a simulated server. Returns the observations and the last state. */
function run(latency: (rows: number, at: number) => number, bounds: BatchLimits, requests: number, from?: BatchState) {
  let state = from ?? initialState(bounds);
  const seen: Observation[] = [];
  for (let at = 0; at < requests; at++) {
    const observation = { rows: state.size, latencyMs: latency(state.size, at) };
    seen.push(observation);
    state = observed(state, bounds, observation);
  }
  return { seen, state };
}

const lateShare = (seen: readonly Observation[], sloMs = 20) =>
  seen.filter(({ latencyMs }) => latencyMs > sloMs).length / seen.length;

describe('aimd', () => {
  test('converges to the rows that meet the objective', () => {
    // 2 + 0.5 * 36 = 20 ms
    const { seen } = run(server(), limits('aimd'), 1000);
    const sizes = seen.slice(200).map(({ rows }) => rows);
    expect(Math.max(...sizes)).toBe(37);
    expect(Math.min(...sizes)).toBe(Math.floor(37 * 0.9));
    expect(lateShare(seen.slice(200))).toBeLessThan(0.25);
  });

  test('shrinks in a spike, never below one row, and recovers', () => {
    const before = run(server(), limits('aimd'), 100).state;
    const spike = run(() => 500, limits('aimd'), 100, before);
    expect(spike.seen[10]!.rows).toBeLessThan(before.size * 0.5);
    expect(spike.state.size).toBe(1);
    expect(run(server(), limits('aimd'), 40, spike.state).state.size).toBeGreaterThanOrEqual(32);
  });

  test('requests that are not full do not increase the size', () => {
    const state = observed({ ...initialState(limits('aimd')), size: 8 }, limits('aimd'), { rows: 3, latencyMs: 1 });
    expect(state.size).toBe(8);
  });

  test('never exceeds maxBatch', () => {
    expect(run(() => 1, limits('aimd', { maxBatch: 5 }), 100).state.size).toBe(5);
  });
});

describe('quantile', () => {
  test('finds the rows whose 99th percentile meets the objective', () => {
    const { seen, state } = run(server(noise()), limits('quantile'), 600);
    // 2 + 2 + 0.5 * 32 = 20 ms
    expect(state.size).toBeGreaterThanOrEqual(28);
    expect(state.size).toBeLessThanOrEqual(36);
    expect(lateShare(seen.slice(100))).toBeLessThan(0.1);
  });

  test('shrinks after the server became slower, and grows after it became faster', () => {
    const before = run(server(), limits('quantile'), 100).state;
    const slow = run(
      server(() => 0, 2, 2),
      limits('quantile'),
      200,
      before,
    ).state;
    expect(slow.size).toBeLessThanOrEqual(9);
    expect(run(server(), limits('quantile'), 400, slow).state.size).toBeGreaterThan(25);
  });

  test('a server that never meets the objective gets single rows', () => {
    expect(run(() => 100, limits('quantile'), 100).state.size).toBe(1);
  });

  test('the line lies above the share of the observations', () => {
    const random = noise();
    const seen = Array.from({ length: 64 }, () => {
      const rows = 1 + Math.floor(random() * 50);
      return { rows, latencyMs: 3 + 0.2 * rows + 5 * random() ** 4 };
    });
    for (const quantile of [0.5, 0.9, 0.99]) {
      const { base, perRow } = quantileLine(seen, quantile)!;
      const above = seen.filter(({ rows, latencyMs }) => latencyMs > base + perRow * rows + 1e-9).length;
      expect(above / seen.length).toBeLessThanOrEqual(1 - quantile);
      const below = seen.filter(({ rows, latencyMs }) => latencyMs < base + perRow * rows - 1e-9).length;
      expect(below / seen.length).toBeLessThanOrEqual(quantile);
    }
    expect(quantileLine([seen[0]!, seen[0]!], 0.99)).toBeUndefined();
    expect(quantileLine([], 0.99)).toBeUndefined();
  });
});

describe('how long a row waits', () => {
  test('fixed: maxWaitMs, unless the request is full', () => {
    const bounds = limits('fixed', { maxBatch: 8, maxWaitMs: 5 });
    const state = run(server(), bounds, 10).state;
    expect(state.size).toBe(8);
    expect(waitMs(state, bounds, 1)).toBe(5);
    expect(waitMs(state, bounds, 8)).toBe(0);
  });

  test('greedy: until the next request would miss 90 % of the objective', () => {
    const bounds = limits('greedy', { maxBatch: 64, maxWaitMs: 20 });
    expect(waitMs(initialState(bounds), bounds, 1)).toBe(0);
    let state = initialState(bounds);
    for (const rows of [1, 10]) state = observed(state, bounds, { rows, latencyMs: 2 + 0.5 * rows });
    expect(waitMs(state, bounds, 4)).toBeCloseTo(18 - 4);
    expect(waitMs(state, bounds, 32)).toBe(0);
    expect(waitMs(state, bounds, 64)).toBe(0);
    const falling = { ...state, line: { base: 15, perRow: -2 } };
    expect(waitMs(falling, bounds, 4)).toBeCloseTo(18 - 15);
  });
});
