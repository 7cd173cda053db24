import { describe, expect, test } from 'vitest';
import { RequestTimes } from './request-times.js';
import { percentileMs, timesSince } from './time-window.js';

const timesOf = (...milliseconds: readonly number[]) => {
  const times = new RequestTimes();
  for (const time of milliseconds) times.record(time);
  return times;
};

describe('percentileMs', () => {
  test.each([0.001, 0.0078125, 0.1, 1, 1.5, 1000, 100_000])('is at most 9 % above %d ms', (time) => {
    const found = percentileMs(timesOf(time).counts(), 0.5)!;
    expect(found).toBeGreaterThanOrEqual(time * 0.999);
    if (time > 0.0078125) expect(found).toBeLessThan(time * 1.1);
  });

  test('separates fast and slow requests', () => {
    const times = timesOf(...Array.from({ length: 99 }, () => 1), 500).counts();
    expect(percentileMs(times, 0.5)).toBeLessThan(1.1);
    expect(percentileMs(times, 0.999)).toBeGreaterThan(499);
    expect(percentileMs(timesOf().counts(), 0.5)).toBeUndefined();
  });

  test('counts times beyond the last bucket', () => {
    expect(timesOf(1e12, Number.POSITIVE_INFINITY).counts().count).toBe(2);
  });
});

describe('timesSince', () => {
  test('returns the requests between two readings', () => {
    const times = timesOf(1, 1, 8);
    const before = times.counts();
    times.record(1);
    times.record(64);
    const since = timesSince(times.counts(), before);
    expect([since.count, since.buckets.map(([, count]) => count)]).toEqual([2, [1, 1]]);
  });

  test('starts again after a restart of the server', () => {
    const now = timesOf(1).counts();
    expect(timesSince(now, timesOf(1, 2).counts())).toEqual(now);
  });
});
