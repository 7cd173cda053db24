import { ngramModel } from '../models.js';
import { type Attributes, type Case, changed, i, ints, REFUSED, s } from './case.js';

const ngram = (attributes: Attributes) => changed(ngramModel, attributes);

/** Files with a TfIdfVectorizer that has unusual columns, counts or pools. */
export const ngrams: readonly Case[] = [
  ['a column of 2^31 - 1', ngram({ ngram_indexes: ints(0, 1, 2, 2 ** 31 - 1) }), REFUSED],
  ['a column of 2^31', ngram({ ngram_indexes: ints(0, 1, 2, 2 ** 31) }), REFUSED],
  ['a column of 2^32', ngram({ ngram_indexes: ints(0, 1, 2, 2 ** 32) }), REFUSED],
  ['a column of 2^52', ngram({ ngram_indexes: ints(0, 1, 2, 2 ** 52) }), REFUSED],
  ['a column of 2^62', ngram({ ngram_indexes: ints(0, 1, 2, 2n ** 62n) }), REFUSED],
  ['a column below 0', ngram({ ngram_indexes: ints(0, 1, 2, -1) }), REFUSED],
  [
    'a column of 2^31 - 1 with weights',
    ngram({ mode: s('TFIDF'), weights: { floats: [1, 2, 3, 4] }, ngram_indexes: ints(0, 1, 2, 2 ** 31 - 1) }),
    REFUSED,
  ],
  ['one column for all', ngram({ ngram_indexes: ints(5, 5, 5, 5) }), 'works'],
  ['columns far apart', ngram({ ngram_indexes: ints(0, 70_000, 1, 300_000) }), 'works'],
  ['too few columns', ngram({ ngram_indexes: ints(0) }), REFUSED],
  ['too many columns', ngram({ ngram_indexes: ints(0, 1, 2, 3, 4) }), REFUSED],
  ['no columns', ngram({ ngram_indexes: ints() }), REFUSED],
  ['counts that descend', ngram({ ngram_counts: ints(0, 3, 1) }), REFUSED],
  ['counts below 0', ngram({ ngram_counts: ints(-1, 3) }), REFUSED],
  ['counts beyond the pool', ngram({ ngram_counts: ints(0, 300) }), REFUSED],
  ['counts that cut n-grams', ngram({ ngram_counts: ints(0, 4) }), REFUSED],
  ['counts that start late', ngram({ ngram_counts: ints(2, 3), ngram_indexes: ints(0, 1) }), REFUSED],
  ['no counts', ngram({ ngram_counts: ints(), ngram_indexes: ints() }), REFUSED],
  ['counts of 2^62', ngram({ ngram_counts: ints(0, 2n ** 62n) }), REFUSED],
  [
    '100 000 sizes',
    ngram({ ngram_counts: ints(0, ...new Array<number>(100_000).fill(5)), ngram_indexes: ints(0, 1, 2, 3, 4) }),
    'works',
  ],
  ['an empty pool', ngram({ pool_strings: { strings: [] }, ngram_counts: ints(0), ngram_indexes: ints() }), REFUSED],
  ['an n-gram twice', ngram({ pool_strings: { strings: ['good', 'good', 'a', 'not', 'good'] } }), 'works'],
  [
    'a bigram twice, in other columns',
    ngram({
      pool_strings: { strings: ['a', 'not', 'good', 'not', 'good'] },
      ngram_counts: ints(0, 1),
      ngram_indexes: ints(0, 2, 1),
    }),
    'works',
  ],
  ['empty words', ngram({ pool_strings: { strings: ['', 'b', 'c', '', ''] } }), 'works'],
  [
    'words that are not UTF-8',
    ngram({ pool_strings: { strings: [Uint8Array.of(0xff), Uint8Array.of(0xfe), 'c', Uint8Array.of(0xc3), 'a'] } }),
    /works|ERR_ONNX/,
  ],
  ['a word of a megabyte', ngram({ pool_strings: { strings: ['x'.repeat(2 ** 20), 'b', 'c', 'a', 'b'] } }), 'works'],
  [
    'a word of 17 MiB',
    ngram({ pool_strings: { strings: ['x'.repeat(17 * 2 ** 20), 'b', 'c', 'a', 'b'] } }),
    /works|ERR_(ONNX|FLOUR|STORE)/,
  ],
  ['least n of 0', ngram({ min_gram_length: i(0) }), REFUSED],
  ['least n below 0', ngram({ min_gram_length: i(-1) }), REFUSED],
  ['greatest n of 2^31', ngram({ max_gram_length: i(2 ** 31) }), REFUSED],
  ['greatest n of 2^62', ngram({ max_gram_length: i(2n ** 62n) }), REFUSED],
  ['greatest below least', ngram({ min_gram_length: i(2), max_gram_length: i(1) }), REFUSED],
  ['sizes that the pool has not', ngram({ min_gram_length: i(5), max_gram_length: i(9) }), 'works'],
  ['1 000 000 000 skips', ngram({ max_skip_count: i(1_000_000_000) }), 'works'],
  ['skips below 0', ngram({ max_skip_count: i(-1) }), /works|ERR_(ONNX|FLOUR|STORE)/],
  ['a mode that is none', ngram({ mode: s('FOO') }), REFUSED],
  ['too few weights', ngram({ mode: s('TFIDF'), weights: { floats: [1] } }), /works|ERR_ONNX/],
  ['no weights', ngram({ mode: s('IDF'), weights: { floats: [] } }), /works|ERR_ONNX/],
  ['an attribute of another type', ngram({ mode: i(3) }), /ERR_ONNX_ATTRIBUTE/],
  ['attributes left out', ngram({ ngram_counts: undefined }), /ERR_ONNX_ATTRIBUTE/],
  ['numbers as words', ngram({ pool_strings: undefined, pool_int64s: ints(1, 2, 3, 4, 5) }), /ERR_ONNX_UNSUPPORTED/],
];
