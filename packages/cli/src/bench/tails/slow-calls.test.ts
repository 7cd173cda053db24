import { expect, test } from 'vitest';
import { causeOf, SlowCalls, type Usage } from './slow-calls.js';

const none: Usage = { minorPageFault: 5, majorPageFault: 1, involuntaryContextSwitches: 2 };
const call = (start: number, end: number, after: Partial<Usage> = {}) => ({
  call: start,
  start,
  end,
  before: none,
  after: { ...none, ...after },
});

test('the slowest calls are collected, slowest first', () => {
  const slow = new SlowCalls(3);
  for (const length of [4, 1, 9]) slow.add(call(length, 2 * length));
  expect(slow.threshold).toBe(1);
  for (const length of [2, 7]) slow.add(call(length, 2 * length));
  expect(slow.threshold).toBe(4);
  expect(slow.withCauses([]).map(({ call, micros }) => [call, micros])).toEqual([
    [9, 9000],
    [7, 7000],
    [4, 4000],
  ]);
});

test('a call that is not collected yet has no threshold', () => {
  expect(new SlowCalls(1).threshold).toBe(Number.NEGATIVE_INFINITY);
});

test.each<[string, Partial<Usage>]>([
  ['unknown', {}],
  ['page fault', { minorPageFault: 6 }],
  ['core taken away', { minorPageFault: 6, involuntaryContextSwitches: 3 }],
  ['page read from disk', { majorPageFault: 2, involuntaryContextSwitches: 3 }],
])('the cause is %s', (cause, after) => {
  expect(causeOf(call(10, 20, after), [{ start: 1, end: 10 }])).toBe(cause);
  expect(causeOf(call(10, 20, after), [{ start: 19, end: 30 }])).toBe('garbage collection');
});
