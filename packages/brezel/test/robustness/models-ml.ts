import { DataType, makeStringTensor, makeTensor, mapInput, tensorInput } from '@brezel/onnx';
import { type Attributes, file, floats, ml, node, TEXT } from './models.js';

// Small models with the operators of ai.onnx.ml that scale, encode, vote and read maps. Tests
// mutate the files.

const strings = (...list: string[]) => ({ strings: list });
const ints = (...list: number[]) => ({ ints: list });
const reals = (...list: number[]) => ({ floats: list });
const texts = (size: number) => [tensorInput('words', DataType.STRING, ['N', size])];
const integers = (size: number) => [tensorInput('i', DataType.INT64, ['N', size])];
const doubles = (...list: number[]) => ({ t: makeTensor('', 'float64', [list.length], Float64Array.from(list)) });

/**
 * A model that handles missing values, scales, compares with thresholds, and encodes categories of
 * numbers and texts.
 */
const preprocessing = () =>
  file(
    [
      ml('Imputer', ['x'], ['whole'], {
        imputed_value_floats: reals(1, 2, 3),
        replaced_value_float: { f: Number.NaN },
      }),
      ml('Scaler', ['whole'], ['scaled'], { offset: reals(0.5, 0, -1), scale: reals(2, 1, 0.5) }),
      ml('Binarizer', ['scaled'], ['bits'], { threshold: { f: 0.25 } }),
      ml('OneHotEncoder', ['words'], ['hot'], { cats_strings: strings('a', 'good', ''), zeros: { i: 1 } }),
      ml('OneHotEncoder', ['i'], ['warm'], { cats_int64s: ints(0, -1, 2), zeros: { i: 1 } }),
      ml('LabelEncoder', ['words'], ['codes'], {
        keys_strings: strings('a', 'good'),
        values_floats: reals(1.5, -2),
        default_float: { f: -1 },
      }),
      ml('FeatureVectorizer', ['bits', 'hot', 'codes', 'warm'], ['features'], { inputdimensions: ints(3, 6, 2, 3) }),
      ml('Normalizer', ['features'], ['y'], { norm: { s: 'MAX' } }),
    ],
    [...floats(3), ...texts(2), ...integers(1)],
    ['y'],
  );

/** A model with every pair of types that encoders support. */
const encoders = () =>
  file(
    [
      ml('CategoryMapper', ['words'], ['n'], {
        cats_strings: strings('a', 'good'),
        cats_int64s: ints(4, 5),
        default_int64: { i: -1 },
      }),
      ml('LabelEncoder', ['n'], ['names'], {
        keys_int64s: ints(4, 5, -1),
        values_strings: strings('x', 'y', 'z'),
        default_string: { s: 'none' },
      }),
      ml('LabelEncoder', ['names'], ['again'], {
        keys_tensor: { t: makeStringTensor('', [2], ['x', 'z']) },
        values_tensor: doubles(0.25, Number.NaN),
        default_tensor: doubles(7),
      }),
      node('Cast', ['names'], ['same'], { to: { i: DataType.STRING } }),
      node('Cast', ['n'], ['small'], { to: { i: DataType.UINT8 } }),
      node('Cast', ['small'], ['shown'], { to: { i: DataType.STRING } }),
      node('Cast', ['shown'], ['read'], { to: { i: DataType.FLOAT } }),
    ],
    texts(2),
    ['again', 'same', 'read'],
    {},
    4,
  );

const machine: Attributes = {
  kernel_type: { s: 'RBF' },
  kernel_params: reals(0.5, 1, 3),
  support_vectors: reals(1, 0, 0, 1, -1, 2),
  coefficients: reals(1, 0.5, -1.5),
  rho: reals(0.25),
};
const machines = () =>
  file(
    [
      ml('SVMClassifier', ['x'], ['label', 'p'], {
        ...machine,
        vectors_per_class: ints(2, 1),
        prob_a: reals(-1),
        prob_b: reals(0.1),
        classlabels_ints: ints(3, 4),
        post_transform: { s: 'NONE' },
      }),
      ml('SVMRegressor', ['x'], ['y'], { ...machine, n_supports: { i: 3 }, post_transform: { s: 'NONE' } }),
      ml('LinearRegressor', ['x'], ['z'], {
        coefficients: reals(1, 2, 3, 4),
        intercepts: reals(0.5, -0.5),
        targets: { i: 2 },
        post_transform: { s: 'PROBIT' },
      }),
    ],
    floats(2),
    ['label', 'p', 'y', 'z'],
  );

/** A model with two trees that share a leaf, and a test of set membership. */
const ensemble5 = () =>
  file(
    [
      ml('TreeEnsemble', ['x'], ['y'], {
        n_targets: { i: 2 },
        aggregate_function: { i: 1 },
        post_transform: { i: 0 },
        tree_roots: ints(0, 1),
        nodes_featureids: ints(0, 1, 0),
        nodes_modes: { t: makeTensor('', 'int32', [3], Int32Array.of(0, 6, 3)) },
        nodes_splits: doubles(0.5, 0, -1),
        membership_values: doubles(1, 2, Number.NaN),
        nodes_truenodeids: ints(0, 2, 1),
        nodes_trueleafs: ints(1, 0, 1),
        nodes_falsenodeids: ints(1, 2, 0),
        nodes_falseleafs: ints(1, 1, 1),
        nodes_missing_value_tracks_true: ints(0, 1, 0),
        leaf_targetids: ints(0, 1, 0),
        leaf_weights: doubles(1, -2, 0.5),
      }),
    ],
    [tensorInput('x', DataType.DOUBLE, ['N', 2])],
    ['y'],
    {},
    5,
  );

/** A model with a float64 forest that averages its trees. */
const doublesForest = () =>
  file(
    [
      ml('TreeEnsembleRegressor', ['x'], ['y'], {
        aggregate_function: { s: 'AVERAGE' },
        nodes_treeids: ints(0, 0, 0),
        nodes_nodeids: ints(0, 1, 2),
        nodes_featureids: ints(1, 0, 0),
        nodes_values_as_tensor: doubles(0.5, 0, 0),
        nodes_modes: strings('BRANCH_NEQ', 'LEAF', 'LEAF'),
        nodes_truenodeids: ints(1, 0, 0),
        nodes_falsenodeids: ints(2, 0, 0),
        target_treeids: ints(0, 0),
        target_nodeids: ints(1, 2),
        target_ids: ints(0, 0),
        target_weights_as_tensor: doubles(1, 2),
        base_values_as_tensor: doubles(0.5),
        n_targets: { i: 1 },
      }),
    ],
    [tensorInput('x', DataType.DOUBLE, ['N', 2])],
    ['y'],
  );

const maps = () =>
  file(
    [
      ml('DictVectorizer', ['m'], ['v'], { string_vocabulary: strings('a', 'good', '') }),
      ml('Scaler', ['v'], ['y'], { offset: reals(1), scale: reals(2) }),
      ml('CastMap', ['k'], ['z'], { cast_to: { s: 'TO_INT64' }, map_form: { s: 'SPARSE' }, max_map: { i: 4 } }),
      ml('DictVectorizer', ['k'], ['w'], { int64_vocabulary: ints(0, 3, -1) }),
    ],
    [mapInput('m', DataType.STRING, DataType.FLOAT), mapInput('k', DataType.INT64, DataType.STRING)],
    ['y', 'z', 'w'],
  );

/** A model that converts texts to categories, numbers and hashes. */
const wordsModel = () =>
  file(
    [
      node('StringNormalizer', ['text'], ['low'], { case_change_action: { s: 'UPPER' }, is_case_sensitive: { i: 1 } }),
      ml('LabelEncoder', ['low'], ['code'], {
        keys_strings: strings('A', 'GOOD'),
        values_int64s: ints(1, 2),
        default_int64: { i: 0 },
      }),
      node('Cast', ['code'], ['bit'], { to: { i: DataType.BOOL } }),
      node('Cast', ['code'], ['tiny'], { to: { i: DataType.INT8 } }),
      node('Cast', ['code'], ['name'], { to: { i: DataType.STRING } }),
    ],
    TEXT,
    ['bit', 'tiny', 'name'],
  );

export const mlModels = (): Uint8Array[] => [
  preprocessing(),
  encoders(),
  machines(),
  ensemble5(),
  doublesForest(),
  maps(),
  wordsModel(),
];
