import type { Tensor } from '@brezel/core';
import fc from 'fast-check';
import { type Family, int64, ints, nodeOf } from './random-tensor-node.js';

const words = fc.constantFrom('', 'a', 'A', ' a  b ', 'b-a--b', 'größer', '😀 x', 'the', 'The');
const texts = (least: number) => fc.array(words, { minLength: least, maxLength: 6 });
const textTensor = (values: readonly string[]): Tensor => ({ element: 'string', shape: [values.length], data: values });

const tokenizer: Family = [
  'Tokenizer',
  fc.tuple(texts(1), fc.constantFrom([' '], ['-', ' '], ['']), fc.boolean()).map(([values, separators, isMarked]) =>
    nodeOf(
      'Tokenizer',
      [textTensor(values)],
      {
        separators: { strings: separators },
        pad_value: { s: '#' },
        mincharnum: { i: 1 },
        mark: { i: isMarked ? 1 : 0 },
      },
      ['y'],
      'com.microsoft',
    ),
  ),
];

const vectorizer: Family = [
  'TfIdfVectorizer',
  fc
    .tuple(
      fc.array(fc.constantFrom(1, 2, 3, 9), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 0, max: 3 }),
      fc.constantFrom('TF', 'IDF', 'TFIDF'),
    )
    .map(([values, skips, mode]) =>
      nodeOf('TfIdfVectorizer', [int64(values)], {
        mode: { s: mode },
        pool_int64s: ints([1, 2, 3, 1, 2, 2, 2, 1, 2, 3]),
        ngram_counts: ints([0, 3, 7]),
        ngram_indexes: ints([0, 4, 2, 1, 3, 5]),
        weights: { floats: [1, 2, 3, 4, 5, 6] },
        min_gram_length: { i: 1 },
        max_gram_length: { i: 3 },
        max_skip_count: { i: skips },
      }),
    ),
];

const stringNormalizer: Family = [
  'StringNormalizer',
  // No case folding, because onnxruntime needs a locale of the system for it.
  fc.tuple(texts(1), fc.subarray(['the', 'A', '', 'größer'])).map(([values, stopWords]) =>
    nodeOf('StringNormalizer', [textTensor(values)], {
      is_case_sensitive: { i: 1 },
      ...(stopWords.length > 0 && { stopwords: { strings: stopWords } }),
    }),
  ),
];

const stringSplit: Family = [
  'StringSplit',
  // Omits two cases of Python's `split`, to which ONNX refers: for an empty string, it returns one
  // empty piece; with a limit and without a delimiter, the last piece keeps the space at its end.
  fc
    .tuple(
      fc.array(
        words.filter((text) => text !== ''),
        { minLength: 1, maxLength: 6 },
      ),
      fc.constantFrom('', '-', '--'),
      fc.option(fc.integer({ min: 1, max: 3 })),
    )
    .map(([values, delimiter, most]) =>
      nodeOf(
        'StringSplit',
        [textTensor(values)],
        { delimiter: { s: delimiter }, ...(most !== null && delimiter !== '' && { maxsplit: { i: most } }) },
        ['y', 'counts'],
      ),
    ),
];

const stringConcat: Family = [
  'StringConcat',
  fc
    .tuple(texts(1), texts(1))
    .map(([left, right]) =>
      nodeOf('StringConcat', [{ element: 'string', shape: [left.length, 1], data: left }, textTensor(right)]),
    ),
];

const regexFullMatch: Family = [
  'RegexFullMatch',
  fc
    .tuple(texts(1), fc.constantFrom('.', '[a-z]*', '\\w+', 'a|the', '(?i)the', '.*-.*', '[^\\pL]*'))
    .map(([values, pattern]) => nodeOf('RegexFullMatch', [textTensor(values)], { pattern: { s: pattern } })),
];

/** Random nodes of strings and tokens. */
export const textNodes: readonly Family[] = [
  tokenizer,
  vectorizer,
  stringNormalizer,
  stringSplit,
  stringConcat,
  regexFullMatch,
];
