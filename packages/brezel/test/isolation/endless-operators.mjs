// Custom operators that may not end, in a separate module. The worker threads import it, too.
import { threadId } from 'node:worker_threads';
import { defineOperator } from 'brezel';
import { busyFor } from '../../../../testing/busy.mjs';

const operator = (name, run, more) =>
  defineOperator({ name: `test-endless/${name}`, inputs: ['text'], output: 'float32', run, ...more });

/** Never ends. */
export const endless = operator(
  'endless',
  () => {
    for (;;);
  },
  { deadlineMs: 100 },
);

/**
 * Counts letters. For each comma, the operator works for a millisecond. For certain texts, the
 * operator throws, exits or rejects the row.
 */
export const moody = operator(
  'moody',
  (text, { refuse }) => {
    if (text === 'throw') throw new RangeError('thrown');
    if (text === 'exit') process.exit(3);
    if (text === 'refuse') refuse('a word', 'send another');
    const wait = text.split(',').length - 1;
    busyFor(wait);
    return text.length;
  },
  { deadlineMs: 600_000 },
);

/** Allocates until memory runs out, if the text is `grow`. */
export const hungry = operator(
  'hungry',
  (text) => {
    const kept = [];
    while (text === 'grow') kept.push(new Array(10_000).fill(kept.length + 0.5));
    return text.length;
  },
  { deadlineMs: 600_000 },
);

/** Returns the number of the thread that runs the operator. */
export const thread = operator('thread', () => threadId, { deadlineMs: 600_000 });

/**
 * Returns the weight of the text, limited by an attribute, and the sum of the vector. The weights
 * are parameters, because workers must receive parameters.
 */
export const weighed = defineOperator({
  name: 'test-endless/weighed',
  inputs: ['text', 'float32[]'],
  output: 'float32[2]',
  attributes: { most: 10 },
  parameters: { weights: 'float32', words: 'string' },
  deadlineMs: 600_000,
  run: (text, vector, { attributes, parameters: { weights, words } }) => [
    Math.min(attributes.most, weights[words.indexOf(text)] ?? 0),
    vector.reduce((sum, value) => sum + value, 0),
  ],
});
