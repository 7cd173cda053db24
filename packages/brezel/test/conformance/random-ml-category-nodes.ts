import { type AttributeValue, makeNode, makeTensor } from '@brezel/onnx';
import fc from 'fast-check';
import type { ElementType } from './against-onnxruntime.js';
import { anyWord, type Case, column, floats, ints, of, rowsOf, strings, tame, whole, words } from './random-ml-node.js';

// Operators on categories. They look up or hash texts and numbers.

const oneHot: Case = [
  'OneHotEncoder',
  fc
    .tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom<ElementType>('string', 'int64', 'float32', 'float64'))
    .chain(([size, type]) =>
      rowsOf(size, type === 'string' ? anyWord : type === 'int64' ? whole : tame).map((rows) =>
        of(
          'OneHotEncoder',
          type,
          rows,
          type === 'string' ? { cats_strings: strings(words) } : { cats_int64s: ints(3, 0, -1, 2) },
          { y: 'float32' },
        ),
      ),
    ),
];

const oneHotStrict: Case = [
  'OneHotEncoder with zeros=0 over known categories',
  rowsOf(1, fc.constantFrom(...words)).map((rows) =>
    of('OneHotEncoder', 'string', rows, { cats_strings: strings(words), zeros: { i: 0 } }, { y: 'float32' }),
  ),
];

/** Keys, values and defaults of each type, under the attribute names of LabelEncoder. */
const encoders = {
  string: {
    name: 'strings',
    keys: words,
    values: ['x', 'y', '', 'zz', 'x'],
    default: 'string',
    otherwise: { s: 'other' },
  },
  int64: { name: 'int64s', keys: [3, -2, 0, 1, 4], values: [7, 7, -1, 0, 3], default: 'int64', otherwise: { i: 9 } },
  float32: {
    name: 'floats',
    keys: [0.5, Number.NaN, 0, 3, -1],
    values: [1.5, Number.NaN, 0, 2, 3],
    default: 'float',
    otherwise: { f: -7.5 },
  },
} as const;
type Encodable = keyof typeof encoders;
const encodable = fc.constantFrom<Encodable>('string', 'int64', 'float32');

const labelEncoder: Case = [
  'LabelEncoder',
  fc
    .tuple(encodable, encodable, fc.boolean(), fc.integer({ min: 1, max: 3 }), fc.constantFrom(2, 4))
    .chain(([from, to, hasDefault, size, opset]) => {
      const element = {
        string: anyWord,
        int64: whole,
        float32: fc.oneof(fc.constantFrom(0.5, Number.NaN, -0, 3, -1), tame),
      }[from];
      const [keys, values] = [encoders[from], encoders[to]];
      const attribute = (content: readonly (string | number)[], type: Encodable): AttributeValue =>
        type === 'string'
          ? strings(content as string[])
          : type === 'int64'
            ? ints(content as number[])
            : floats(content as number[]);
      return rowsOf(size, element).map((rows) =>
        of(
          'LabelEncoder',
          from,
          rows,
          {
            [`keys_${keys.name}`]: attribute(keys.keys, from),
            [`values_${values.name}`]: attribute(values.values, to),
            ...(hasDefault && { [`default_${values.default}`]: values.otherwise }),
          },
          { y: to },
          { opset },
        ),
      );
    }),
];

const doubleEncoder: Case = [
  'LabelEncoder over double tensors',
  rowsOf(2, fc.constantFrom(0.5, 1, 2.25, Number.NaN, 9)).map((rows) =>
    of(
      'LabelEncoder',
      'float64',
      rows,
      {
        keys_tensor: { t: makeTensor('k', 'float64', [3], Float64Array.of(0.5, 2.25, 1)) },
        values_tensor: { t: makeTensor('v', 'float64', [3], Float64Array.of(1e300, 0.1, -3)) },
        default_tensor: { t: makeTensor('d', 'float64', [1], Float64Array.of(4.5)) },
      },
      { y: 'float64' },
      { opset: 4 },
    ),
  ),
];

const mapper: Case = [
  'CategoryMapper',
  fc.boolean().chain((isToText) =>
    rowsOf(2, isToText ? whole : anyWord).map((rows) =>
      of(
        'CategoryMapper',
        isToText ? 'int64' : 'string',
        rows,
        {
          cats_strings: strings(words),
          cats_int64s: ints(3, -2, 0, 1, 4),
          default_string: { s: 'none' },
          default_int64: { i: -5 },
        },
        { y: isToText ? 'string' : 'int64' },
      ),
    ),
  ),
];

const murmur: Case = [
  'MurmurHash3 of com.microsoft',
  fc
    .tuple(fc.constantFrom<ElementType>('string', 'int32', 'int64', 'float32', 'float64'), fc.nat(2 ** 31 - 1))
    .chain(([type, seed]) =>
      rowsOf(
        2,
        type === 'string' ? fc.constantFrom(...words, 'abc', 'é', '😀') : type.startsWith('float') ? tame : whole,
      ).map((rows) => ({
        inputs: { x: column(type, rows) },
        nodes: [makeNode('MurmurHash3', ['x'], ['y'], { seed: { i: seed }, positive: { i: 0 } }, 'com.microsoft')],
        outputs: { y: 'int32' as const },
      })),
    ),
];

export const categoryNodes: readonly Case[] = [oneHot, oneHotStrict, labelEncoder, doubleEncoder, mapper, murmur];
