import type { Flow } from '@brezel/flour';
import fc from 'fast-check';
import { noisyText, type OperatorCase, type OperatorCases, shown } from '../../case.js';

/**
 * Builds a case that removes stop words and counts the n-grams of the remaining tokens with a
 * vocabulary. Without `expected`, it also counts hashed n-grams.
 */
function stopped(
  name: string,
  stopWords: readonly string[],
  texts: readonly string[],
  expected?: readonly (readonly number[])[],
  more: Partial<OperatorCase> = { engine: 'native' },
  cut: (text: Flow<'text'>) => Flow<'tokens'> = (text) => text.tokenize({ by: 'words' }),
): OperatorCase {
  const vocabulary = [['good'], ['film'], ['good', 'film'], ['the'], ['a', 'ä']];
  return {
    name,
    build(flour): Readonly<Record<string, Flow>> {
      const tokens = cut(flour.columns({ text: 'string' }).select('text')).removeStopWords(stopWords);
      const y = tokens.wordNgram({ vocabulary });
      if (expected !== undefined) return { y };
      return { y, hashed: tokens.hashNgram({ columns: 251, maxN: 3 }) };
    },
    rows: texts.map((text) => ({ text })),
    ...(expected && { expected: expected.map((y) => ({ y })) }),
    ...more,
  };
}

const long = 'x'.repeat(40);

export const cases: OperatorCases = {
  operators: ['remove-stop-words'],
  named: [
    stopped(
      'words around one become neighbours',
      ['the', long, 'über'],
      ['good the film', `good ${long} film the`, 'good über film', 'the', '', 'The good The film'],
      [
        [1, 1, 1, 0, 0],
        [1, 1, 1, 0, 0],
        [1, 1, 1, 0, 0],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
        [1, 1, 0, 0, 0],
      ],
    ),
    stopped('all are stop words', ['good', 'film', 'a', 'ä'], ['good film a ä'], [[0, 0, 0, 0, 0]]),
    stopped('hashed', ['the', 'ä'], ['good the film', 'the ä the', 'a ä b the c', '']),
    stopped(
      'stop words that no token is',
      ['good film', '', '\ud800'],
      ['good film', ' '],
      [
        [1, 1, 1, 0, 0],
        [0, 0, 0, 0, 0],
      ],
    ),
    stopped('after folding', ['the'], ['THE good The film'], [[1, 1, 1, 0, 0]], { engine: 'native' }, (text) =>
      text.stringNormalize().tokenize(),
    ),
    stopped(
      'beside whole texts that are emptied',
      ['the'],
      ['good the film', 'the film'],
      [
        [1, 1, 1, 0, 0],
        [0, 0, 0, 0, 0],
      ],
      { engine: 'javascript' },
      (text) => text.stringNormalize({ stopWords: ['the film'] }).tokenize(),
    ),
    stopped(
      'characters',
      ['a', 'o'],
      ['aä', 'foo'],
      [
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
      ],
      { engine: 'javascript' },
      (text) => text.tokenize({ by: 'characters' }),
    ),
  ],
  random: fc
    .record({
      stopWords: fc.array(fc.oneof(fc.constantFrom('the', 'a', 'ä', 'good', long), noisyText()), {
        minLength: 1,
        maxLength: 6,
      }),
      texts: fc.array(noisyText(['good', 'film', 'the', 'a', 'ä', long]), { minLength: 1, maxLength: 5 }),
    })
    .map(({ stopWords, texts }) => stopped(`stop words ${shown({ stopWords, texts })}`, stopWords, texts)),
};
