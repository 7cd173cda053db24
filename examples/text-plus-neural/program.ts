import type { FlourContext, Flow, Program } from 'brezel';

/** What the featurizer counts, and what kind of word it is: the head tells the kinds apart. A trainer would have thousands. */
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

/** The white part: text → how often it has each word. Its dictionary lies in the object store, shared with every plan that counts the same. */
function counts(flour: FlourContext): Flow<'vector'> {
  const text = flour.columns({ text: 'string' }).select('text');
  const tokens = text.stringNormalize({ case: 'lower' }).tokenize({ by: { pattern: '[a-z]+' } });
  return tokens.wordNgram({ vocabulary: Object.keys(words).map((word) => [word]) }).densify();
}

/** Featurizer and head, wherever that runs, as one program: text → the probability that it is positive. */
export function pipeline(flour: FlourContext, head: (features: Flow<'vector'>) => Flow<'vector'>): Program {
  return flour.program({ positive: head(counts(flour)).asScalar() }, { name: 'sentiment' });
}
