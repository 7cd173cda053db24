import { errors } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { ManualClock } from '../../../../testing/manual-clock.js';
import { retried } from './retried.js';

const failing = (error: Error, times: number) => {
  let calls = 0;
  return { calls: () => calls, work: async () => (++calls <= times ? Promise.reject(error) : calls) };
};
const away = new Error('request failed', { cause: new errors.TimeoutError() });

/** Moves the clock until the promise settles. */
async function settled<T>(clock: ManualClock, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const done = () => {
    isSettled = true;
  };
  promise.then(done, done);
  while (!isSettled) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1000);
  }
  return promise;
}

test('a call is repeated until NATS answers', async () => {
  const clock = new ManualClock();
  const { work } = failing(away, 9);
  expect(await settled(clock, retried(clock, work))).toBe(10);
});

test('after ten attempts, the error is thrown', async () => {
  const clock = new ManualClock();
  const { work, calls } = failing(away, 99);
  await expect(settled(clock, retried(clock, work))).rejects.toBe(away);
  expect(calls()).toBe(10);
});

test('other errors, and errors of calls that have ended, are thrown at once', async () => {
  const clock = new ManualClock();
  const other = failing(new Error('wrong'), 1);
  await expect(retried(clock, other.work)).rejects.toThrow('wrong');
  await expect(retried(clock, failing(away, 1).work, () => true)).rejects.toBe(away);
});
