import {
  type AttributeValue,
  DataType,
  makeGraph,
  makeModel,
  makeNode,
  makeTensor,
  tensorInput,
  writeModel,
} from '@brezel/onnx';

export type Attributes = Readonly<Record<string, AttributeValue>>;
type Node = ReturnType<typeof makeNode>;
type Graph = Parameters<typeof makeGraph>[0];

export const TEXT = [tensorInput('text', DataType.STRING, ['N'])];
export const floats = (size: number | undefined, name = 'x') => [
  tensorInput(name, DataType.FLOAT, size === undefined ? ['N'] : ['N', size]),
];
const out = (name: string) => tensorInput(name, DataType.FLOAT, ['N', 'k']);

/** Builds a file with these nodes. `outputs` has the outputs by name. */
export function file(
  node: readonly Node[],
  input: Graph['input'],
  outputs: readonly string[],
  more: Graph = {},
  mlOpset = 3,
): Uint8Array {
  const opsets = { '': 17, 'ai.onnx.ml': mlOpset, 'com.microsoft': 1 };
  return writeModel(
    makeModel(makeGraph({ node: [...node], input: input!, output: outputs.map(out), ...more }), opsets),
  );
}

export const ml = (
  operator: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: Attributes = {},
) => makeNode(operator, inputs, outputs, attributes, 'ai.onnx.ml');
export const microsoft = (
  operator: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: Attributes = {},
) => makeNode(operator, inputs, outputs, attributes, 'com.microsoft');
export const node = makeNode;

const words: Attributes = { mark: { i: 0 }, tokenexp: { s: '[a-z]+' }, mincharnum: { i: 1 }, pad_value: { s: '#' } };
const vocabulary: Attributes = {
  mode: { s: 'TF' },
  min_gram_length: { i: 1 },
  max_gram_length: { i: 2 },
  max_skip_count: { i: 0 },
  ngram_counts: { ints: [0, 3] },
  ngram_indexes: { ints: [0, 1, 2, 3] },
  pool_strings: { strings: ['good', 'bad', 'a', 'not', 'good'] },
};

/**
 * A model that converts a text to tokens and n-grams. Attributes replace the defaults; undefined
 * removes an attribute.
 */
export const ngramModel = (
  attributes: Readonly<Record<string, AttributeValue | undefined>> = {},
  tokenizer: Readonly<Record<string, AttributeValue | undefined>> = {},
) =>
  file(
    [
      microsoft('Tokenizer', ['text'], ['tokens'], merged(words, tokenizer)),
      node('TfIdfVectorizer', ['tokens'], ['y'], merged(vocabulary, attributes)),
    ],
    TEXT,
    ['y'],
  );

function merged(base: Attributes, changes: Readonly<Record<string, AttributeValue | undefined>>): Attributes {
  return Object.fromEntries(
    Object.entries({ ...base, ...changes }).filter(
      (entry): entry is [string, AttributeValue] => entry[1] !== undefined,
    ),
  );
}

const linear: Attributes = {
  coefficients: { floats: [1, -2, 0.5, -1, 2, -0.5] },
  intercepts: { floats: [0.25, -0.25] },
  classlabels_ints: { ints: [0, 1] },
  post_transform: { s: 'LOGISTIC' },
};
/** A linear model with three features and two classes. */
export const linearModel = (attributes: Readonly<Record<string, AttributeValue | undefined>> = {}) =>
  file([ml('LinearClassifier', ['x'], ['label', 'y'], merged(linear, attributes))], floats(3), ['label', 'y']);

const trees: Attributes = {
  nodes_treeids: { ints: [0, 0, 0, 1] },
  nodes_nodeids: { ints: [0, 1, 2, 0] },
  nodes_featureids: { ints: [1, 0, 0, 0] },
  nodes_values: { floats: [0.5, 0, 0, 0] },
  nodes_modes: { strings: ['BRANCH_LEQ', 'LEAF', 'LEAF', 'LEAF'] },
  nodes_truenodeids: { ints: [1, 0, 0, 0] },
  nodes_falsenodeids: { ints: [2, 0, 0, 0] },
  nodes_missing_value_tracks_true: { ints: [1, 0, 0, 0] },
};
const classes: Attributes = {
  class_treeids: { ints: [0, 0, 1] },
  class_nodeids: { ints: [1, 2, 0] },
  class_ids: { ints: [0, 1, 2] },
  class_weights: { floats: [1, 2, 0.5] },
  classlabels_int64s: { ints: [5, 6, 7] },
  post_transform: { s: 'SOFTMAX' },
};
/** A forest with two features, two trees and three classes. */
export const treeModel = (attributes: Readonly<Record<string, AttributeValue | undefined>> = {}) =>
  file([ml('TreeEnsembleClassifier', ['x'], ['label', 'y'], merged({ ...trees, ...classes }, attributes))], floats(2), [
    'label',
    'y',
  ]);

const targets: Attributes = {
  target_treeids: { ints: [0, 0, 1] },
  target_nodeids: { ints: [1, 2, 0] },
  target_ids: { ints: [0, 1, 1] },
  target_weights: { floats: [1, 2, 0.5] },
  n_targets: { i: 2 },
};
export const regressorModel = (attributes: Readonly<Record<string, AttributeValue | undefined>> = {}) =>
  file([ml('TreeEnsembleRegressor', ['x'], ['y'], merged({ ...trees, ...targets }, attributes))], floats(2), ['y']);

/** A complete text pipeline, as exporters write it. */
export const pipelineModel = () =>
  file(
    [
      node('StringNormalizer', ['text'], ['lower'], {
        case_change_action: { s: 'LOWER' },
        is_case_sensitive: { i: 0 },
        stopwords: { strings: ['the', 'a'] },
      }),
      microsoft('Tokenizer', ['lower'], ['tokens'], words),
      node('TfIdfVectorizer', ['tokens'], ['counts'], vocabulary),
      microsoft('Tokenizer', ['lower'], ['letters'], {
        mark: { i: 0 },
        separators: { strings: [''] },
        mincharnum: { i: 1 },
        pad_value: { s: '#' },
      }),
      node('TfIdfVectorizer', ['letters'], ['chars'], {
        ...vocabulary,
        pool_strings: { strings: ['a', 'b', 'g', 'o', 'o'] },
      }),
      node('Mul', ['counts', 'idf'], ['weighted']),
      ml('Normalizer', ['weighted'], ['normed'], { norm: { s: 'L2' } }),
      node('Concat', ['normed', 'chars'], ['features'], { axis: { i: 1 } }),
      ml('LinearClassifier', ['features'], ['label', 'scores'], {
        coefficients: { floats: Array.from({ length: 16 }, (_, at) => (at - 7) / 4) },
        intercepts: { floats: [0.5, -0.5] },
        classlabels_strings: { strings: ['no', 'yes'] },
        post_transform: { s: 'SOFTMAX' },
      }),
      ml('ZipMap', ['scores'], ['probabilities'], { classlabels_strings: { strings: ['no', 'yes'] } }),
    ],
    TEXT,
    ['label', 'probabilities'],
    { initializer: [makeTensor('idf', 'float32', [4], Float32Array.of(1, 2, 3, 4))] },
  );

/** A model that passes numbers through every operator on columns. */
export const columnsModel = () =>
  file(
    [
      ml('ArrayFeatureExtractor', ['x', 'columns'], ['some']),
      node('Slice', ['x', 'starts', 'ends', 'axes', 'steps'], ['cut']),
      node('Concat', ['some', 'cut'], ['joined'], { axis: { i: 1 } }),
      node('Sub', ['joined', 'mean'], ['centred']),
      node('Div', ['centred', 'mean'], ['scaled']),
      node('ReduceSum', ['scaled', 'axes'], ['sum'], { keepdims: { i: 1 } }),
      node('Greater', ['scaled', 'zero'], ['positive']),
      node('Cast', ['positive'], ['ones'], { to: { i: 1 } }),
      node('Softmax', ['scaled'], ['soft'], { axis: { i: 1 } }),
      node('ArgMax', ['soft'], ['best'], { axis: { i: 1 }, keepdims: { i: 0 } }),
      ml('ArrayFeatureExtractor', ['labels', 'best'], ['label']),
      node('Exp', ['sum'], ['e']),
      node('Reshape', ['e', 'shape'], ['flat']),
    ],
    floats(4),
    ['ones', 'soft', 'label', 'flat'],
    {
      initializer: [
        makeTensor('columns', 'int64', [2], BigInt64Array.of(3n, 0n)),
        makeTensor('starts', 'int64', [1], BigInt64Array.of(-1n)),
        makeTensor('ends', 'int64', [1], BigInt64Array.of(-4n)),
        makeTensor('axes', 'int64', [1], BigInt64Array.of(1n)),
        makeTensor('steps', 'int64', [1], BigInt64Array.of(-2n)),
        makeTensor('mean', 'float32', [1, 4], Float32Array.of(1, 0, -1, 2)),
        makeTensor('zero', 'float32', [], Float32Array.of(0)),
        makeTensor('labels', 'int64', [4], BigInt64Array.of(4n, 3n, 2n, 1n)),
        makeTensor('shape', 'int64', [1], BigInt64Array.of(-1n)),
      ],
    },
  );
