import { defineOperator } from 'brezel';

/** Somebody else's table. */
export const rates = new Map([
  ['four', 4],
  ['five', 5],
]);

/** Reads a rate from the table, and throws when it is not there. */
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
