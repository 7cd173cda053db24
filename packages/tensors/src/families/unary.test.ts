import { describe, expect, test } from 'vitest';
import { bools, floats, ints, list, nodeCases, run, tensor, texts } from '../../test/one-node.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const f = Math.fround;

describe('functions of one element', () => {
  nodeCases('Identity', {}, [
    ['a sequence', [list(floats([1]))], [list(floats([1]))]],
    ['nothing', [undefined], /no input 0/, { opset: 15 }],
    ['nothing, where a value may be absent', [undefined], [undefined], { opset: 16 }],
    ['no input at all', [], /no input 0/],
  ]);
  nodeCases('Abs', {}, [
    ['the least int8 wraps around', [tensor('int8', [-128, -1, 127])], [tensor('int8', [-128, 1, 127])]],
    [
      'the least int64 wraps around',
      [{ element: 'int64', shape: [1], data: BigInt64Array.of(-(2n ** 63n)) }],
      [{ element: 'int64', shape: [1], data: BigInt64Array.of(-(2n ** 63n)) }],
    ],
    ['a scalar', [floats([-0], [])], [floats([0], [])]],
    ['no elements', [floats([], [2, 0])], [floats([], [2, 0])]],
    ['text', [texts(['a'])], /received input 0 of type string/],
    ['a sequence', [list()], /received input 0 of type sequence/],
  ]);
  nodeCases('Neg', {}, [
    ['keeps the sign of zero', [floats([0, -0, inf, nan])], [floats([-0, 0, -inf, nan])]],
    ['unsigned', [tensor('uint8', [1])], /input 0 of type uint8/],
  ]);
  nodeCases('Sign', {}, [
    ['NaN and zeros', [floats([-3, 0, nan, inf])], [floats([-1, 0, nan, 1])]],
    ['int64', [ints([-3, 0, 9])], [ints([-1, 0, 1])]],
  ]);
  nodeCases('Round', {}, [
    ['halves to even', [floats([0.5, 1.5, 2.5, -0.5, -1.5, -2.5])], [floats([0, 2, 2, -0, -2, -2])]],
    ['the rest', [floats([0.4, 0.6, -0.2, -0, 8388609, inf, nan])], [floats([0, 1, -0, -0, 8388609, inf, nan])]],
  ]);
  nodeCases('Exp', {}, [
    ['extremes', [floats([0, -inf, inf, nan, 100])], [floats([1, 0, inf, nan, inf])]],
    ['float16 rounds and overflows', [tensor('float16', [1, 12])], [tensor('float16', [2.71875, inf])]],
    ['int32', [tensor('int32', [1])], /expected input 0 as one of float32, float64, float16, bfloat16/],
  ]);
  nodeCases('Erf', {}, [
    [
      'known values',
      [floats([0, 0.5, 3, -7, inf, nan])],
      [floats([0, 0.5204998778130465, 0.9999779095030014, -1, 1, nan])],
    ],
    ['int64', [ints([-9, 0, 9])], [ints([-1, 0, 1])]],
  ]);
  nodeCases('Not', {}, [
    ['bools', [bools([0, 1])], [bools([1, 0])]],
    ['floats', [floats([1])], /input 0 of type float32/],
  ]);
  nodeCases('BitwiseNot', {}, [
    ['uint32', [tensor('uint32', [0, 5])], [tensor('uint32', [4294967295, 4294967290])]],
    ['int64', [ints([0, -1])], [ints([-1, 0])]],
  ]);
  nodeCases('IsInf', {}, [
    ['both', [floats([inf, -inf, nan, 1])], [bools([1, 1, 0, 0])]],
    ['positive only', [floats([inf, -inf])], [bools([1, 0])], { attributes: { detect_negative: 0 } }],
  ]);
  nodeCases('IsNaN', {}, [['NaN only', [tensor('float16', [nan, inf])], [bools([1, 0])]]]);
});

describe('activations', () => {
  nodeCases('Relu', {}, [
    ['NaN stays, -0 does not', [floats([nan, -0, -1, 2])], [floats([nan, 0, 0, 2])]],
    ['int64', [ints([-1, 2])], [ints([0, 2])]],
  ]);
  nodeCases('LeakyRelu', {}, [
    ['the default is a float32', [floats([-1, 1])], [floats([-f(0.01), 1])]],
    [
      'alpha that is no number',
      [floats([1])],
      /expected a number as attribute 'alpha'/,
      { attributes: { alpha: 'a' } },
    ],
  ]);
  nodeCases('Softplus', {}, [['does not overflow', [floats([1000, -1000, 0])], [floats([1000, 0, Math.LN2])]]]);
  nodeCases('HardSigmoid', {}, [['defaults', [floats([-9, 0, 9, nan])], [floats([0, 0.5, 1, nan])]]]);
  nodeCases('ThresholdedRelu', {}, [['the threshold itself', [floats([1, 1.5])], [floats([0, 1.5])]]]);
  nodeCases('Celu', {}, [
    ['alpha 2', [floats([-2, 3])], [floats([2 * (Math.exp(-1) - 1), 3])], { attributes: { alpha: 2 } }],
  ]);
  nodeCases('Gelu', {}, [
    ['zero and far away', [floats([0, 20, -20])], [floats([0, 20, -0])]],
    ['another form', [floats([1])], /approximate.*one of none, tanh/, { attributes: { approximate: 'sigmoid' } }],
  ]);
  nodeCases('Swish', {}, [['alpha 0 halves', [floats([4])], [floats([2])], { attributes: { alpha: 0 } }]]);
  nodeCases('Selu', {}, [['the factor', [floats([1])], [floats([1.0507009873554805])]]]);

  test('the two forms of Gelu differ by less than a thousandth', () => {
    const x = floats(Array.from({ length: 81 }, (_, at) => (at - 40) / 10));
    const [exact] = run('Gelu', [x]) as readonly { data: Float32Array }[];
    const [near] = run('Gelu', [x], { attributes: { approximate: 'tanh' } }) as readonly { data: Float32Array }[];
    const worst = exact!.data.reduce((most, value, at) => Math.max(most, Math.abs(value - near!.data[at]!)), 0);
    expect(worst).toBeGreaterThan(0);
    expect(worst).toBeLessThan(1e-3);
  });
});

describe('ranges', () => {
  nodeCases('Clip', {}, [
    ['both bounds', [floats([-9, 0, 9, nan]), floats([-1], []), floats([1], [])], [floats([-1, 0, 1, nan])]],
    ['the greatest decides', [floats([0]), floats([3], []), floats([2], [])], [floats([2])]],
    ['no least', [ints([-9, 9]), undefined, ints([1], [])], [ints([-9, 1])]],
    [
      'bounds of another type',
      [floats([1]), ints([1], [])],
      /expected input 1 as one of float32, received input 1 of type int64/,
    ],
    [
      'a list of bounds',
      [floats([1]), floats([1, 2])],
      /expected one element as input 1, received input 1 of shape \[2\]/,
    ],
    ['integers before version 11', [ints([1])], /input 0 of type int64/, { opset: 6 }],
    ['attributes', [floats([-9, 9])], [floats([-1, 9])], { opset: 6, attributes: { min: -1 } }],
  ]);
  nodeCases('Shrink', {}, [
    ['bias and threshold', [floats([-2, 0.5, 2])], [floats([-0.5, 0, 0.5])], { attributes: { bias: 1.5, lambd: 1 } }],
    ['integers are truncated', [ints([-2, 0, 2])], [ints([0, 0, 0])], { attributes: { bias: 1.5 } }],
    ['a bias that is no number', [ints([5])], [ints([0])], { attributes: { bias: nan } }],
  ]);
});
