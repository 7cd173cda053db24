import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { CancellableWork } from './cancellable-work.js';

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });

test('cancel ends running and later work with its reason', async () => {
  const work = new CancellableWork();
  const running = [work.run(undefined, untilAborted), work.run(new AbortController().signal, untilAborted)];
  work.cancel(new Error('closed'));
  for (const each of running) await expect(each).rejects.toThrow('closed');
  await expect(work.run(undefined, untilAborted)).rejects.toThrow('closed');
});

test('the signal of the caller ends its own work only', async () => {
  const work = new CancellableWork();
  const caller = new AbortController();
  const ended = work.run(caller.signal, untilAborted);
  const other = work.run(undefined, (signal) => Promise.resolve(signal));
  caller.abort(new Error('left'));
  await expect(ended).rejects.toThrow('left');
  expect((await other).aborted).toBe(false);
  await expect(work.run(caller.signal, untilAborted)).rejects.toThrow('left');
});

test('a long-lived signal holds no memory of ended work', async () => {
  const work = new CancellableWork();
  const caller = new AbortController();
  const state = () => Object.getOwnPropertySymbols(caller.signal).map((key) => (caller.signal as never)[key]);
  await work.run(caller.signal, () => Promise.resolve());
  const before = state();
  for (let run = 0; run < 100; run++) await work.run(caller.signal, () => Promise.resolve(run));
  expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
  expect(state()).toEqual(before);
});
