import { dtypeOf } from '@brezel/core';
import type { Flow } from '../../flow.js';
import { type OnnxConstant, type OnnxUse, onnxMappings } from '../../onnx-mapping.js';
import '../../ops/cast/index.js';
import type { EncodedType, LabelEncodeOptions } from './index.js';

type Column = { readonly dtype: EncodedType; readonly values: readonly (string | number | bigint)[] };

export const onnx = onnxMappings(
  {
    domain: 'ai.onnx.ml',
    operator: 'LabelEncoder',
    versions: [1, 5],
    convert: (use) => [
      encoded(use, use.opset === 1 && use.attributes.has('classes_strings') ? byPlace(use) : byKey(use)),
    ],
  },
  {
    domain: 'ai.onnx.ml',
    operator: 'CategoryMapper',
    versions: [1, 5],
    convert: (use) => [encoded(use, between(use, strings(use, 'cats_strings'), integers(use, 'cats_int64s')))],
  },
);

function encoded(use: OnnxUse, { keys, values, otherwise }: { keys: Column; values: Column; otherwise: Column }): Flow {
  const flow = use.row(0) as Flow<'vector'>;
  if (keys.values.length !== values.values.length)
    throw use.invalid('a value for each key', `${keys.values.length} keys and ${values.values.length} values`);
  if (otherwise.values.length !== 1 || (otherwise.dtype === 'string') !== (values.dtype === 'string'))
    throw use.invalid(`a default of type ${values.dtype}, as the values`, otherwise.dtype);
  if ((dtypeOf(flow.type) === 'string') !== (keys.dtype === 'string'))
    throw use.invalid(`keys of type ${dtypeOf(flow.type)}, as the input`, keys.dtype);
  const same = dtypeOf(flow.type) === keys.dtype || keys.dtype === 'string';
  const source = same ? flow : flow.cast(keys.dtype as Exclude<EncodedType, 'string'>);
  return source.labelEncode({
    keys: keys.values as LabelEncodeOptions['keys'],
    values: values.values as LabelEncodeOptions['values'],
    otherwise: otherwise.values[0]!,
    type: values.dtype,
  });
}

/**
 * Returns the mapping of LabelEncoder version 1. For texts, it maps each string of
 * `classes_strings` to its index; for integers, it maps each index to its string.
 */
function byPlace(use: OnnxUse) {
  const names = strings(use, 'classes_strings');
  return between(use, names, { dtype: 'int64', values: names.values.map((_, place) => place) });
}

/**
 * Returns the mapping from `names` to `numbers` if the input holds strings, and the mapping from
 * `numbers` to `names` otherwise.
 */
function between(use: OnnxUse, names: Column, numbers: Column) {
  const isToText = dtypeOf(use.row(0).type) !== 'string';
  const otherwise = isToText
    ? defaultOf('string', use.attributes.string('default_string', '_Unused'))
    : defaultOf('int64', use.attributes.int('default_int64', -1));
  return isToText ? { keys: numbers, values: names, otherwise } : { keys: names, values: numbers, otherwise };
}

const defaultOf = (dtype: EncodedType, value: string | number): Column => ({ dtype, values: [value] });

/**
 * Returns the mapping of LabelEncoder version 2 or later. The names of the attributes determine the
 * types of keys and values. From version 4 on, keys and values may be tensors of any type.
 */
function byKey(use: OnnxUse) {
  const [keys, values] = withoutNaN(use, typed(use, 'keys'), typed(use, 'values'));
  if (use.attributes.has('default_tensor')) {
    const given = use.attributes.tensor('default_tensor')!;
    if (given.dtype !== values.dtype && (given.dtype === 'string' || values.dtype === 'string'))
      throw use.unsupported(`a default of type ${given.dtype} for values of ${values.dtype}`);
    return { keys, values, otherwise: { dtype: values.dtype, values: elements(given) } };
  }
  const { attributes } = use;
  switch (values.dtype) {
    case 'string':
      return { keys, values, otherwise: defaultOf('string', attributes.string('default_string', '_Unused')) };
    case 'float32':
      return { keys, values, otherwise: defaultOf('float32', attributes.float('default_float', -0)) };
    case 'float64':
      return { keys, values, otherwise: defaultOf('float64', -0) };
    default:
      return { keys, values, otherwise: defaultOf(values.dtype, attributes.int('default_int64', -1)) };
  }
}

/**
 * Removes NaN keys from a LabelEncoder before version 4, because NaN equals no key in these
 * versions. Since version 4, a NaN key matches a NaN input.
 */
function withoutNaN(use: OnnxUse, keys: Column, values: Column): [keys: Column, values: Column] {
  const isKept = (_: unknown, at: number) => !Number.isNaN(keys.values[at]);
  if (use.opset >= 4 || keys.values.every(isKept)) return [keys, values];
  return [
    { ...keys, values: keys.values.filter(isKept) },
    { ...values, values: values.values.filter(isKept) },
  ];
}

function typed(use: OnnxUse, what: 'keys' | 'values'): Column {
  const { attributes } = use;
  if (attributes.has(`${what}_tensor`)) {
    const tensor = attributes.tensor(`${what}_tensor`)!;
    return { dtype: tensor.dtype, values: elements(tensor) };
  }
  if (attributes.has(`${what}_strings`)) return strings(use, `${what}_strings`);
  if (attributes.has(`${what}_int64s`)) return integers(use, `${what}_int64s`);
  if (attributes.has(`${what}_floats`)) return { dtype: 'float32', values: [...attributes.floats(`${what}_floats`)] };
  throw use.invalid(`${what}_strings, ${what}_int64s, ${what}_floats or ${what}_tensor`, 'none');
}

const elements = (tensor: OnnxConstant) => Array.from(tensor.data as ArrayLike<string | number | bigint>);
const strings = (use: OnnxUse, name: string): Column => ({ dtype: 'string', values: use.attributes.strings(name) });
const integers = (use: OnnxUse, name: string): Column => ({ dtype: 'int64', values: use.attributes.ints(name) });
