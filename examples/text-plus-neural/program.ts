import type { FlourContext, Flow, Program } from 'brezel';

/**
 * The words that the featurizer counts, with the kind of each word, which the head uses. A trained
 * model has thousands.
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
 * The white-box part: text → word counts. Its dictionary is in the object store, shared with all
 * plans that use it.
 */
function counts(flour: FlourContext): Flow<'vector'> {
  const text = flour.columns({ text: 'string' }).select('text');
  const tokens = text.stringNormalize({ case: 'lower' }).tokenize({ by: { pattern: '[a-z]+' } });
  return tokens.wordNgram({ vocabulary: Object.keys(words).map((word) => [word]) }).densify();
}

/** Featurizer and head as one program: text → probability that it is positive. */
export function pipeline(flour: FlourContext, head: (features: Flow<'vector'>) => Flow<'vector'>): Program {
  return flour.program({ positive: head(counts(flour)).asScalar() }, { name: 'sentiment' });
}
