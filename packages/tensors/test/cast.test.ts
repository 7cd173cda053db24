import { describe } from 'vitest';
import { bools, floats, ints, nodeCases, tensor, texts } from './one-node.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const to = (type: number) => ({ attributes: { to: type } });
const [FLOAT, UINT8, INT8, INT32, INT64, STRING, BOOL, FLOAT16, DOUBLE, UINT32, UINT64, BFLOAT16] = [
  1, 2, 3, 6, 7, 8, 9, 10, 11, 12, 13, 16,
];

describe('numbers', () => {
  nodeCases('Cast', {}, [
    [
      'floats are truncated, and short integers keep the low bits',
      [floats([1.9, -1.9, 300, -300, nan, inf])],
      [tensor('int8', [1, -1, 44, -44, 0, -1])],
      to(INT8),
    ],
    ['a negative float to uint8', [floats([-3.7])], [tensor('uint8', [253])], to(UINT8)],
    [
      'to uint64',
      [floats([-1, inf, 2 ** 63])],
      [tensor('uint64', ['0', '18446744073709551615', '9223372036854775808'])],
      to(UINT64),
    ],
    ['integers keep their low bits', [ints([-1, 257, 2 ** 40 + 3])], [tensor('uint8', [255, 1, 3])], to(UINT8)],
    ['a sign', [tensor('uint32', [4294967295])], [tensor('int32', [-1])], to(INT32)],
    ['uint64 to int64', [tensor('uint64', ['18446744073709551615'])], [ints([-1])], to(INT64)],
    ['negative to uint32', [tensor('int8', [-1])], [tensor('uint32', [4294967295])], to(UINT32)],
    ['anything but zero is true', [floats([0, -0, nan, 1e-45])], [bools([0, 0, 1, 1])], to(BOOL)],
    ['bools are 0 and 1', [bools([0, 1])], [floats([0, 1])], to(FLOAT)],
    ['to the same type', [floats([nan, -0])], [floats([nan, -0])], to(FLOAT)],
    ['a scalar', [ints([3], [])], [tensor('float64', [3], [])], to(DOUBLE)],
    [
      'float16 rounds to even',
      [floats([2049, 2051, 65519, 65520, 2 ** -25, 1.5 * 2 ** -24])],
      [tensor('float16', [2048, 2052, 65504, inf, 0, 2 ** -23])],
      to(FLOAT16),
    ],
    [
      'float64 to float16 rounds once',
      [tensor('float64', [1 + 2 ** -11 + 2 ** -40])],
      [tensor('float16', [1 + 2 ** -10])],
      to(FLOAT16),
    ],
    [
      'bfloat16 rounds to even',
      [floats([257, 259, -0, nan, 3.4e38])],
      [tensor('bfloat16', [256, 260, -0, nan, inf])],
      to(BFLOAT16),
    ],
    ['types by name before version 6', [floats([1.5])], [ints([1])], { opset: 5, attributes: { to: 'INT64' } }],
    ['complex numbers', [floats([1])], /expected a type of ONNX except complex numbers, received data type 14/, to(14)],
    ['no type', [floats([1])], /no attribute 'to'/],
  ]);
  nodeCases('CastLike', {}, [['the type of the second', [floats([1.5]), tensor('int32', [])], [tensor('int32', [1])]]]);
});

describe('text', () => {
  nodeCases('Cast', {}, [
    [
      'as onnxruntime writes them',
      [floats([0.1, 1, -0.5, nan, inf, -inf, 16777216])],
      [texts(['0.1', '1', '-0.5', 'NaN', 'INF', '-INF', '16777216'])],
      to(STRING),
    ],
    ['float16', [tensor('float16', [0.0999755859375])], [texts(['0.099975586'])], to(STRING)],
    ['float64', [tensor('float64', [0.1, 1 / 3])], [texts(['0.1', '0.33333333'])], to(STRING)],
    ['integers and bools', [ints([-9])], [texts(['-9'])], to(STRING)],
    ['a float', [texts(['3.14', '1e-5', '1E8', ' 2 ', '.5', '+1'])], [floats([3.14, 1e-5, 1e8, 2, 0.5, 1])], to(FLOAT)],
    ['a special one', [texts(['NaN', 'INF', '+inf', '-Inf', 'nan'])], [floats([nan, inf, inf, -inf, nan])], to(FLOAT)],
    [
      'int64 without float64',
      [texts(['9007199254740993', '-1', '100.5'])],
      [{ element: 'int64', shape: [3], data: BigInt64Array.of(9007199254740993n, -1n, 100n) }],
      to(INT64),
    ],
    [
      'many digits',
      [texts(['9'.repeat(100_000)])],
      [{ element: 'int64', shape: [1], data: BigInt64Array.of(2n ** 63n - 1n) }],
      to(INT64),
    ],
    ['no number', [texts(['1', 'Hello'])], /expected a number such as '3\.14', '1e-5', 'NaN' or '-INF'/, to(FLOAT)],
    ['no text at all', [texts([''])], /expected a number such as '3\.14', '1e-5', 'NaN' or '-INF'/, to(INT64)],
    ['hexadecimal', [texts(['0x10'])], /expected a number such as '3\.14', '1e-5', 'NaN' or '-INF'/, to(INT64)],
  ]);
});
