import { float32 } from '../../define-op.js';
import type { Flow } from '../../flow.js';
import { type OnnxUse, onnxMappings } from '../../onnx-mapping.js';
import { weight } from '../weight/index.js';
import { compactVocabulary, type NgramOptions } from './index.js';

export const onnx = onnxMappings({
  domain: '',
  operator: 'TfIdfVectorizer',
  versions: [9, 25],
  raise(use) {
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
    // IDF: the weight of each n-gram that occurs. TFIDF: count times weight. Weights are given by n-gram, not by column.
    const byColumn = new Float32Array(
      options.vocabulary && 'columns' in options.vocabulary ? options.vocabulary.columns : 0,
    );
    const weights = attributes.floats('weights');
    attributes.ints('ngram_indexes').forEach((column, gram) => {
      byColumn[column] = weights[gram] ?? 1;
    });
    return [use.flour.apply(weight, [counts], { parameters: { weights: float32(byColumn) } })];
  },
});

function readVocabulary(use: OnnxUse) {
  const pool = use.attributes.strings('pool_strings');
  const starts = use.attributes.ints('ngram_counts');
  const columns = use.attributes.ints('ngram_indexes');
  // ngram_counts holds where the n-grams of each size start in the pool.
  const gramCounts = starts.map((start, index) => {
    const tokens = (starts[index + 1] ?? pool.length) - start;
    if (start < 0 || tokens < 0 || tokens % (index + 1) !== 0) {
      throw use.unsupported(
        `ngram_counts [${starts}] over ${pool.length} pool entries`,
        'the counts must ascend and cut the pool into whole n-grams',
      );
    }
    return tokens / (index + 1);
  });
  const total = gramCounts.reduce((sum, count) => sum + count, 0);
  if (total !== columns.length || columns.some((column) => column < 0)) {
    throw use.unsupported(
      `${columns.length} ngram_indexes for ${total} n-grams`,
      'each n-gram needs one column, 0 or greater',
    );
  }
  const columnCount = columns.reduce((most, column) => Math.max(most, column), -1) + 1;
  return compactVocabulary(pool, gramCounts, Int32Array.from(columns), columnCount);
}
