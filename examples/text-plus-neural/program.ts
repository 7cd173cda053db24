import type { FlourContext, Program } from 'brezel';

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
export function featurizer(flour: FlourContext): Program {
  const text = flour.columns({ text: 'string' }).select('text');
  const tokens = text.stringNormalize({ case: 'lower' }).tokenize({ by: { pattern: '[a-z]+' } });
  const counts = tokens.wordNgram({ vocabulary: Object.keys(words).map((word) => [word]) });
  return flour.program({ features: counts.densify() }, { name: 'featurizer' });
}
