// One trial: how long a thread stands still that does nothing but look at the clock, beside threads that compute. Started by paper/stall.mjs.
// Parameter: JSON of { busy, seconds }.
import { Worker } from 'node:worker_threads';
import { parameters, send } from '../lib/child.mjs';

const { busy, seconds } = JSON.parse(parameters[0]);
const threads = Array.from({ length: busy }, () => new Worker('for (;;);', { eval: true }));
await Promise.all(threads.map((thread) => new Promise((resolve) => thread.once('online', resolve))));

let longest = 0;
const end = performance.now() + 1000 * seconds;
for (let last = performance.now(); last < end; ) {
  const now = performance.now();
  longest = Math.max(longest, now - last);
  last = now;
}
await Promise.all(threads.map((thread) => thread.terminate()));
await send({ longest });
process.disconnect?.();
