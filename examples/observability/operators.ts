import { defineOperator } from 'brezel';

/** The external table. */
export const rates = new Map([
  ['four', 4],
  ['five', 5],
]);

/** Reads a rate from the table; throws if it is missing. */
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
