import { defineOperator, type FlourContext } from 'brezel';

/** The current behavior of the operators in these tests. */
export const behaviour = { isBroken: false };

/**
 * A custom operator that counts words. It fails if `isBroken` is set, and rejects an empty text.
 */
export const fragile = defineOperator({
  name: 'test/fragile',
  inputs: ['text'],
  output: 'float32',
  run: (text, { refuse }) => {
    if (behaviour.isBroken) throw new TypeError('the table is gone');
    return text === '' ? refuse('an empty text') : text.split(' ').length;
  },
});

/** Returns a plan with the operator in its second stage. */
export const fragilePlan = (flour: FlourContext) => {
  const text = flour.columns({ text: 'string' }).select('text').stringNormalize();
  return flour.program({ words: text.custom(fragile) }, { name: 'fragile' }).plan();
};
