import { DataType, makeGraph, makeModel, makeNode, makeTensor, tensorInput, writeModel } from '@brezel/onnx';

// Trains the pipeline of docs/guides/getting-started.md as scikit-learn does, because the tests run
// without Python.

/** The texts that `train.py` of the page trains with. A label is 1 for a good text. */
export interface Texts {
  readonly good: readonly string[];
  readonly bad: readonly string[];
}

/** Reads the lists `good` and `bad` from the Python code of a page. */
export function textsOf(page: string): Texts {
  const list = (name: string): string[] => JSON.parse(page.match(new RegExp(`^${name} = (\\[.*\\])$`, 'm'))![1]!);
  return { good: list('good'), bad: list('bad') };
}

const wordsOf = (text: string) => text.toLowerCase().match(/[a-zA-Z0-9_]+/g) ?? [];

/** Returns the words and pairs of words of a text, as `ngram_range=(1, 2)` does. */
function ngramsOf(text: string): string[] {
  const words = wordsOf(text);
  return [...words, ...words.slice(1).map((word, index) => `${words[index]} ${word}`)];
}

const dot = (one: readonly number[], other: readonly number[]) =>
  one.reduce((sum, value, index) => sum + value * other[index]!, 0);

/**
 * Returns the ONNX file of `TfidfVectorizer` and `LogisticRegression` with their defaults: smoothed
 * idf, L2 norm, and C = 1. The nodes are the nodes that skl2onnx writes.
 */
export function trainFilmModel({ good, bad }: Texts): Uint8Array {
  const texts = [...good, ...bad];
  const ngrams = [...new Set(texts.flatMap(ngramsOf))].sort(bySizeThenText);
  const idf = ngrams.map((ngram) => {
    const containing = texts.filter((text) => ngramsOf(text).includes(ngram)).length;
    return Math.log((1 + texts.length) / (1 + containing)) + 1;
  });
  const rows = texts.map((text) => {
    const found = ngramsOf(text);
    const weighted = ngrams.map((ngram, index) => found.filter((one) => one === ngram).length * idf[index]!);
    const norm = Math.hypot(...weighted);
    return weighted.map((value) => value / norm);
  });
  const { weights, bias } = logisticRegression(
    rows,
    texts.map((_, index) => (index < good.length ? 1 : 0)),
  );
  return filmModel(ngrams, idf, weights, bias);
}

/** Sorts words before pairs of words, as TfIdfVectorizer of ONNX expects. */
const bySizeThenText = (one: string, other: string) =>
  one.split(' ').length - other.split(' ').length || (one < other ? -1 : 1);

/** Minimizes the log loss plus half the squared weights, by gradient descent. */
function logisticRegression(rows: readonly (readonly number[])[], labels: readonly number[]) {
  const step = 0.2;
  let weights = rows[0]!.map(() => 0);
  let bias = 0;
  for (let round = 0; round < 400; round++) {
    const errors = rows.map((row, index) => 1 / (1 + Math.exp(-dot(row, weights) - bias)) - labels[index]!);
    const gradient = weights.map(
      (weight, column) =>
        weight +
        dot(
          errors,
          rows.map((row) => row[column]!),
        ),
    );
    weights = weights.map((weight, column) => weight - step * gradient[column]!);
    bias -= step * errors.reduce((sum, error) => sum + error, 0);
  }
  return { weights, bias };
}

function filmModel(ngrams: readonly string[], idf: readonly number[], weights: readonly number[], bias: number) {
  const words = ngrams.filter((ngram) => !ngram.includes(' '));
  const ml = 'ai.onnx.ml';
  return writeModel(
    makeModel(
      makeGraph({
        input: [tensorInput('text', DataType.STRING, [undefined])],
        node: [
          makeNode('Reshape', ['text', 'shape'], ['flat']),
          makeNode('StringNormalizer', ['flat'], ['lower'], {
            case_change_action: { s: 'LOWER' },
            is_case_sensitive: { i: 0 },
          }),
          makeNode(
            'Tokenizer',
            ['lower'],
            ['tokens'],
            { mark: { i: 0 }, mincharnum: { i: 1 }, pad_value: { s: '#' }, tokenexp: { s: '[a-zA-Z0-9_]+' } },
            'com.microsoft',
          ),
          makeNode('Flatten', ['tokens'], ['words']),
          makeNode('TfIdfVectorizer', ['words'], ['counts'], {
            max_gram_length: { i: 2 },
            max_skip_count: { i: 0 },
            min_gram_length: { i: 1 },
            mode: { s: 'TF' },
            ngram_counts: { ints: [0, words.length] },
            ngram_indexes: { ints: ngrams.map((_, index) => index) },
            pool_strings: { strings: ngrams.flatMap((ngram) => ngram.split(' ')) },
            weights: { floats: ngrams.map(() => 1) },
          }),
          makeNode('Mul', ['counts', 'idf'], ['tfidf']),
          makeNode('Normalizer', ['tfidf'], ['normalized'], { norm: { s: 'L2' } }, ml),
          makeNode(
            'LinearClassifier',
            ['normalized'],
            ['label', 'scores'],
            {
              classlabels_ints: { ints: [0, 1] },
              coefficients: { floats: [...weights.map((weight) => -weight), ...weights] },
              intercepts: { floats: [-bias, bias] },
              multi_class: { i: 1 },
              post_transform: { s: 'LOGISTIC' },
            },
            ml,
          ),
          makeNode('Normalizer', ['scores'], ['probabilities'], { norm: { s: 'L1' } }, ml),
        ],
        initializer: [
          makeTensor('shape', 'int64', [1], BigInt64Array.of(-1n)),
          makeTensor('idf', 'float32', [ngrams.length], Float32Array.from(idf)),
        ],
        output: [
          tensorInput('label', DataType.INT64, [undefined]),
          tensorInput('probabilities', DataType.FLOAT, [undefined, 2]),
        ],
      }),
      { '': 17, [ml]: 3, 'com.microsoft': 1 },
    ),
  );
}
