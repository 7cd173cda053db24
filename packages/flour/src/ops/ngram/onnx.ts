import { bytesOfStrings, encodedStrings } from '@brezel/object-store';
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
import { hasNoSpaces, repaired, spacedTokens } from './repair.js';

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
    // IDF: the weight of each n-gram that occurs. TFIDF: count times weight. The file lists weights
    // by n-gram, not by column.
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
 * Returns the parameters of `compactVocabulary`. With the addon, the tokens of the file stay bytes.
 */
function vocabularyInFile(
  { attributes, flour }: OnnxUse,
  gramCounts: readonly number[],
  columns: Int32Array,
  columnCount: number,
): NewVocabulary['parameters'] {
  const pool = attributes.stringParameter('pool_strings');
  const found = flour.store.memory.strings?.distinct(bytesOfStrings(pool));
  if (found === undefined) return compactVocabulary(pool.values, gramCounts, columns, columnCount).parameters;
  const { strings, numbers } = found;
  const distinct = new DataView(strings.buffer, strings.byteOffset).getUint32(0, true);
  return {
    tokens: encodedStrings(strings, [distinct]),
    grams: { dtype: 'int32', shape: [numbers.length], data: numbers },
    columns: { dtype: 'int32', shape: [columns.length], data: columns },
  };
}

/**
 * Returns whether to split n-grams of the file. If the file has n-grams that can never match,
 * reports a warning in both cases.
 */
function isSplitWrongly(use: OnnxUse, key: string): boolean {
  if (!hasNoSpaces(use.row(0))) return false;
  const spaced = spacedTokens(use.flour.store, key, () => use.attributes.stringParameter('pool_strings'));
  if (spaced === 0) return false;
  use.warn(
    use.repairNgrams
      ? `${spaced} pool strings with a space were split into words (repairNgrams): the answers are the trainer's, NOT the file's`
      : `${spaced} pool strings hold a space and never match, because the exporter did not split these n-grams; repairNgrams splits them`,
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

/** Decodes the vocabulary of a family of models once. The checksum of its bytes identifies it. */
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
  if (!isSplitWrongly(use, key))
    return storedVocabulary(use, key, gramCounts, columnCount, () =>
      vocabularyInFile(
        use,
        gramCounts,
        columns instanceof Int32Array ? columns : Int32Array.from(columns),
        columnCount,
      ),
    );
  const tokens = use.attributes.strings('pool_strings');
  const pool = repaired({ tokens, gramCounts, columns: Array.from(columns) });
  return storedVocabulary(use, `${key}, repaired`, pool.gramCounts, columnCount, () => {
    const { tokens, gramCounts, columns } = pool;
    return compactVocabulary(tokens, gramCounts, Int32Array.from(columns), columnCount).parameters;
  });
}
