import type { ReferenceKernel, TokensBlock } from '@brezel/core';

/** Returns the tokens that are not stop words. */
export const reference: ReferenceKernel = ({ rows, inputs, parameters }) => {
  const { stopWords } = parameters;
  if (stopWords?.dtype !== 'string') throw new TypeError('remove-stop-words parameters');
  const stops = new Set(stopWords.values);
  const values = (inputs[0] as TokensBlock).values.map((tokens) => tokens.filter((token) => !stops.has(token)));
  return { kind: 'tokens', rows, values };
};
