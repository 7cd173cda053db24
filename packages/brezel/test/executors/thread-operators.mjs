// Custom operators without deadlines in a separate module. Worker threads that run plans in
// JavaScript import this module, too.
import { threadId } from 'node:worker_threads';
import { defineOperator } from 'brezel';

/** Returns the number of the thread that runs the operator. */
export const thread = defineOperator({
  name: 'test-threads/thread',
  inputs: ['text'],
  output: 'float32',
  run: () => threadId,
});

/**
 * Counts words and letters. For certain texts, the operator throws, rejects the row, ends its
 * thread, or allocates all memory.
 */
export const words = defineOperator({
  name: 'test-threads/words',
  inputs: ['text'],
  output: 'float32[2]',
  run: (text, { refuse }) => {
    if (text === 'throw') throw new RangeError('thrown');
    if (text === 'refuse') return refuse('a word', 'send another');
    if (text === 'exit' && threadId !== 0) process.exit(3);
    const kept = [];
    while (text === 'grow' && threadId !== 0) kept.push(new Array(10_000).fill(kept.length + 0.5));
    return [text.split(' ').length, text.length];
  },
});

/** Sleeps for the number of milliseconds in the text, but not on the main thread. */
export const sleep = defineOperator({
  name: 'test-threads/sleep',
  inputs: ['text'],
  output: 'float32',
  run: (text, { refuse }) => {
    if (!Number.isFinite(Number(text))) return refuse('a number of milliseconds', 'send one');
    if (threadId !== 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(text));
    return Number(text);
  },
});
