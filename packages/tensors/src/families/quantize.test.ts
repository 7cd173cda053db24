import { describe } from 'vitest';
import { floats, ints, nodeCases, tensor } from '../../test/one-node.js';

const { NaN: nan, POSITIVE_INFINITY: infinite } = Number;
const bytes = (values: readonly number[], shape?: number[]) => tensor('uint8', values, shape);
const small = (values: readonly number[], shape?: number[]) => tensor('int8', values, shape);
const wide = (values: readonly number[], shape?: number[]) => tensor('int32', values, shape);
const one = (value: number) => floats([value], []);
const zero = (value: number) => bytes([value], []);

describe('QuantizeLinear', () => {
  nodeCases('QuantizeLinear', {}, [
    ['halves to even, at most the range', [floats([1, 3, 5, -9, 900]), one(2), zero(3)], [bytes([3, 5, 5, 0, 255])]],
    ['no zero point', [floats([-4, 4]), one(2)], [bytes([0, 2])]],
    [
      'a NaN is the zero point, infinite is the end',
      [floats([nan, infinite, -infinite]), one(1), zero(7)],
      [bytes([7, 255, 0])],
    ],
    ['int8', [floats([-300, 3]), one(2), small([1], [])], [small([-128, 3])]],
    ['uint16', [floats([70_000]), one(1), tensor('uint16', [5], [])], [tensor('uint16', [65_535])]],
    ['int16', [floats([-40_000, 1]), one(1), tensor('int16', [-5], [])], [tensor('int16', [-32_768, -4])]],
    // 1.4999999 in float64.
    ['the quotient is float32', [floats([0.3]), one(0.2), zero(0)], [bytes([2])]],
    ['an axis', [floats([2, 4, 6, 8], [2, 2]), floats([2, 4]), bytes([0, 10])], [bytes([1, 11, 3, 12], [2, 2])]],
    [
      'an axis from the back',
      [floats([2, 4, 6, 8], [2, 2]), floats([2, 4])],
      [bytes([1, 2, 2, 2], [2, 2])],
      { attributes: { axis: -2 } },
    ],
    [
      'blocks, the last one shorter',
      [floats([1, 2, 3, 4, 5, 6], [1, 3, 2]), floats([1, 2, 5, 3], [1, 2, 2]), bytes([0, 1, 2, 3], [1, 2, 2])],
      [bytes([1, 2, 3, 3, 3, 5], [1, 3, 2])],
      { attributes: { block_size: 2 } },
    ],
    ['output_dtype', [floats([-4]), one(2)], [small([-2])], { attributes: { output_dtype: 3 } }],
    ['float16', [tensor('float16', [6]), tensor('float16', [2], []), zero(1)], [bytes([4])]],
    ['int32', [wide([6]), one(4), zero(1)], [bytes([3])]],
    [
      'another output_dtype than the zero points',
      [floats([1]), one(1), zero(0)],
      /output_dtype int8/,
      { attributes: { output_dtype: 3 } },
    ],
    [
      '4-bit integers',
      [floats([1, -9, 40]), one(2)],
      [tensor('int4', [0, -4, 7])],
      { attributes: { output_dtype: 22 } },
    ],
    [
      '2-bit integers with a zero point',
      [floats([3, -9]), one(2), tensor('uint2', [1], [])],
      [tensor('uint2', [3, 0])],
    ],
    [
      '8-bit floats',
      [floats([2.125, 1e6, nan]), one(2), tensor('float8e4m3fn', [0], [])],
      [tensor('float8e4m3fn', [1, 448, nan])],
    ],
    [
      '8-bit floats that do not saturate',
      [floats([1e6, -1e6]), one(2)],
      [tensor('float8e5m2', [infinite, -infinite])],
      { attributes: { output_dtype: 19, saturate: 0 } },
    ],
    ['4-bit floats', [floats([2.5, -90]), one(1), tensor('float4e2m1', [0.5], [])], [tensor('float4e2m1', [3, -6])]],
    ['scales that are powers of two', [floats([6]), tensor('float8e8m0', [4], []), zero(1)], [bytes([3])]],
    ['text', [floats([1]), one(1)], /output_dtype string/, { attributes: { output_dtype: 8 } }],
    ['scales that do not fit', [floats([1, 2], [1, 2]), floats([1, 2, 3])], /scales of shape \[3\] for \[1, 2\]/],
    [
      'blocks that do not fit',
      [floats([1, 2], [1, 2]), floats([1, 1], [1, 2])],
      /expected scales of shape \[1, 1\] along axis 1, in blocks of 2/,
      { attributes: { block_size: 2 } },
    ],
    ['a negative block', [floats([1]), one(1)], /block_size -1/, { attributes: { block_size: -1 } }],
    ['a zero point too few', [floats([1, 2], [1, 2]), floats([1, 2]), bytes([1])], /zero points of shape \[1\]/],
    ['an integer precision', [floats([1]), one(1)], /precision int32/, { attributes: { precision: 6 } }],
  ]);
});

describe('DequantizeLinear', () => {
  nodeCases('DequantizeLinear', {}, [
    ['less the zero point', [bytes([0, 3, 255]), one(2), zero(3)], [floats([-6, 0, 504])]],
    ['int32 without a zero point', [wide([-5]), one(0.5)], [floats([-2.5])]],
    ['4-bit integers', [tensor('int4', [-8, 7]), one(0.5), tensor('int4', [1], [])], [floats([-4.5, 3])]],
    ['8-bit floats', [tensor('float8e5m2', [1.5, -infinite]), one(2)], [floats([3, -infinite])]],
    [
      'blocks of 4-bit floats scaled by powers of two',
      [tensor('float4e2m1', [1, 6, -0.5, 3], [4]), tensor('float8e8m0', [2, 0.25], [2])],
      [floats([2, 12, -0.125, 0.75])],
      { attributes: { axis: 0, block_size: 2, output_dtype: 1 } },
    ],
    [
      'a power of two says nothing of the output',
      [small([1]), tensor('float8e8m0', [2], [])],
      /output_dtype float8e8m0/,
    ],
    ['an axis', [small([1, 2, 3, 4], [2, 2]), floats([2, 10]), small([0, 1])], [floats([2, 10, 6, 30], [2, 2])]],
    [
      'blocks',
      [bytes([1, 2, 3], [3]), floats([2, 10], [2])],
      [floats([2, 4, 30])],
      { attributes: { axis: 0, block_size: 2 } },
    ],
    ['float16 scales give float16', [bytes([3]), tensor('float16', [0.5], [])], [tensor('float16', [1.5])]],
    ['output_dtype', [bytes([3]), one(0.5)], [tensor('float16', [1.5])], { attributes: { output_dtype: 10 } }],
    ['an integer output', [bytes([3]), one(1)], /output_dtype int64/, { attributes: { output_dtype: 7 } }],
    ['a zero point of another type', [bytes([3]), one(1), small([0], [])], /input 2 of type int8/],
  ]);
});

describe('DynamicQuantizeLinear', () => {
  nodeCases('DynamicQuantizeLinear', { outputs: 3 }, [
    ['0 is always in the range', [floats([255, 51])], [bytes([255, 51]), one(1), zero(0)]],
    ['below 0', [floats([-255, -51, 0])], [bytes([0, 204, 255]), one(1), zero(255)]],
    ['zeros alone', [floats([0, 0])], [bytes([0, 0]), one(1), zero(0)]],
    ['no elements', [floats([])], [bytes([]), one(1), zero(0)]],
  ]);
});

describe('QLinearMatMul', () => {
  const a = bytes([1, 2, 3, 4], [2, 2]);
  const scales = [one(0.5), zero(1), small([1, 2, 3, -4], [2, 2]), one(0.5), small([0], [])] as const;
  nodeCases('QLinearMatMul', {}, [
    // (a - 1) b = [[3, -4], [11, -8]], times 0.25 / 0.5
    ['a product', [a, ...scales, one(0.5), zero(10)], [bytes([12, 8, 16, 6], [2, 2])]],
    [
      'scales a row and a column',
      [a, floats([0.5, 1]), bytes([1, 0]), scales[2], floats([0.5, 1]), small([0, 0]), one(0.5), zero(10)],
      // rows less 1 and 0: [[3, -4], [15, -10]]; times [[0.5, 1], [1, 2]]
      [bytes([12, 6, 25, 0], [2, 2])],
    ],
    ['no zero point', [a, ...scales, one(1)], /no input 7/],
    [
      'scales that do not fit',
      [a, floats([1, 2, 3]), ...scales.slice(1), one(0.5), zero(10)],
      /expected a shape whose sizes, aligned at the last axis, are equal or 1/,
    ],
  ]);
});

describe('ConvInteger and QLinearConv', () => {
  const line = bytes([1, 2, 3], [1, 1, 3]);
  const weights = small([1, 2, -1, 0], [2, 1, 2]);
  nodeCases('ConvInteger', {}, [
    ['no zero points', [line, weights], [wide([5, 8, -1, -2], [1, 2, 2])]],
    [
      'padding is the zero point',
      [line, weights, zero(1), small([1, -1])],
      // image [0, 0, 1, 2, 0], weights [[0, 1], [0, 1]]
      [wide([0, 1, 2, 0, 0, 1, 2, 0], [1, 2, 4])],
      { attributes: { pads: [1, 1] } },
    ],
    ['floats', [floats([1], [1, 1, 1]), weights], /input 0 of type float32/],
    [
      'a zero point for another number of outputs',
      [line, weights, zero(1), small([1, 2, 3])],
      /expected a shape whose sizes, aligned at the last axis, are equal or 1/,
    ],
  ]);
  const plain = [line, one(0.5), zero(0), weights, one(1), small([0], []), one(0.5)] as const;
  nodeCases('QLinearConv', {}, [
    ['one scale', [...plain, zero(3)], [bytes([8, 11, 2, 1], [1, 2, 2])]],
    ['a bias', [...plain, zero(3), wide([10, -100])], [bytes([18, 21, 0, 0], [1, 2, 2])]],
    [
      'scales an output',
      [...plain.slice(0, 4), floats([1, 2]), small([0, 0]), one(0.5), zero(3)],
      [bytes([8, 11, 1, 0], [1, 2, 2])],
    ],
    ['two scales of the image', [line, floats([1, 2]), ...plain.slice(2), zero(3)], /input 1 of shape \[2\]/],
    ['huge pads', [...plain, zero(3)], /budget|memory can hold/, { attributes: { pads: [2 ** 50, 0] } }],
    ['a channel too many', [bytes([1, 2], [1, 2, 1]), ...plain.slice(1), zero(3)], /weights \[2, 1, 2\]/],
  ]);
  nodeCases('DequantizeLinear', { domain: 'com.microsoft' }, [
    ['of com.microsoft', [tensor('uint16', [3]), one(2), tensor('uint16', [1], [])], [floats([4])]],
  ]);
  nodeCases('QLinearConv', {}, [['no shape', [ints([1]), ...plain.slice(1), zero(3)], /input 0 of type int64/]]);
});
