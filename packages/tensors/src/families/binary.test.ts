import { describe } from 'vitest';
import { bools, floats, ints, nodeCases, tensor, texts } from '../../test/one-node.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

const bigs = (...values: bigint[]) =>
  ({ element: 'int64', shape: [values.length], data: BigInt64Array.from(values) }) as const;

describe('repeating', () => {
  nodeCases('Add', {}, [
    ['row and column', [floats([1, 2], [2, 1]), floats([10, 20])], [floats([11, 21, 12, 22], [2, 2])]],
    ['a scalar', [floats([1], []), floats([1], [])], [floats([2], [])]],
    ['no elements', [floats([], [0, 2]), floats([1, 2])], [floats([], [0, 2])]],
    ['no elements against one', [floats([1]), floats([])], [floats([])]],
    ['sizes that differ', [floats([1, 2]), floats([1, 2, 3])], /shapes \[2\] and \[3\]/],
    [
      'types that differ',
      [floats([1]), ints([1])],
      /expected input 1 as one of float32, received input 1 of type int64/,
    ],
    ['one input', [floats([1])], /expected two inputs, received 1 inputs/],
    ['three inputs', [floats([1]), floats([1]), floats([1])], /expected two inputs, received 3 inputs/],
    ['more than the budget', [floats([1, 2], [2, 1]), floats([1, 2, 3])], /budget: 6/, { budget: 5 }],
    ['huge sizes beside none', [floats([], [2 ** 40, 0, 1]), floats([], [0])], [floats([], [2 ** 40, 0, 0])]],
  ]);
  nodeCases('Mul', { opset: 6 }, [
    [
      'nothing without broadcast',
      [floats([1, 2], [2, 1]), floats([1])],
      /expected equal shapes, or the attribute 'broadcast' = 1/,
    ],
    [
      'at the end',
      [floats([1, 2], [1, 2]), floats([2, 3])],
      [floats([2, 6], [1, 2])],
      { attributes: { broadcast: 1 } },
    ],
    [
      'beside an axis',
      [floats([1, 2, 3, 4], [2, 2]), floats([10, 100])],
      [floats([10, 20, 300, 400], [2, 2])],
      { attributes: { broadcast: 1, axis: 0 } },
    ],
    [
      'the first never grows',
      [floats([1], [1]), floats([1, 2])],
      /expected a shape whose sizes, aligned at the last axis, are equal or 1/,
      { attributes: { broadcast: 1 } },
    ],
    [
      'an axis too far back',
      [floats([1, 2], [1, 2]), floats([1, 2], [1, 2])],
      /from axis 1/,
      { attributes: { broadcast: 1, axis: 1 } },
    ],
  ]);
});

describe('integers', () => {
  nodeCases('Add', {}, [
    ['int8 wraps around', [tensor('int8', [127, -128]), tensor('int8', [1, -1])], [tensor('int8', [-128, 127])]],
    [
      'uint64 wraps around',
      [tensor('uint64', ['18446744073709551615']), tensor('uint64', [1])],
      [tensor('uint64', [0])],
    ],
  ]);
  nodeCases('Sub', {}, [
    ['uint8 wraps around', [tensor('uint8', [0]), tensor('uint8', [1])], [tensor('uint8', [255])]],
  ]);
  nodeCases('Mul', {}, [
    ['low bits of int32', [tensor('int32', [2147483647]), tensor('int32', [2147483647])], [tensor('int32', [1])]],
    ['low bits of uint32', [tensor('uint32', [4294967295]), tensor('uint32', [4294967295])], [tensor('uint32', [1])]],
    ['low bits of int64', [bigs(2n ** 62n), bigs(6n)], [bigs(-(2n ** 63n))]],
  ]);
  nodeCases('Div', {}, [
    ['towards zero', [ints([7, -7, 7, -7]), ints([2, 2, -2, -2])], [ints([3, -3, -3, 3])]],
    ['small types', [tensor('int8', [-7, -128]), tensor('int8', [2, -1])], [tensor('int8', [-3, -128])]],
    ['by zero', [tensor('int32', [1]), tensor('int32', [0])], /an integer divided by 0/],
    ['floats by zero', [floats([1, 0]), floats([0, 0])], [floats([inf, nan])]],
  ]);
  nodeCases('Mod', {}, [
    ['the sign of the divisor', [ints([-4, 7, 5]), ints([3, -3, 8])], [ints([2, -2, 5])]],
    ['fmod: the sign of the dividend', [ints([-4, 7]), ints([3, -3])], [ints([-1, 1])], { attributes: { fmod: 1 } }],
    ['floats', [floats([-4.5, 7, -1]), floats([3, -3, inf])], [floats([1.5, -2, inf])]],
    ['fmod of floats', [floats([-4.5, 5]), floats([3, 0])], [floats([-1.5, nan])], { attributes: { fmod: 1 } }],
    ['by zero', [ints([1]), ints([0])], /an integer divided by 0/],
  ]);
  nodeCases('Pow', {}, [
    ['the type of the base', [tensor('int32', [2, -3]), floats([0.5, 3])], [tensor('int32', [1, -27])]],
    ['whole powers wrap around', [ints([3, 2]), ints([41, 64])], [bigs(BigInt.asIntN(64, 3n ** 41n), 0n)]],
    ['negative powers of integers', [ints([1, -1, 2]), ints([-3, -3, -1])], [ints([1, -1, 0])]],
    ['as in C', [floats([1, -1, 0]), floats([nan, inf, 0])], [floats([1, 1, 1])]],
    [
      'one type before version 12',
      [floats([2]), ints([3])],
      /expected inputs of one type \(before operator set 12\)/,
      { opset: 7 },
    ],
  ]);
  nodeCases('BitShift', { attributes: { direction: 'LEFT' } }, [
    ['all bits', [tensor('uint32', [1, 1, 1]), tensor('uint32', [31, 32, 33])], [tensor('uint32', [2147483648, 0, 0])]],
    ['uint8', [tensor('uint8', [255]), tensor('uint8', [4])], [tensor('uint8', [240])]],
    [
      'right',
      [tensor('uint64', ['18446744073709551615']), tensor('uint64', [63])],
      [tensor('uint64', [1])],
      { attributes: { direction: 'RIGHT' } },
    ],
    ['neither', [tensor('uint8', [1]), tensor('uint8', [1])], /no attribute 'direction'/, { attributes: {} }],
    ['a huge shift', [tensor('uint64', [1]), tensor('uint64', ['18446744073709551615'])], [tensor('uint64', [0])]],
  ]);
  nodeCases('BitwiseXor', {}, [
    ['uint32', [tensor('uint32', [4294967295]), tensor('uint32', [1])], [tensor('uint32', [4294967294])]],
  ]);
});

describe('comparisons and logic', () => {
  nodeCases('Equal', {}, [
    ['strings', [texts(['a', 'b']), texts(['b'])], [bools([0, 1])]],
    ['NaN is nothing', [floats([nan, 0]), floats([nan, -0])], [bools([0, 1])]],
    ['int64 beyond float64', [bigs(2n ** 53n + 1n), bigs(2n ** 53n)], [bools([0])]],
  ]);
  nodeCases('Less', {}, [['strings', [texts(['a']), texts(['b'])], /input 0 of type string/]]);
  nodeCases('GreaterOrEqual', {}, [['NaN', [floats([nan, 1]), floats([1, 1])], [bools([0, 1])]]]);
  nodeCases('Xor', {}, [['bools', [bools([0, 1, 1]), bools([1, 1, 0])], [bools([1, 0, 1])]]]);
  nodeCases('Where', {}, [
    ['three shapes', [bools([1, 0], [2, 1]), floats([1, 2]), floats([9], [])], [floats([1, 2, 9, 9], [2, 2])]],
    ['strings', [bools([1, 0]), texts(['a', 'b']), texts(['c'])], [texts(['a', 'c'])]],
    ['two types', [bools([1]), texts(['a']), floats([1])], /input 2 of type float32/],
    ['int64', [bools([0, 1]), ints([1, 2]), ints([3])], [ints([3, 2])]],
  ]);
  nodeCases('PRelu', {}, [
    ['a slope a column', [floats([-1, -2, 3, -4], [2, 2]), floats([10, 100])], [floats([-10, -200, 3, -400], [2, 2])]],
    [
      'a slope that is larger',
      [floats([-1]), floats([1, 2])],
      /expected a shape whose sizes, aligned at the last axis, are equal or 1/,
    ],
    [
      'a slope a channel before version 7',
      [floats([-1, -2, -3, -4], [1, 2, 2]), floats([1, 10])],
      [floats([-1, -2, -30, -40], [1, 2, 2])],
      { opset: 6 },
    ],
  ]);
});

describe('any number of inputs', () => {
  nodeCases('Max', {}, [
    ['equal zeros of both signs: the first', [floats([-0, 0]), floats([0, -0])], [floats([-0, 0])]],
    ['NaN wins', [floats([1, nan, 3]), floats([nan, 1, 1])], [floats([nan, nan, 3])]],
    ['repeated', [ints([1, 5]), ints([3]), ints([4], [1, 1])], [ints([4, 5], [1, 2])]],
    ['one', [floats([1])], [floats([1])]],
    ['none', [], /no input 0/],
    [
      'other shapes before version 8',
      [floats([1, 2]), floats([1])],
      /expected inputs of one shape \(before operator set 8\)/,
      { opset: 7 },
    ],
  ]);
  nodeCases('Sum', {}, [
    ['rounds after every addition', [floats([16777216]), floats([1]), floats([1])], [floats([16777216])]],
    ['float16', [tensor('float16', [2048]), tensor('float16', [1])], [tensor('float16', [2048])]],
    [
      'bfloat16 rounds to even',
      [tensor('bfloat16', [256, 256]), tensor('bfloat16', [1, 3])],
      [tensor('bfloat16', [256, 260])],
    ],
    [
      'float16 overflows',
      [tensor('float16', [65504, 65504]), tensor('float16', [15, 16])],
      [tensor('float16', [65504, inf])],
    ],
  ]);
  nodeCases('Mean', {}, [['of three', [floats([1]), floats([2]), floats([6])], [floats([3])]]]);
});
