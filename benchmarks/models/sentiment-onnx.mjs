import {
  DataType,
  makeGraph,
  makeModel,
  makeNode,
  makeStringTensor,
  makeTensor,
  tensorInput,
  writeModel,
} from '@brezel/onnx';
import { normal, randomOf } from './random.mjs';
import { WORD } from './reviews.mjs';

// Writes one sentiment pipeline as two ONNX graphs with the same answers. "natural" is the graph
// that exporters write. "expert" is the fastest graph that we could write by hand; it is the
// stronger baseline.

/** @typedef {import('./reviews.mjs').Dictionary} Dictionary */
/**
 * @typedef {{ words: Float32Array, pairs: Float32Array, characters: Float32Array, bias: number }}
 * Weights
 *   The weights of an SA model: one for each n-gram of its dictionary.
 */

const OPSETS = { '': 20, 'ai.onnx.ml': 3, 'com.microsoft': 1 };
const text = tensorInput('text', DataType.STRING, [undefined]);

/**
 * Draws the weights of SA model number `member`. A score adds about 900 weights and is mostly
 * within ±4.
 *
 * @param {Dictionary} dictionary
 * @returns {Weights}
 */
export function makeWeights(dictionary, member = 0) {
  const random = randomOf(9000 + member);
  const draw = (/** @type {unknown[]} */ list) => Float32Array.from(list, () => 0.06 * normal(random));
  return {
    words: draw(dictionary.words),
    pairs: draw(dictionary.pairs),
    characters: draw(dictionary.characters),
    bias: Math.fround(normal(random)),
  };
}

/**
 * @param {string} input
 * @param {string} output
 * @param {string} expression
 */
const tokenizer = (input, output, expression) =>
  makeNode(
    'Tokenizer',
    [input],
    [output],
    { mark: { i: 0 }, mincharnum: { i: 1 }, pad_value: { s: '#' }, tokenexp: { s: expression } },
    'com.microsoft',
  );

/**
 * Writes the graph that skl2onnx exports for two vectorizers and a logistic regression: Tokenizer →
 * TfIdfVectorizer for each branch → Concat → LinearClassifier (one row of weights for each class) →
 * Normalizer. Columns are in alphabetical order. The graph has no StringNormalizer, because this
 * operator needs an installed locale, and no idf or norm, because the expert graph has none.
 *
 * @param {Dictionary} dictionary
 * @param {Weights} weights
 * @returns {Uint8Array}
 */
export function naturalModel(dictionary, weights) {
  const words = wordVectorizer(dictionary);
  const characters = characterVectorizer(dictionary);
  const positive = new Float32Array(words.columns.length + characters.columns.length);
  words.columns.forEach((column, gram) => {
    positive[column] = gram < weights.words.length ? weights.words[gram] : weights.pairs[gram - weights.words.length];
  });
  characters.columns.forEach((column, gram) => (positive[words.columns.length + column] = weights.characters[gram]));
  const classifier = {
    classlabels_ints: { ints: [0, 1] },
    coefficients: {
      floats: concatenated(
        positive.map((weight) => -weight),
        positive,
      ),
    },
    intercepts: { floats: [-weights.bias, weights.bias] },
    multi_class: { i: 1 },
    post_transform: { s: 'LOGISTIC' },
  };
  return writeModel(
    makeModel(
      makeGraph({
        input: [text],
        output: [
          tensorInput('label', DataType.INT64, [undefined]),
          tensorInput('probabilities', DataType.FLOAT, [undefined, 2]),
        ],
        node: [
          tokenizer('text', 'words', WORD),
          words.node,
          tokenizer('text', 'characters', '.'),
          characters.node,
          makeNode('Concat', ['word_counts', 'character_counts'], ['features'], { axis: { i: 1 } }),
          makeNode('LinearClassifier', ['features'], ['label', 'scores'], classifier, 'ai.onnx.ml'),
          makeNode('Normalizer', ['scores'], ['probabilities'], { norm: { s: 'L1' } }, 'ai.onnx.ml'),
        ],
      }),
      OPSETS,
    ),
  );
}

/**
 * Returns a new array with the numbers of both arrays.
 *
 * @param {Float32Array} one
 * @param {Float32Array} other
 */
function concatenated(one, other) {
  const both = new Float32Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

/** @typedef {ReturnType<typeof vectorizer>} Vectorizer */

/**
 * The vectorizer for each list of n-grams. Vectorizers are cached, because 250 models share a few
 * dictionaries.
 *
 * @type {WeakMap<object, WeakMap<object, Vectorizer>>}
 */
const vectorizers = new WeakMap();

/**
 * Returns the cached vectorizer of two lists of n-grams. On first use, `make` creates it.
 *
 * @param {object} one
 * @param {object} other
 * @param {() => Vectorizer} make
 */
function madeOnce(one, other, make) {
  const found = vectorizers.get(one) ?? new WeakMap();
  const made = found.get(other) ?? make();
  vectorizers.set(one, found.set(other, made));
  return made;
}

/** @param {Dictionary} dictionary */
const wordVectorizer = ({ words, pairs }) =>
  madeOnce(words, pairs, () => vectorizer('words', 'word_counts', [1, 2], [words.map((word) => [word]), pairs]));

/** @param {Dictionary} dictionary */
const characterVectorizer = ({ characters }) =>
  madeOnce(characters, characters, () => {
    const grams = characters.map((gram) => [...gram]);
    return vectorizer('characters', 'character_counts', [3, 3], [[], [], grams]);
  });

/**
 * Writes a TfIdfVectorizer and returns the column of each n-gram.
 *
 * @param {string} input
 * @param {string} output
 * @param {number[]} range
 * @param {string[][][]} grams by n
 */
function vectorizer(input, output, [least, greatest], grams) {
  const keys = grams.flat().map((gram) => gram.join(' '));
  const order = Array.from(keys.keys()).sort((one, other) => (keys[one] < keys[other] ? -1 : 1));
  const columns = new Int32Array(keys.length);
  order.forEach((gram, column) => (columns[gram] = column));
  let start = 0;
  const starts = grams.map((list, index) => {
    const from = start;
    start += list.length * (index + 1);
    return from;
  });
  const node = makeNode('TfIdfVectorizer', [input], [output], {
    max_gram_length: { i: greatest },
    max_skip_count: { i: 0 },
    min_gram_length: { i: least },
    mode: { s: 'TF' },
    ngram_counts: { ints: starts },
    ngram_indexes: { ints: columns },
    pool_strings: { strings: grams.flat(2) },
    weights: { floats: new Float32Array(keys.length).fill(1) },
  });
  return { node, columns };
}

/**
 * Writes the expert graph. StringConcat joins n-grams, LabelEncoder maps each n-gram to its weight
 * (default 0), and ReduceSum adds the weights. The graph accepts one row in each run. No exporter
 * writes this graph.
 *
 * @param {Dictionary} dictionary
 * @param {Weights} weights
 * @returns {Uint8Array}
 */
export function expertModel(dictionary, weights) {
  const nodes = [tokenizer('text', 'words', WORD), tokenizer('text', 'characters', '.')];
  const apply = (
    /** @type {string} */ operator,
    /** @type {string[]} */ inputs,
    /** @type {string} */ output,
    attributes = {},
    domain = '',
  ) => {
    nodes.push(makeNode(operator, inputs, [output], attributes, domain));
    return output;
  };
  const from = (/** @type {string} */ list, /** @type {number} */ first) =>
    apply('Slice', [list, String(first), 'end', '1'], `${list}_from_${first}`);
  const drop = (/** @type {string} */ list, /** @type {number} */ last) =>
    apply('Slice', [list, '0', `-${last}`, '1'], `${list}_but_${last}`);
  const sum = (
    /** @type {string} */ list,
    /** @type {readonly string[]} */ keys,
    /** @type {Float32Array} */ values,
  ) => {
    const table = { keys_strings: { strings: keys }, values_floats: { floats: values }, default_float: { f: 0 } };
    const found = apply('LabelEncoder', [list], `${list}_weights`, table, 'ai.onnx.ml');
    return apply('ReduceSum', [found, '1'], `${list}_sum`, { keepdims: { i: 1 } });
  };
  const spaced = apply('StringConcat', [drop('words', 1), 'space'], 'spaced');
  const pairs = apply('StringConcat', [spaced, from('words', 1)], 'pairs');
  const twos = apply('StringConcat', [drop('characters', 2), from(drop('characters', 1), 1)], 'twos');
  const threes = apply('StringConcat', [twos, from('characters', 2)], 'threes');
  const sums = [
    sum('words', dictionary.words, weights.words),
    sum(
      pairs,
      dictionary.pairs.map((pair) => pair.join(' ')),
      weights.pairs,
    ),
    sum(threes, dictionary.characters, weights.characters),
  ];
  apply('Sum', [...sums, 'bias'], 'score');
  apply('Sigmoid', ['score'], 'probability');
  const numbers = [0, 1, 2, -1, -2].map((value) =>
    makeTensor(String(value), 'int64', [1], BigInt64Array.of(BigInt(value))),
  );
  const initializer = [
    ...numbers,
    makeTensor('end', 'int64', [1], BigInt64Array.of(2n ** 62n)),
    makeTensor('bias', 'float32', [1, 1], Float32Array.of(weights.bias)),
    makeStringTensor('space', [1], [' ']),
  ];
  const output = [tensorInput('probability', DataType.FLOAT, [undefined, 1])];
  return writeModel(makeModel(makeGraph({ input: [text], output, node: nodes, initializer }), OPSETS));
}

/**
 * Writes a graph that does nothing, to measure the fixed cost of an onnxruntime-node call.
 *
 * @returns {Uint8Array}
 */
export function emptyModel() {
  const output = [tensorInput('same', DataType.STRING, [undefined])];
  return writeModel(
    makeModel(makeGraph({ input: [text], output, node: [makeNode('Identity', ['text'], ['same'])] }), OPSETS),
  );
}
