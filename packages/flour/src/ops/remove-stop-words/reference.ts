import type { ParameterValue, ReferenceKernel, TokensBlock } from '@brezel/core';

/** Returns the tokens that are not stop words. */
export const reference: ReferenceKernel = ({ rows, inputs, parameters }) => {
  const { stopWords } = parameters;
  if (stopWords?.dtype !== 'string') throw new TypeError('remove-stop-words parameters');
  const stops = setOf(stopWords);
  const values = (inputs[0] as TokensBlock).values.map((tokens) => tokens.filter((token) => !stops.has(token)));
  return { kind: 'tokens', rows, values };
};

type StringValues = Extract<ParameterValue, { dtype: 'string' }>;

/**
 * Caches the set of stop words for each parameter, because a plan passes the same parameter in each
 * call.
 */
const sets = new WeakMap<StringValues, ReadonlySet<string>>();

function setOf(stopWords: StringValues): ReadonlySet<string> {
  const known = sets.get(stopWords) ?? new Set(stopWords.values);
  sets.set(stopWords, known);
  return known;
}
