import type { StringNormalizeOptions } from '@brezel/flour';
import fc from 'fast-check';
import { characters, noisyText, type OperatorCase, type OperatorCases, shown } from '../../case.js';

const asText = (
  name: string,
  options: StringNormalizeOptions,
  texts: readonly string[],
  expected: readonly string[],
): OperatorCase => ({
  name,
  build: (flour) => ({ y: flour.columns({ text: 'string' }).select('text').stringNormalize(options) }),
  rows: texts.map((text) => ({ text })),
  expected: expected.map((y) => ({ y })),
  engine: 'mixed',
});

/**
 * Builds a case that only normalizes texts, so that no other operator is fused with
 * `string-normalize`.
 */
const alone = (
  name: string,
  options: StringNormalizeOptions,
  texts: readonly string[],
  keys: readonly string[],
): OperatorCase => ({
  name,
  build: (flour) => {
    const y = flour.columns({ text: 'string' }).select('text').stringNormalize(options);
    return { y, key: y.keyMap(keys) };
  },
  rows: texts.map((text) => ({ text })),
  engine: 'mixed',
});

/**
 * Builds a case that normalizes texts and counts their characters. The addon does both in one pass.
 */
const counted = (
  name: string,
  options: StringNormalizeOptions,
  texts: readonly string[],
  more: Partial<OperatorCase> = {},
): OperatorCase => ({
  name,
  build: (flour) => ({
    y: flour
      .columns({ text: 'string' })
      .select('text')
      .stringNormalize(options)
      .charNgram({ vocabulary: [...new Set(characters.join('').toWellFormed())].map((one) => [one]) }),
  }),
  rows: texts.map((text) => ({ text })),
  ...more,
});

export const cases: OperatorCases = {
  operators: ['string-normalize'],
  named: [
    asText('lower', {}, ['ABC', 'ÄÉ', 'İ', 'ΣΑΣ', 'ẞ', 'K', '\0A', ''], ['abc', 'äé', 'i', 'σασ', 'ß', 'k', '\0a', '']),
    asText('upper', { case: 'upper' }, ['abc', 'äé', 'ß', 'ı', 'ς', 'ŉ'], ['ABC', 'ÄÉ', 'ß', 'I', 'Σ', 'ŉ']),
    asText('none', { case: 'none' }, ['aB', '\ud800'], ['aB', '\ufffd']),
    asText(
      'whole texts that are stop words',
      { stopWords: ['The', 'and'] },
      ['the', 'THE', 'the ', 'and', 'the and'],
      ['', '', 'the ', '', 'the and'],
    ),
    asText(
      'stop words with their case',
      { stopWords: ['The'], caseSensitive: true },
      ['The', 'the', 'THE'],
      ['', 'the', 'the'],
    ),
    asText(
      'stop words without folding',
      { case: 'none', stopWords: ['The'], caseSensitive: true },
      ['The', 'the'],
      ['', 'the'],
    ),
    asText(
      'stop words compared folded, text kept',
      { case: 'none', stopWords: ['The'] },
      ['The', 'tHE', 'them'],
      ['', '', 'them'],
    ),
    asText('an empty stop word', { stopWords: [''] }, ['', 'A'], ['', 'a']),
    asText('a stop word with a lone surrogate', { stopWords: ['\ud800'] }, ['\ud800', '\ufffd', 'a'], ['', '', 'a']),
    counted('lower, in the addon', {}, ['ABC İΣς', '\ud800', '', 'É😀'], { engine: 'native' }),
    counted('upper, in the addon', { case: 'upper' }, ['abc ßıς', '\0', 'é😀'], { engine: 'native' }),
    counted(
      'stop words, in the addon',
      { stopWords: ['ABC', 'été', '\0', 'x'.repeat(70)] },
      ['abc', 'Abc ', 'ÉTÉ', '\0', 'X'.repeat(70), 'X'.repeat(71), ''],
      { engine: 'native' },
    ),
  ],
  random: fc
    .record({
      case: fc.constantFrom('none' as const, 'lower' as const, 'upper' as const),
      stopWords: fc.oneof(
        fc.constant([]),
        fc.array(fc.oneof(noisyText(), fc.constantFrom('a', 'The', 'İ', 'σ', '', 'a long stop word of many bytes')), {
          maxLength: 6,
        }),
      ),
      caseSensitive: fc.boolean(),
    })
    .chain((options) =>
      fc
        .array(
          fc.oneof(
            noisyText([...options.stopWords, 'a']),
            fc.constantFrom('a', 'A', 'the', 'THE', ...options.stopWords),
          ),
          { minLength: 1, maxLength: 5 },
        )
        .map((texts) =>
          texts.length % 2 === 0
            ? counted(`normalize ${shown(options)}`, options, texts)
            : alone(`normalize alone ${shown(options)}`, options, texts, ['a', 'the', '']),
        ),
    ),
};
