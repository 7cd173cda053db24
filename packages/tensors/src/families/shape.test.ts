import { bools, floats, ints, nodeCases, tensor, texts } from '../../test/one-node.js';

const matrix = floats([1, 2, 3, 4, 5, 6], [2, 3]);

nodeCases('Reshape', {}, [
  ['0 copies, -1 is inferred', [matrix, ints([0, -1, 1])], [floats([1, 2, 3, 4, 5, 6], [2, 3, 1])]],
  [
    'version 1 has an attribute',
    [matrix],
    [floats([1, 2, 3, 4, 5, 6], [3, 2])],
    { opset: 1, attributes: { shape: [3, 2] } },
  ],
  ['an empty batch keeps its columns', [floats([], [0, 6]), ints([0, -1])], [floats([], [0, 6])]],
  ['an empty batch of another rank', [floats([], [0, 6]), ints([-1, 2])], [floats([], [0, 2])]],
  ['allowzero', [floats([], [0, 6]), ints([3, 0])], [floats([], [3, 0])], { attributes: { allowzero: 1 } }],
  ['only 1 is allowzero', [matrix, ints([0, 3])], [matrix], { attributes: { allowzero: 2 } }],
  ['to a scalar', [floats([7], [1, 1]), ints([])], [floats([7], [])]],
  [
    'allowzero beside -1',
    [floats([], [0, 6]), ints([0, -1])],
    /expected either 0 or -1 in a shape with allowzero = 1/,
    { attributes: { allowzero: 1 } },
  ],
  ['two sizes to infer', [matrix, ints([-1, -1])], /expected at most one size to infer \(-1\)/],
  ['a size below -1', [matrix, ints([-2, 3])], /0 or greater/],
  ['0 where there is no axis', [matrix, ints([2, 3, 0])], /expected 0 only for axes that the input has/],
  ['elements that do not divide', [matrix, ints([4, -1])], /expected sizes that divide the number of elements/],
  ['another number of elements', [matrix, ints([4, 2])], /expected shapes with equal numbers of elements/],
  ['zero times infinity', [floats([], [0]), ints(new Array(40).fill(2 ** 52))], /^expected .*, received /],
  [
    'a shape of floats',
    [matrix, floats([3, 2])],
    /expected input 1 as one of int64, int32, received input 1 of type float32/,
  ],
  ['65 axes', [floats([1]), ints(new Array(65).fill(1))], /65 axes/],
]);

nodeCases('Flatten', {}, [
  ['the first axis stays', [floats([1, 2, 3, 4], [2, 2, 1])], [floats([1, 2, 3, 4], [2, 2])]],
  ['axis 0', [matrix], [floats([1, 2, 3, 4, 5, 6], [1, 6])], { attributes: { axis: 0 } }],
  ['behind the last axis', [matrix], [floats([1, 2, 3, 4, 5, 6], [6, 1])], { attributes: { axis: 2 } }],
  ['a scalar', [floats([1], [])], [floats([1], [1, 1])], { attributes: { axis: 0 } }],
  ['no axis there', [matrix], /expected an axis in \[-2, 2\], received axis 3/, { attributes: { axis: 3 } }],
  ['a scalar has only axis 0', [floats([1], [])], /expected axis 0, received axis 1/, { attributes: { axis: 1 } }],
]);

nodeCases('Squeeze', {}, [
  ['all of size 1', [floats([1, 2], [1, 2, 1])], [floats([1, 2], [2])]],
  ['none of size 1', [matrix], [matrix]],
  ['a negative axis', [floats([1, 2], [1, 2, 1]), ints([-1])], [floats([1, 2], [1, 2])]],
  [
    'axes as an attribute',
    [floats([1, 2], [1, 2, 1])],
    [floats([1, 2], [2, 1])],
    { opset: 12, attributes: { axes: [0] } },
  ],
  ['no axes is not all axes', [floats([1], [1]), ints([])], [floats([1], [1])]],
  ['a size of 2', [floats([1, 2], [1, 2]), ints([1])], /expected axes of size 1, received axis 1 of shape \[1, 2\]/],
]);

nodeCases('Unsqueeze', {}, [
  ['axes of the result', [floats([1, 2]), ints([0, -1])], [floats([1, 2], [1, 2, 1])]],
  ['in any order', [floats([1, 2]), ints([2, 0])], [floats([1, 2], [1, 2, 1])]],
  ['a scalar', [floats([1], []), ints([0])], [floats([1], [1])]],
  ['as an attribute', [floats([1])], [floats([1], [1, 1])], { opset: 11, attributes: { axes: [1] } }],
  [
    'twice the same',
    [floats([1]), ints([0, -3])],
    /expected axes that are all different, received axes \[0,-3\] of a tensor of 3 axes/,
  ],
  ['no axes', [floats([1])], /no axes/],
]);

nodeCases('Shape', {}, [
  ['all', [matrix], [ints([2, 3])]],
  ['a scalar', [floats([1], [])], [ints([])]],
  ['clamped', [floats([], [2, 0, 4])], [ints([0, 4])], { attributes: { start: -2, end: 9 } }],
  ['nothing between', [matrix], [ints([])], { attributes: { start: 1, end: 1 } }],
  ['a sequence', [{ element: 'sequence', tensors: [] }], /input 0 of type sequence/],
]);

nodeCases('Size', {}, [
  ['of an empty tensor', [floats([], [3, 0])], [ints([0], [])]],
  ['of a scalar', [texts(['a'], [])], [ints([1], [])]],
]);

nodeCases('Transpose', {}, [
  ['reversed', [matrix], [floats([1, 4, 2, 5, 3, 6], [3, 2])]],
  ['strings', [texts(['a', 'b'], [1, 2])], [texts(['a', 'b'], [2, 1])]],
  ['an empty axis', [floats([], [0, 5])], [floats([], [5, 0])]],
  [
    'three axes',
    [ints([0, 1, 2, 3, 4, 5, 6, 7], [2, 2, 2])],
    [ints([0, 2, 4, 6, 1, 3, 5, 7], [2, 2, 2])],
    { attributes: { perm: [2, 0, 1] } },
  ],
  [
    'an axis twice',
    [matrix],
    /expected a perm that names each of 2 axes once, received perm \[0,0\]/,
    { attributes: { perm: [0, 0] } },
  ],
  [
    'too few axes',
    [matrix],
    /expected a perm that names each of 2 axes once, received perm \[0\]/,
    { attributes: { perm: [0] } },
  ],
]);

nodeCases('Expand', {}, [
  [
    'in both directions',
    [floats([1, 2], [2, 1]), ints([3, 1, 2])],
    [floats([1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2], [3, 2, 2])],
  ],
  ['to nothing', [floats([1]), ints([0])], [floats([])]],
  ['a scalar', [bools([1], []), ints([2])], [bools([1, 1])]],
  [
    'sizes that differ',
    [floats([1, 2]), ints([3])],
    /expected shapes whose sizes, aligned at the last axis, are equal or 1/,
  ],
  ['beyond the budget', [floats([1]), ints([1_000_000])], /budget: 1000000/],
  ['beyond any machine', [floats([1]), ints([2 ** 40, 2 ** 40])], /memory can hold|budget/],
  ['a negative size', [floats([1]), ints([-1])], /^expected .*, received /],
  ['nothing of very much', [floats([1]), ints([2 ** 50, 0])], [floats([], [2 ** 50, 0])]],
]);

nodeCases('Tile', {}, [
  ['two axes', [floats([1, 2], [1, 2]), ints([2, 2])], [floats([1, 2, 1, 2, 1, 2, 1, 2], [2, 4])]],
  ['no times', [matrix, ints([0, 1])], [floats([], [0, 3])]],
  ['version 1: one axis', [floats([1, 2]), floats([2], []), floats([0], [])], [floats([1, 2, 1, 2])], { opset: 1 }],
  ['another rank', [matrix, ints([2])], /expected one number of repeats per axis, each 0 or greater/],
  ['negative', [matrix, ints([1, -1])], /0 or greater/],
]);

nodeCases('Trilu', {}, [
  ['upper', [matrix], [floats([1, 2, 3, 0, 5, 6], [2, 3])]],
  [
    'lower, below the diagonal',
    [ints([1, 2, 3, 4], [2, 2]), ints([-1], [])],
    [ints([0, 0, 3, 0], [2, 2])],
    { attributes: { upper: 0 } },
  ],
  [
    'each matrix',
    [floats([1, 2, 3, 4, 5, 6, 7, 8], [2, 2, 2]), ints([1], [])],
    [floats([0, 2, 0, 0, 0, 6, 0, 0], [2, 2, 2])],
  ],
  ['no rows', [floats([], [0, 3])], [floats([], [0, 3])]],
  ['a list', [floats([1])], /expected a matrix \(2 axes\) or a batch of matrices, received a tensor of 1 axes/],
]);

const image = ints([0, 1, 2, 3, 4, 5, 6, 7], [1, 8, 1, 1]);
nodeCases('DepthToSpace', { attributes: { blocksize: 2 } }, [
  ['DCR', [image], [ints([0, 2, 4, 6, 1, 3, 5, 7], [1, 2, 2, 2])]],
  ['CRD', [image], [ints([0, 1, 2, 3, 4, 5, 6, 7], [1, 2, 2, 2])], { attributes: { blocksize: 2, mode: 'CRD' } }],
  ['a depth that is no multiple', [floats([1, 2], [1, 2, 1, 1])], /expected a blocksize that divides the sizes/],
  ['a side of 0', [image], /expected a blocksize that divides the sizes/, { attributes: { blocksize: 0 } }],
  ['a matrix', [matrix], /\[batch, depth, height, width\]/],
]);

nodeCases('SpaceToDepth', { attributes: { blocksize: 2 } }, [
  ['the reverse of DCR', [ints([0, 2, 4, 6, 1, 3, 5, 7], [1, 2, 2, 2])], [image]],
  ['an odd width', [floats([1, 2], [1, 1, 2, 1])], /expected a blocksize that divides the sizes/],
]);

nodeCases('ReverseSequence', {}, [
  ['time first', [floats([0, 4, 1, 5, 2, 6], [3, 2]), ints([2, 3])], [floats([1, 6, 0, 5, 2, 4], [3, 2])]],
  [
    'batch first',
    [floats([0, 1, 2, 3], [2, 2]), ints([1, 2])],
    [floats([0, 1, 3, 2], [2, 2])],
    { attributes: { batch_axis: 0, time_axis: 1 } },
  ],
  ['blocks behind', [floats([1, 2, 3, 4], [2, 1, 2]), ints([2])], [floats([3, 4, 1, 2], [2, 1, 2])]],
  [
    'too long',
    [floats([1, 2], [2, 1]), ints([3])],
    /expected sequence lengths from 0 to 2, received length 3 of sequence 0/,
  ],
  [
    'too few lengths',
    [floats([1, 2], [1, 2]), ints([1])],
    /expected sequence_lens of shape \[2\], received sequence_lens of shape \[1\]/,
  ],
  [
    'one axis for both',
    [matrix, ints([1, 1])],
    /expected batch_axis 0 and time_axis 1, or batch_axis 1 and time_axis 0/,
    { attributes: { batch_axis: 0 } },
  ],
]);

nodeCases('Constant', {}, [
  ['a tensor', [], [matrix], { attributes: { value: matrix } }],
  ['an integer', [], [ints([3], [])], { attributes: { value_int: 3 } }],
  ['integers', [], [ints([3, 4])], { attributes: { value_ints: [3, 4] } }],
  ['a float', [], [floats([0.5], [])], { attributes: { value_float: 0.5 } }],
  ['floats', [], [floats([])], { attributes: { value_floats: [] } }],
  ['a string', [], [texts([''], [])], { attributes: { value_string: '' } }],
  ['strings', [], [texts(['a'])], { attributes: { value_strings: ['a'] } }],
  ['nothing', [], /no value/],
  ['two values', [], /both value_int and value_float/, { attributes: { value_int: 1, value_float: 1 } }],
]);

nodeCases('ConstantOfShape', {}, [
  ['zeros', [ints([2])], [floats([0, 0])]],
  ['a scalar', [ints([])], [ints([7], [])], { attributes: { value: ints([7]) } }],
  ['strings', [ints([2])], [texts(['a', 'a'])], { attributes: { value: texts(['a']) } }],
  ['a value of two elements', [ints([2])], /the value of shape \[2\]/, { attributes: { value: ints([1, 2]) } }],
  ['a negative size', [ints([-1])], /expected sizes that are integers, 0 or greater, received the shape \[-1\]/],
  ['beyond the budget', [ints([200, 200])], /budget/],
]);

nodeCases('EyeLike', {}, [
  ['its own type', [tensor('int32', [9, 9, 9, 9], [2, 2])], [tensor('int32', [1, 0, 0, 1], [2, 2])]],
  ['int64, above the diagonal', [matrix], [ints([0, 1, 0, 0, 0, 1], [2, 3])], { attributes: { dtype: 7, k: 1 } }],
  ['below the diagonal', [floats([1, 2, 3], [3, 1])], [floats([0, 0, 1], [3, 1])], { attributes: { k: -2 } }],
  ['beside the matrix', [matrix], [floats([0, 0, 0, 0, 0, 0], [2, 3])], { attributes: { k: 9 } }],
  ['rows without columns', [floats([], [2 ** 50, 0])], [floats([], [2 ** 50, 0])]],
  ['a list', [floats([1])], /a matrix/],
  ['a type we do not have', [matrix], /data type 14/, { attributes: { dtype: 14 } }],
]);

nodeCases('Range', {}, [
  ['up', [floats([1], []), floats([5], []), floats([2], [])], [floats([1, 3])]],
  ['down', [ints([10], []), ints([4], []), ints([-3], [])], [ints([10, 7])]],
  ['nothing', [ints([1], []), ints([1], []), ints([1], [])], [ints([])]],
  [
    'each a product, not a running sum',
    [floats([0], []), floats([0.25], []), floats([0.1], [])],
    [floats([0, Math.fround(0.1), Math.fround(2 * Math.fround(0.1))])],
  ],
  [
    'float16 is computed in float32',
    [tensor('float16', [2048], []), tensor('float16', [2052], []), tensor('float16', [1], [])],
    [tensor('float16', [2048, 2048, 2050, 2052])],
    { opset: 27 },
  ],
  ['a step of 0', [ints([1], []), ints([2], []), ints([0], [])], /by 0/],
  [
    'without end',
    [floats([0], []), floats([Number.POSITIVE_INFINITY], []), floats([1], [])],
    /^expected .*, received /,
  ],
  ['NaN', [floats([Number.NaN], []), floats([1], []), floats([1], [])], /from NaN/],
  ['two types', [ints([1], []), floats([2], []), ints([1], [])], /input 1 of type float32/],
]);
