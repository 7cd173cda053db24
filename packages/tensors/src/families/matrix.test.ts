import { describe } from 'vitest';
import { floats, ints, nodeCases, tensor } from '../../test/one-node.js';

const square = floats([1, 2, 3, 4], [2, 2]);
const row = floats([10, 100], [1, 2]);

describe('MatMul', () => {
  nodeCases('MatMul', {}, [
    ['matrices', [row, square], [floats([310, 420], [1, 2])]],
    ['vectors', [floats([1, 2]), floats([3, 4])], [floats([11], [])]],
    ['a vector on the left', [floats([10, 100]), square], [floats([310, 420])]],
    ['a vector on the right', [square, floats([10, 100])], [floats([210, 430])]],
    [
      'batches are repeated',
      [floats([1, 0, 0, 1, 2, 0, 0, 2], [2, 1, 2, 2]), floats([1, 2, 3, 4], [2, 2, 1])],
      [floats([1, 2, 3, 4, 2, 4, 6, 8], [2, 2, 2, 1])],
    ],
    ['no inner axis', [floats([], [2, 0]), floats([], [0, 1])], [floats([0, 0], [2, 1])]],
    ['no rows', [floats([], [0, 2]), square], [floats([], [0, 2])]],
    ['huge batches of nothing', [floats([], [2 ** 40, 0, 2]), square], [floats([], [2 ** 40, 0, 2])]],
    ['huge results of nothing', [floats([], [2 ** 30, 0]), floats([], [0, 2 ** 30])], /budget/],
    [
      'int32 wraps around',
      [tensor('int32', [65536], [1, 1]), tensor('int32', [65536], [1, 1])],
      [tensor('int32', [0], [1, 1])],
    ],
    ['int64', [ints([3, 4]), ints([1, -1])], [ints([-1], [])]],
    ['float64', [tensor('float64', [0.1, 0.2]), tensor('float64', [1, 1])], [tensor('float64', [0.1 + 0.2], [])]],
    ['columns that are not rows', [square, floats([1, 2, 3])], /shapes \[2, 2\] and \[3\]/],
    ['batches that do not fit', [floats([1, 2, 3], [3, 1, 1]), floats([1, 2], [2, 1, 1])], /shapes \[3\] and \[2\]/],
    ['a scalar', [floats([1], []), square], /shapes \[\] and \[2, 2\]/],
    ['two types', [square, ints([1, 2])], /input 1 of type int64/],
    [
      'more products than elements',
      [floats(new Array(4096).fill(1), [64, 64]), floats(new Array(4096).fill(1), [64, 64])],
      /budget/,
      { budget: 4096 },
    ],
  ]);
});

describe('Gemm', () => {
  nodeCases('Gemm', {}, [
    ['a bias a column', [row, square, floats([1, 2])], [floats([311, 422], [1, 2])]],
    ['a bias a row', [square, square, floats([1, 2], [2, 1])], [floats([8, 11, 17, 24], [2, 2])]],
    ['transposed', [row, square], [floats([210, 430], [1, 2])], { attributes: { transB: 1 } }],
    [
      'the left one transposed',
      [floats([10, 100], [2, 1]), square],
      [floats([310, 420], [1, 2])],
      { attributes: { transA: 1 } },
    ],
    [
      'factors',
      [row, square, floats([10], [])],
      [floats([157, 212], [1, 2])],
      { attributes: { alpha: 0.5, beta: 0.2 } },
    ],
    ['int64', [ints([2], [1, 1]), ints([3], [1, 1]), ints([4])], [ints([-2], [1, 1])], { attributes: { beta: -2 } }],
    [
      'half an integer',
      [ints([2], [1, 1]), ints([3], [1, 1])],
      /expected integers as alpha and beta for integer inputs/,
      { attributes: { alpha: 0.5 } },
    ],
    [
      'a bias that is larger',
      [row, square, floats([1, 2], [2, 1])],
      /expected a shape whose sizes, aligned at the last axis, are equal or 1/,
    ],
    ['vectors', [floats([1]), square], /expected A and B with two axes each, received shapes \[1\] and \[2, 2\]/],
  ]);
});

describe('MatMulInteger', () => {
  const left = tensor('uint8', [11, 7, 3, 10], [2, 2]);
  const right = tensor('int8', [1, -4, 2, 5], [2, 2]);
  nodeCases('MatMulInteger', {}, [
    ['no zero points', [left, right], [tensor('int32', [25, -9, 23, 38], [2, 2])]],
    [
      'one zero point, and one a column',
      [left, right, tensor('uint8', [3], []), tensor('int8', [1, -4])],
      [tensor('int32', [4, 36, 7, 63], [2, 2])],
    ],
    ['one a row', [left, right, tensor('uint8', [11, 3])], [tensor('int32', [-8, -20, 14, 35], [2, 2])]],
    ['zero points of another type', [left, right, tensor('int8', [1], [])], /input 2 of type int8/],
  ]);
});

describe('Det', () => {
  nodeCases('Det', {}, [
    ['exchanged rows', [floats([0, 2, 3, 0], [2, 2])], [floats([-6], [])]],
    ['a batch', [floats([2, 0, 0, 3, 1, 1, 1, 1], [2, 2, 2])], [floats([6, 0])]],
    ['of nothing', [floats([], [0, 0])], [floats([1], [])]],
    ['not square', [floats([1, 2], [1, 2])], /expected square matrices in the last two axes, received shape \[1, 2\]/],
  ]);
});

describe('Einsum', () => {
  const cube = floats([1, 2, 3, 4, 5, 6, 7, 8], [2, 2, 2]);
  const by = (equation: string) => ({ attributes: { equation } });
  nodeCases('Einsum', {}, [
    ['a product', [row, square], [floats([310, 420], [1, 2])], by('ij,jk->ik')],
    ['an implicit result is alphabetical', [square], [floats([1, 3, 2, 4], [2, 2])], by('ba')],
    ['what stands twice is summed', [square], [floats([5], [])], by('ii')],
    ['a diagonal', [square], [floats([1, 4])], by('ii -> i')],
    ['an outer product', [floats([1, 2]), floats([3, 4])], [floats([3, 4, 6, 8], [2, 2])], by('i,j')],
    ['three operands', [floats([1, 2]), square, floats([10, 100])], [floats([1070], [])], by('i,ij,j->')],
    ['sums of what nobody needs', [square, floats([2, 3])], [floats([15, 35])], by('ij,k->i')],
    ['an ellipsis', [cube], [floats([1, 3, 2, 4, 5, 7, 6, 8], [2, 2, 2])], by('...ij->...ji')],
    [
      'an ellipsis that is repeated',
      [cube, floats([1, 10], [2, 1])],
      [floats([21, 43, 65, 87], [2, 2, 1])],
      by('...ij,...jk->...ik'),
    ],
    ['an implicit ellipsis comes first', [cube], [floats([5, 13], [2])], by('...ii')],
    ['axes of one element are repeated', [floats([2], [1]), floats([3, 4])], [floats([6, 8])], by('i,i->i')],
    ['int64', [ints([1, 2]), ints([3, 4])], [ints([11], [])], by('i,i')],
    ['no elements', [floats([], [0, 2]), floats([], [0, 1])], [floats([0, 0], [2, 1])], by('ki,kj->ij')],
    ['sizes that differ', [floats([1, 2]), floats([1, 2, 3])], /axes of 2 and 3 elements for the label i/, by('i,i')],
    ['too few terms', [square, square], /expected an equation with one term per input, such as 'ij,jk->ik'/, by('ij')],
    ['letters that are no axes', [square], /the term 'ijk' for a tensor of 2 axes/, by('ijk')],
    ['signs', [square], /the term 'i\+'/, by('i+')],
    ['a result from nowhere', [square], /expected a result that names labels of the inputs, each once/, by('ij->k')],
    ['a result twice', [square], /expected a result that names labels of the inputs, each once/, by('ij->ii')],
    ['two arrows', [square], /the equation 'ij->i->j'/, by('ij->i->j')],
  ]);
});
