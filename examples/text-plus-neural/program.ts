import type { FlourContext, Flow, Program } from 'brezel';

/**
 * The words that the featurizer counts. The head assigns a weight to each word by its kind. A
 * trained model has thousands of words.
 */
export const words = {
  good: 'praise',
  great: 'praise',
  love: 'praise',
  bad: 'blame',
  slow: 'blame',
  awful: 'blame',
  not: 'negation',
  never: 'negation',
} as const;

/**
 * Adds the white-box part of the program, which counts the known words of a text. The object store
 * holds its dictionary once for all plans.
 */
function counts(flour: FlourContext): Flow<'vector'> {
  const text = flour.columns({ text: 'string' }).select('text');
  const tokens = text.stringNormalize({ case: 'lower' }).tokenize({ by: { pattern: '[a-z]+' } });
  return tokens.wordNgram({ vocabulary: Object.keys(words).map((word) => [word]) }).densify();
}

/**
 * Returns a program that computes the probability that a text is positive: first the featurizer,
 * then the head.
 */
export function pipeline(flour: FlourContext, head: (features: Flow<'vector'>) => Flow<'vector'>): Program {
  return flour.program({ positive: head(counts(flour)).asScalar() }, { name: 'sentiment' });
}
