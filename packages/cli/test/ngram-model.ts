import { DataType, tensorInput } from '@brezel/onnx';
import { file, node } from '../../brezel/test/robustness/models.js';

/** A model that counts words, or n-grams of up to `most` words, in a text. */
export function ngramModel(tokenexp: string, terms: readonly string[], most = 1): Uint8Array {
  const tokenizer = { mark: { i: 0 }, mincharnum: { i: 1 }, pad_value: { s: '#' }, tokenexp: { s: tokenexp } };
  const counter = {
    mode: { s: 'TF' },
    min_gram_length: { i: 1 },
    max_gram_length: { i: most },
    max_skip_count: { i: 0 },
    ngram_counts: { ints: [0] },
    ngram_indexes: { ints: terms.map((_, index) => index) },
    pool_strings: { strings: [...terms] },
  };
  const nodes = [
    node('Tokenizer', ['text'], ['words'], tokenizer, 'com.microsoft'),
    node('Flatten', ['words'], ['flat']),
    node('TfIdfVectorizer', ['flat'], ['y'], counter),
  ];
  return file(nodes, [tensorInput('text', DataType.STRING, ['N'])], ['y']);
}
