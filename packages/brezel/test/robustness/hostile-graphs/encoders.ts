import { type AttributeValue, makeStringTensor, makeTensor } from '@brezel/onnx';
import { file, floats, ml, TEXT } from '../models.js';
import { type Case, int64, ints, REFUSED, WEIGHT } from './case.js';

const floatsOf = (...values: number[]) => ({ floats: values });
const strings = (...values: string[]) => ({ strings: values });
const text = (operator: string, attributes: Record<string, AttributeValue>) => () =>
  file([ml(operator, ['text'], ['y'], attributes)], TEXT, ['y']);
const row = (operator: string, attributes: Record<string, AttributeValue>) => () =>
  file([ml(operator, ['x'], ['y'], attributes)], floats(2), ['y']);
const { NaN: nan } = Number;

/** Files with scalers, imputers and encoders of categories. */
export const encoders: readonly Case[] = [
  ['a Scaler of one number each', row('Scaler', { offset: floatsOf(1), scale: floatsOf(2) }), 'works'],
  ['a Scaler of NaN', row('Scaler', { offset: floatsOf(nan), scale: floatsOf(nan, 0) }), WEIGHT],
  ['a Scaler without scale', row('Scaler', { offset: floatsOf(1) }), REFUSED],
  ['a Scaler of three numbers for two', row('Scaler', { offset: floatsOf(1, 2, 3), scale: floatsOf(2) }), REFUSED],
  ['a Scaler of nothing', row('Scaler', { offset: floatsOf(), scale: floatsOf() }), REFUSED],
  ['a Scaler of text', text('Scaler', { offset: floatsOf(1), scale: floatsOf(2) }), REFUSED],
  ['an Imputer', row('Imputer', { imputed_value_floats: floatsOf(1), replaced_value_float: { f: nan } }), 'works'],
  ['an Imputer of numbers over text', text('Imputer', { imputed_value_floats: floatsOf(1) }), REFUSED],
  ['an Imputer without values', row('Imputer', { replaced_value_float: { f: nan } }), REFUSED],
  ['an Imputer of integers over floats', row('Imputer', { imputed_value_int64s: ints(1) }), REFUSED],
  ['an Imputer of three values', row('Imputer', { imputed_value_floats: floatsOf(1, 2, 3) }), REFUSED],
  ['a Binarizer at NaN', row('Binarizer', { threshold: { f: nan } }), WEIGHT],
  ['a OneHotEncoder without categories', text('OneHotEncoder', {}), REFUSED],
  ['a OneHotEncoder of an empty list', text('OneHotEncoder', { cats_strings: strings() }), REFUSED],
  ['a OneHotEncoder of both', text('OneHotEncoder', { cats_strings: strings('a'), cats_int64s: ints(1) }), REFUSED],
  ['a category twice', text('OneHotEncoder', { cats_strings: strings('a', 'b', 'a') }), REFUSED],
  ['an integer twice', row('OneHotEncoder', { cats_int64s: ints(1, 1) }), REFUSED],
  ['integers for text', text('OneHotEncoder', { cats_int64s: ints(1) }), 'works'],
  ['a category of 2^60', row('OneHotEncoder', { cats_int64s: ints(2n ** 60n) }), REFUSED],
  ['a huge category', text('OneHotEncoder', { cats_strings: strings('x'.repeat(2 ** 20), '') }), 'works'],
  ['keys without values', text('LabelEncoder', { keys_strings: strings('a') }), REFUSED],
  ['no keys', text('LabelEncoder', { values_int64s: ints(1) }), REFUSED],
  ['keys of an empty list', text('LabelEncoder', { keys_strings: strings(), values_int64s: ints() }), REFUSED],
  ['two keys, one value', text('LabelEncoder', { keys_strings: strings('a', 'b'), values_int64s: ints(1) }), REFUSED],
  ['a key twice', text('LabelEncoder', { keys_strings: strings('a', 'a'), values_int64s: ints(1, 2) }), REFUSED],
  ['float keys for text', text('LabelEncoder', { keys_floats: floatsOf(1), values_int64s: ints(1) }), REFUSED],
  ['text keys for floats', row('LabelEncoder', { keys_strings: strings('a'), values_int64s: ints(1) }), REFUSED],
  [
    'a default of another type',
    text('LabelEncoder', {
      keys_tensor: { t: makeStringTensor('k', [1], ['a']) },
      values_tensor: { t: makeTensor('v', 'float32', [1], Float32Array.of(1)) },
      default_tensor: { t: makeStringTensor('d', [1], ['b']) },
    }),
    REFUSED,
  ],
  [
    'two defaults',
    text('LabelEncoder', {
      keys_strings: strings('a'),
      values_tensor: { t: int64('v', 1) },
      default_tensor: { t: int64('d', 1, 2) },
    }),
    REFUSED,
  ],
  [
    'a mapper of unlike lists',
    text('CategoryMapper', { cats_strings: strings('a'), cats_int64s: ints(1, 2) }),
    REFUSED,
  ],
  ['a FeatureVectorizer of other sizes', row('FeatureVectorizer', { inputdimensions: ints(3) }), REFUSED],
  ['a FeatureVectorizer of text', text('FeatureVectorizer', {}), REFUSED],
  ['a Normalizer of text', text('Normalizer', {}), REFUSED],
  ['linear coefficients of text', text('LinearRegressor', { coefficients: floatsOf(1) }), REFUSED],
];
