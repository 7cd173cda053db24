import { bools, floats, ints, nodeCases, tensor, texts } from '../../test/one-node.js';

const matrix = floats([1, 2, 3, 4, 5, 6], [2, 3]);

nodeCases('Concat', { attributes: { axis: -1 } }, [
  ['the last axis', [matrix, floats([7, 8], [2, 1])], [floats([1, 2, 3, 7, 4, 5, 6, 8], [2, 4])]],
  ['the first axis, one empty', [matrix, floats([], [0, 3])], [matrix], { attributes: { axis: 0 } }],
  ['strings', [texts(['a']), texts(['b', 'c'])], [texts(['a', 'b', 'c'])]],
  [
    'version 1: axis 1',
    [matrix, matrix],
    [floats([1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6], [2, 6])],
    { opset: 1, attributes: {} },
  ],
  ['rows without columns', [floats([], [2 ** 40, 0])], [floats([], [2 ** 40, 0])]],
  ['no axis', [matrix], /no attribute 'axis'/, { attributes: {} }],
  ['two types', [matrix, ints([1, 2], [2, 1])], /int64 \[2, 1\] beside float32/],
  ['two ranks', [matrix, floats([1])], /beside/],
  ['scalars', [floats([1], [])], /axis -1 of a tensor of 0/],
  ['no tensors', [], /no tensors/],
]);

nodeCases('Split', { outputs: 2 }, [
  ['equal parts', [floats([1, 2, 3, 4])], [floats([1, 2]), floats([3, 4])]],
  ['given sizes, one of them 0', [matrix, ints([0, 3])], [floats([], [2, 0]), matrix], { attributes: { axis: 1 } }],
  ['as an attribute', [floats([1, 2, 3])], [floats([1]), floats([2, 3])], { opset: 11, attributes: { split: [1, 2] } }],
  ['as an input of version 1', [floats([1, 2, 3]), ints([1, 2])], [floats([1]), floats([2, 3])], { opset: 1 }],
  ['a smaller last part', [floats([1, 2, 3])], [floats([1, 2]), floats([3])], { attributes: { num_outputs: 2 } }],
  ['uneven before version 18', [floats([1, 2, 3])], /3 entries for 2 equal parts/, { opset: 13 }],
  [
    'more parts than entries',
    [floats([1, 2, 3, 4, 5])],
    /expected 4 part sizes of 0 or greater with the sum 5/,
    { outputs: 4 },
  ],
  [
    'sizes that do not add up',
    [floats([1, 2, 3]), ints([1, 1])],
    /expected 2 part sizes of 0 or greater with the sum 3/,
  ],
  ['a negative size', [floats([1, 2, 3]), ints([4, -1])], /expected 2 part sizes of 0 or greater with the sum 3/],
  [
    'more sizes than outputs',
    [floats([1, 2, 3]), ints([1, 1, 1])],
    /expected 2 part sizes of 0 or greater with the sum 3/,
  ],
]);

const cube = ints([...Array(12).keys()], [2, 2, 3]);
nodeCases('Slice', {}, [
  ['negative places', [matrix, ints([-1]), ints([9]), ints([-1])], [floats([3, 6], [2, 1])]],
  [
    'backwards to the front',
    [floats([1, 2, 3, 4]), ints([-1]), ints([-99]), ints([0]), ints([-1])],
    [floats([4, 3, 2, 1])],
  ],
  ['backwards in steps', [floats([1, 2, 3, 4]), ints([9]), ints([0]), ints([0]), ints([-2])], [floats([4, 2])]],
  [
    'int64 extremes',
    [floats([1, 2, 3]), ints([2 ** 62]), ints([-(2 ** 63)]), ints([0]), ints([-1])],
    [floats([3, 2, 1])],
  ],
  ['nothing', [matrix, ints([2]), ints([1]), ints([1])], [floats([], [2, 0])]],
  ['axes in any order', [cube, ints([1, 0]), ints([3, 1]), ints([2, 0])], [ints([1, 2, 4, 5], [1, 2, 2])]],
  ['the first axes', [matrix, ints([1]), ints([2])], [floats([4, 5, 6], [1, 3])]],
  [
    'backwards from before the first entry',
    [floats([1, 2]), ints([-5]), ints([-9]), ints([0]), ints([-1])],
    [floats([1])],
  ],
  ['an empty axis backwards', [floats([], [0]), ints([0]), ints([-9]), ints([0]), ints([-1])], [floats([])]],
  [
    'attributes',
    [matrix],
    [floats([2, 3, 5, 6], [2, 2])],
    { opset: 1, attributes: { starts: [1], ends: [2 ** 62], axes: [1] } },
  ],
  ['int32', [floats([1, 2]), tensor('int32', [1]), tensor('int32', [2])], [floats([2])]],
  [
    'a step of 0',
    [floats([1]), ints([0]), ints([1]), ints([0]), ints([0])],
    /expected one start, end and step per axis, and steps other than 0/,
  ],
  [
    'too few ends',
    [matrix, ints([0, 0]), ints([1])],
    /expected one start, end and step per axis, and steps other than 0/,
  ],
  [
    'an axis twice',
    [matrix, ints([0, 0]), ints([1, 1]), ints([1, -1])],
    /expected axes that are all different, received axes \[1,-1\] of a tensor of 2 axes/,
  ],
  ['no ends', [matrix, ints([0])], /no starts or ends/],
]);

nodeCases('Pad', {}, [
  ['a constant', [floats([1, 2], [1, 2]), ints([1, 0, 0, 1]), floats([9], [])], [floats([9, 9, 9, 1, 2, 9], [2, 3])]],
  ['zeros', [ints([1]), ints([1, 1])], [ints([0, 1, 0])]],
  ['strings', [texts(['a']), ints([1, 0])], [texts(['', 'a'])]],
  ['cut off', [floats([1, 2, 3]), ints([-1, -1])], [floats([2])]],
  [
    'cut off before, put on behind',
    [floats([1, 2, 3]), ints([-1, 2])],
    [floats([2, 3, 3, 3])],
    { attributes: { mode: 'edge' } },
  ],
  ['reflected', [floats([1, 2, 3]), ints([2, 1])], [floats([3, 2, 1, 2, 3, 2])], { attributes: { mode: 'reflect' } }],
  [
    'reflected again and again',
    [floats([1, 2]), ints([3, 0])],
    [floats([2, 1, 2, 1, 2])],
    { attributes: { mode: 'reflect' } },
  ],
  ['reflected, one entry', [floats([1]), ints([2, 1])], [floats([1, 1, 1, 1])], { attributes: { mode: 'reflect' } }],
  ['wrapped', [floats([1, 2, 3]), ints([4, 1])], [floats([3, 1, 2, 3, 1, 2, 3, 1])], { attributes: { mode: 'wrap' } }],
  ['some axes', [floats([1, 2], [2, 1]), ints([0, 1]), undefined, ints([-1])], [floats([1, 0, 2, 0], [2, 2])]],
  ['attributes', [floats([1])], [floats([9, 1])], { opset: 2, attributes: { pads: [1, 0], value: 9 } }],
  ['attributes of version 1', [floats([1])], [floats([0, 1])], { opset: 1, attributes: { paddings: [1, 0] } }],
  ['an empty axis', [floats([], [0, 1]), ints([1, 0, 0, 0]), floats([5])], [floats([5], [1, 1])]],
  ['nothing to reflect', [floats([]), ints([1, 0])], /reflect/, { attributes: { mode: 'reflect' } }],
  ['more cut off than there is', [floats([1]), ints([-1, -1])], /pads -1 and -1/],
  ['too few pads', [matrix, ints([1, 1])], /of 2 axes/],
  ['wrap before version 19', [floats([1]), ints([1, 1])], /mode/, { opset: 18, attributes: { mode: 'wrap' } }],
  ['a constant of another type', [bools([1]), ints([1, 1]), floats([1], [])], /input 2 of type float32/],
  ['beyond the budget', [floats([1]), ints([2 ** 40, 0])], /budget/],
]);
