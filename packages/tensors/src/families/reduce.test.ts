import { describe } from 'vitest';
import { bools, floats, ints, nodeCases, tensor } from '../../test/one-node.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const f = Math.fround;
const matrix = floats([1, 2, 3, 4, 5, 6], [2, 3]);
const whole = (value: bigint) => ({ element: 'int64', shape: [1], data: BigInt64Array.of(value) }) as const;

describe('axes', () => {
  nodeCases('ReduceSum', {}, [
    ['all', [matrix], [floats([21], [1, 1])]],
    ['a negative axis', [matrix, ints([-1])], [floats([6, 15], [2, 1])]],
    ['left out', [matrix, ints([0])], [floats([5, 7, 9])], { attributes: { keepdims: 0 } }],
    ['left out by -1', [matrix, ints([0])], [floats([5, 7, 9])], { attributes: { keepdims: -1 } }],
    ['an attribute', [matrix], [floats([5, 7, 9], [1, 3])], { opset: 11, attributes: { axes: [0] } }],
    ['two of three', [floats([1, 2, 3, 4, 5, 6, 7, 8], [2, 2, 2]), ints([2, 0])], [floats([14, 22], [1, 2, 1])]],
    ['no axes, and no-op', [matrix, ints([])], [matrix], { attributes: { noop_with_empty_axes: 1 } }],
    ['only 1 is a no-op', [matrix, ints([])], [floats([21], [1, 1])], { attributes: { noop_with_empty_axes: 2 } }],
    ['no axes are all axes', [matrix, ints([])], [floats([21], [1, 1])]],
    ['a scalar', [floats([3], [])], [floats([3], [])]],
    [
      'twice the same',
      [matrix, ints([0, -2])],
      /expected axes that are all different, received axes \[0,-2\] of a tensor of 2 axes/,
    ],
    ['no such axis', [matrix, ints([2])], /axis 2 of a tensor of 2 axes/],
    [
      'axes of two axes',
      [matrix, ints([0, 1], [1, 2])],
      /expected a list of integers with at most one axis as input 1/,
    ],
    ['nothing along the axis', [floats([], [2, 0, 3]), ints([1])], [floats(new Array(6).fill(0), [2, 1, 3])]],
    ['nothing beside the axis', [floats([], [2, 0, 3]), ints([2])], [floats([], [2, 0, 1])]],
    ['results beyond the budget', [floats([], [2 ** 40, 0]), ints([1])], /budget/],
  ]);
});

describe('elements', () => {
  nodeCases('ReduceSum', {}, [
    ['float32 rounds after every addition', [floats([16777216, 1, 1])], [floats([16777216], [1])]],
    ['int32 wraps around', [tensor('int32', [2147483647, 1])], [tensor('int32', [-2147483648], [1])]],
    ['uint8 wraps around', [tensor('uint8', [200, 100])], [tensor('uint8', [44], [1])]],
  ]);
  nodeCases('ReduceProd', {}, [
    ['nothing', [floats([], [0])], [floats([1], [1])]],
    ['int64 keeps its low bits', [ints(new Array(41).fill(3))], [whole(BigInt.asIntN(64, 3n ** 41n))]],
  ]);
  nodeCases('ReduceMean', {}, [
    ['nothing', [floats([], [0])], [floats([nan], [1])]],
    ['integers are truncated', [tensor('int32', [-3, -4])], [tensor('int32', [-3], [1])]],
    ['no integers', [ints([], [0])], /the mean of no integers/],
  ]);
  nodeCases('ReduceMax', {}, [
    ['nothing', [floats([], [0])], [floats([-inf], [1])]],
    ['no integers', [tensor('int8', [], [0])], [tensor('int8', [-128], [1])]],
    ['bools', [bools([0, 1, 0, 0], [2, 2]), ints([1])], [bools([1, 0], [2, 1])]],
    ['a NaN is never greater', [floats([1, nan, 2])], [floats([2], [1])]],
  ]);
  nodeCases('ReduceMin', {}, [
    ['no bools', [bools([], [0])], [bools([1], [1])]],
    ['uint64', [tensor('uint64', ['18446744073709551615', 7])], [tensor('uint64', [7], [1])]],
  ]);
  nodeCases('ReduceL1', {}, [['int64', [ints([-3, 4])], [ints([7], [1])]]]);
  nodeCases('ReduceL2', {}, [
    ['float32', [floats([3, 4])], [floats([5], [1])]],
    ['integers are truncated', [ints([1, 1])], [ints([1], [1])]],
  ]);
  nodeCases('ReduceSumSquare', {}, [
    ['squares even without axes', [floats([-3, 2])], [floats([9, 4])], { attributes: { noop_with_empty_axes: 1 } }],
  ]);
  nodeCases('ReduceLogSum', {}, [['nothing', [floats([], [0])], [floats([-inf], [1])]]]);
  nodeCases('ReduceLogSumExp', {}, [
    ['does not overflow', [floats([1000, 1000])], [floats([f(1000 + Math.LN2)], [1])]],
    ['nothing', [floats([], [0])], [floats([-inf], [1])]],
    ['infinite', [floats([inf, 1])], [floats([inf], [1])]],
  ]);
});

describe('places', () => {
  nodeCases('ArgMax', {}, [
    ['the first of two', [floats([3, 1, 3, 3], [2, 2])], [ints([0, 1], [1, 2])]],
    ['the last of two', [floats([3, 3, 1])], [ints([1], [1])], { attributes: { select_last_index: 1 } }],
    ['left out', [matrix], [ints([2, 2])], { attributes: { axis: -1, keepdims: 0 } }],
    ['left out by a number beside 0 and 1', [matrix], [ints([2, 2])], { attributes: { axis: -1, keepdims: 2 } }],
    ['nothing along the axis', [floats([], [2, 0])], /axis 1 of no elements/, { attributes: { axis: 1 } }],
    ['nothing beside it', [floats([], [2, 0])], [ints([], [1, 0])]],
    ['a scalar', [floats([1], [])], /axis 0 of a tensor of 0 axes/],
  ]);
  nodeCases('ArgMin', {}, [['int64', [ints([2, 1, 1])], [ints([1], [1])]]]);
});

describe('sums up to each element', () => {
  nodeCases('CumSum', {}, [
    ['along the last axis', [matrix, ints([-1], [])], [floats([1, 3, 6, 4, 9, 15], [2, 3])]],
    ['exclusive', [floats([1, 2, 3]), ints([0])], [floats([0, 1, 3])], { attributes: { exclusive: 1 } }],
    ['reverse', [ints([1, 2, 3]), ints([0])], [ints([6, 5, 3])], { attributes: { reverse: 1 } }],
    ['both', [floats([1, 2, 3]), ints([0])], [floats([5, 3, 0])], { attributes: { reverse: 1, exclusive: 1 } }],
    ['uint32 wraps around', [tensor('uint32', [4294967295, 2]), ints([0])], [tensor('uint32', [4294967295, 1])]],
    ['no elements', [floats([], [0]), ints([0])], [floats([], [0])]],
    ['two axes', [matrix, ints([0, 1])], /input 1 of shape \[2\]/],
    ['no such axis', [matrix, ints([2], [])], /axis 2/],
  ]);
  nodeCases('CumProd', { opset: 26 }, [
    ['int32', [tensor('int32', [65536, 65536, 3]), ints([0])], [tensor('int32', [65536, 0, 0])]],
    ['exclusive', [floats([2, 3, 4]), ints([0])], [floats([1, 2, 6])], { attributes: { exclusive: 1 } }],
  ]);
});
