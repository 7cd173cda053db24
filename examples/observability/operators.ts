import { defineOperator } from 'brezel';

/**
 * A table outside the model, as an application might have it: the rating that belongs to a word.
 */
export const rates = new Map([
  ['four', 4],
  ['five', 5],
]);

/** Looks up the rating of a word. If the table does not contain the word, the prediction fails. */
export const reviewed = defineOperator({
  name: 'example/reviewed',
  inputs: ['text'],
  output: 'float32',
  run: (text) => {
    const rate = rates.get(text);
    if (rate === undefined) throw new Error(`no rate for "${text}"`);
    return rate;
  },
});
