import { encodedStrings, type StringParameter } from '@brezel/object-store';
import { gramCountsOf } from '@brezel/tensors';
import { float32 } from '../../define-op.js';
import type { Flow } from '../../flow.js';
import { type OnnxUse, onnxMappings } from '../../onnx-mapping.js';
import { weight } from '../weight/index.js';
import {
  compactVocabulary,
  type NewVocabulary,
  type NgramOptions,
  type Vocabulary,
  type VocabularyPart,
} from './index.js';
import { countSpaced, hasNoSpaces, repaired, spacedTokens } from './repair.js';

export const onnx = onnxMappings({
  domain: '',
  operator: 'TfIdfVectorizer',
  versions: [9, 25],
  convert(use) {
    const { attributes } = use;
    if (!attributes.has('pool_strings')) throw use.unsupported('pool_int64s (n-grams of numbers)');
    const mode = attributes.string('mode');
    if (!['TF', 'IDF', 'TFIDF'].includes(mode)) throw use.unsupported(`mode "${mode}"`);
    const options: NgramOptions = {
      vocabulary: readVocabulary(use),
      minN: attributes.int('min_gram_length'),
      maxN: attributes.int('max_gram_length'),
      maxSkip: attributes.int('max_skip_count'),
      binary: mode === 'IDF',
    };
    const counts = (use.row(0) as Flow<'tokens'>).wordNgram(options);
    if (mode === 'TF' || !attributes.has('weights')) return [counts];
    // With mode IDF, an n-gram that occurs has its weight as value; with mode TFIDF, the value is
    // the count times the weight. The file lists weights by n-gram, not by column.
    const byColumn = new Float32Array(
      options.vocabulary && 'columns' in options.vocabulary ? options.vocabulary.columns : 0,
    );
    const weights = attributes.floats('weights');
    const columns = attributes.intArray('ngram_indexes');
    for (let gram = 0; gram < columns.length; gram++) byColumn[columns[gram]!] = weights[gram] ?? 1;
    return [use.flour.apply(weight, [counts], { parameters: { weights: float32(byColumn) } })];
  },
});

function storedVocabulary(
  use: OnnxUse,
  key: string,
  gramCounts: readonly number[],
  columnCount: number,
  read: () => NewVocabulary['parameters'],
): Vocabulary {
  let decoded: NewVocabulary['parameters'] | undefined;
  const part = (name: VocabularyPart) =>
    use.flour.derive(`${name} of vocabulary ${key}`, () => {
      decoded ??= read();
      return decoded[name];
    });
  const parameters = { tokens: part('tokens'), grams: part('grams'), columns: part('columns') };
  const minN = gramCounts.findIndex((count) => count > 0) + 1;
  return { parameters, gramCounts, columns: columnCount, minN, maxN: gramCounts.length };
}

/**
 * The distinct tokens of the attribute `pool_strings`, and for each string of the attribute the
 * index of its token.
 */
interface DistinctTokens {
  readonly tokens: StringParameter;
  readonly numbers: Int32Array;
}

/**
 * Reads the distinct tokens of the attribute `pool_strings`. Returns undefined if the addon is not
 * loaded, or if a token is not UTF-8.
 */
function distinctTokens({ attributes }: OnnxUse): DistinctTokens | undefined {
  const found = attributes.distinctStrings('pool_strings');
  if (found === undefined) return undefined;
  const count = new DataView(found.strings.buffer, found.strings.byteOffset).getUint32(0, true);
  return { tokens: encodedStrings(found.strings, [count], true), numbers: found.numbers };
}

/**
 * Returns the parameters of the vocabulary in the file. If `pool` is given, it uses the tokens of
 * `pool` and creates no JavaScript strings.
 */
function vocabularyInFile(
  { attributes }: OnnxUse,
  pool: DistinctTokens | undefined,
  gramCounts: readonly number[],
  columns: Int32Array,
  columnCount: number,
): NewVocabulary['parameters'] {
  if (pool === undefined)
    return compactVocabulary(attributes.strings('pool_strings'), gramCounts, columns, columnCount).parameters;
  const { tokens, numbers } = pool;
  return {
    tokens,
    grams: { dtype: 'int32', shape: [numbers.length], data: numbers },
    columns: { dtype: 'int32', shape: [columns.length], data: columns },
  };
}

/**
 * Returns whether the importer must split n-grams of the file at spaces. This is true if the option
 * `repairNgrams` is set and some n-grams can never match. Warns about n-grams that can never match,
 * also without the option.
 */
function isSplitWrongly(use: OnnxUse, key: string, pool: () => DistinctTokens | undefined): boolean {
  if (!hasNoSpaces(use.row(0))) return false;
  const spaced = spacedTokens(use.flour.store, key, () => {
    const found = pool();
    return countSpaced(found?.tokens ?? use.attributes.stringParameter('pool_strings'), found?.numbers);
  });
  if (spaced === 0) return false;
  use.warn(
    use.repairNgrams
      ? `${spaced} pool strings with a space were split into words (repairNgrams): the answers are the trainer's, NOT the file's`
      : `${spaced} pool strings hold a space and never match, because the exporter did not split these n-grams; repairNgrams (--repair-ngrams) splits them`,
  );
  return use.repairNgrams;
}

/** Returns the number of columns, or undefined if a column is negative. */
function countColumns(columns: Int32Array | Float64Array): number | undefined {
  let [least, most] = [0, -1];
  for (let gram = 0; gram < columns.length; gram++) {
    const column = columns[gram]!;
    if (column > most) most = column;
    if (column < least) least = column;
  }
  return least < 0 ? undefined : most + 1;
}

/**
 * Returns the vocabulary of the node. Models of a family often have equal vocabularies; a
 * vocabulary with known bytes is not decoded again.
 */
function readVocabulary(use: OnnxUse): Vocabulary {
  const poolSize = use.attributes.count('pool_strings');
  const starts = use.attributes.ints('ngram_counts');
  const columns = use.attributes.intArray('ngram_indexes');
  const gramCounts = gramCountsOf(starts, poolSize);
  if (gramCounts === undefined) {
    throw use.unsupported(
      `ngram_counts [${starts}] over ${poolSize} pool entries`,
      'the counts must ascend and cut the pool into whole n-grams',
    );
  }
  const total = gramCounts.reduce((sum, count) => sum + count, 0);
  const columnCount = countColumns(columns);
  if (total !== columns.length || columnCount === undefined) {
    throw use.unsupported(
      `${columns.length} ngram_indexes for ${total} n-grams`,
      'each n-gram needs one column, 0 or greater',
    );
  }
  if (columnCount === 0) throw use.unsupported('an empty vocabulary');
  const key = ['pool_strings', 'ngram_counts', 'ngram_indexes'].map((name) => use.attributes.checksum(name)).join(' ');
  let found: { readonly pool: DistinctTokens | undefined } | undefined;
  const pool = () => {
    found ??= { pool: distinctTokens(use) };
    return found.pool;
  };
  const narrow = columns instanceof Int32Array ? columns : Int32Array.from(columns);
  if (!isSplitWrongly(use, key, pool))
    return storedVocabulary(use, key, gramCounts, columnCount, () =>
      vocabularyInFile(use, pool(), gramCounts, narrow, columnCount),
    );
  const tokens = use.attributes.strings('pool_strings');
  const split = repaired({ tokens, gramCounts, columns: Array.from(columns) });
  return storedVocabulary(use, `${key}, repaired`, split.gramCounts, columnCount, () => {
    const { tokens, gramCounts, columns } = split;
    return compactVocabulary(tokens, gramCounts, Int32Array.from(columns), columnCount).parameters;
  });
}
