import { bools, floats, ints, nodeCases, tensor, texts } from './one-node.js';

const matrix = floats([1, 2, 3, 4, 5, 6], [2, 3]);

nodeCases('Gather', {}, [
  ['the same entry twice, from the back', [matrix, ints([-1, 0, -1])], [floats([4, 5, 6, 1, 2, 3, 4, 5, 6], [3, 3])]],
  [
    'the axes of the indices',
    [matrix, ints([0, 2], [1, 2])],
    [floats([1, 3, 4, 6], [2, 1, 2])],
    { attributes: { axis: 1 } },
  ],
  ['one index drops the axis', [matrix, ints([1], [])], [floats([4, 5, 6])]],
  ['strings by int32', [texts(['a', 'b']), tensor('int32', [1])], [texts(['b'])]],
  ['no indices', [matrix, ints([], [0, 2])], [floats([], [0, 2, 3])]],
  ['beyond the axis', [matrix, ints([2])], /index 2 of 2 entries/],
  ['before the axis', [matrix, ints([-3])], /index -3 of 2 entries/],
  ['beyond 2^53', [matrix, ints([2 ** 62])], /of 2 entries/],
  ['of an empty axis', [floats([], [0]), ints([0])], /index 0 of 0 entries/],
  ['of a scalar', [floats([1], []), ints([0])], /axis 0 of a tensor of 0/],
  ['by floats', [matrix, floats([0])], /input 1 of type float32/],
]);

nodeCases('GatherElements', { attributes: { axis: 1 } }, [
  ['along an axis', [floats([1, 2, 3, 4], [2, 2]), ints([0, 0, -1, 0], [2, 2])], [floats([1, 1, 4, 3], [2, 2])]],
  ['fewer rows, more columns', [floats([1, 2, 3, 4], [2, 2]), ints([1, 0, 1], [1, 3])], [floats([2, 1, 2], [1, 3])]],
  ['no indices', [matrix, ints([], [2, 0])], [floats([], [2, 0])]],
  [
    'more rows',
    [floats([1, 2], [1, 2]), ints([0, 0], [2, 1])],
    /expected indices with 2 axes, no larger than the data except along axis 1/,
  ],
  ['another rank', [matrix, ints([0])], /expected indices with 2 axes, no larger than the data except along axis 1/],
  ['beyond the axis', [matrix, ints([3, 0], [2, 1])], /index 3 of 3 entries/],
]);

const cube = ints([0, 1, 2, 3, 4, 5, 6, 7], [2, 2, 2]);
nodeCases('GatherND', {}, [
  ['elements', [matrix, ints([0, 0, -1, -1], [2, 2])], [floats([1, 6])]],
  ['blocks', [matrix, ints([1], [1, 1])], [floats([4, 5, 6], [1, 3])]],
  ['a batch axis', [cube, ints([1, 0], [2, 1])], [ints([2, 3, 4, 5], [2, 2])], { attributes: { batch_dims: 1 } }],
  ['one tuple', [matrix, ints([0, 1])], [floats([2], [])]],
  ['tuples that are too long', [matrix, ints([0, 0, 0], [1, 3])], /^expected .*, received /],
  ['tuples of nothing', [matrix, ints([], [1, 0])], /^expected .*, received /],
  ['a scalar of indices', [matrix, ints([0], [])], /^expected .*, received /],
  ['batches that differ', [cube, ints([0, 0, 0], [3, 1])], /with 1 batch axes/, { attributes: { batch_dims: 1 } }],
  ['a negative batch axis', [cube, ints([0], [1, 1])], /with -1 batch axes/, { attributes: { batch_dims: -1 } }],
  ['beyond the axis', [matrix, ints([0, 3], [1, 2])], /index 3 of 3 entries/],
]);

nodeCases('ScatterElements', {}, [
  ['of two updates the last', [floats([1, 2, 3]), ints([1, 1]), floats([8, 9])], [floats([1, 9, 3])]],
  [
    'added in order',
    [floats([1, 2]), ints([0, 0]), floats([10, 100])],
    [floats([111, 2])],
    { attributes: { reduction: 'add' } },
  ],
  [
    'each sum rounded',
    [floats([16777216]), ints([0, 0]), floats([1, 1])],
    [floats([16777216])],
    { attributes: { reduction: 'add' } },
  ],
  [
    'products wrap around',
    [tensor('int32', [2 ** 30]), ints([0]), tensor('int32', [6])],
    [tensor('int32', [-(2 ** 31)])],
    { attributes: { reduction: 'mul' } },
  ],
  [
    'large products keep their low bits',
    [tensor('uint32', [65537]), ints([0]), tensor('uint32', [65537])],
    [tensor('uint32', [131073])],
    { attributes: { reduction: 'mul' } },
  ],
  [
    'uint8 sums wrap around',
    [tensor('uint8', [250]), ints([0]), tensor('uint8', [10])],
    [tensor('uint8', [4])],
    { attributes: { reduction: 'add' } },
  ],
  ['int64 sums', [ints([1]), ints([0]), ints([2])], [ints([3])], { attributes: { reduction: 'add' } }],
  [
    'the greater, NaN above all',
    [floats([1, 5]), ints([0, 1]), floats([Number.NaN, 3])],
    [floats([Number.NaN, 5])],
    { attributes: { reduction: 'max' } },
  ],
  ['the lesser', [ints([1, 5]), ints([0, 1]), ints([2, 3])], [ints([1, 3])], { attributes: { reduction: 'min' } }],
  ['bools: or', [bools([0, 1]), ints([0, 1]), bools([1, 0])], [bools([1, 1])], { attributes: { reduction: 'add' } }],
  ['bools: and', [bools([0, 1]), ints([0, 1]), bools([1, 0])], [bools([0, 0])], { attributes: { reduction: 'mul' } }],
  [
    'float16 is rounded',
    [tensor('float16', [2048]), ints([0]), tensor('float16', [1])],
    [tensor('float16', [2048])],
    { attributes: { reduction: 'add' } },
  ],
  [
    'columns from the back',
    [matrix, ints([-1, 0], [2, 1]), floats([0, 0], [2, 1])],
    [floats([1, 2, 0, 0, 5, 6], [2, 3])],
    { attributes: { axis: 1 } },
  ],
  ['strings', [texts(['a', 'b']), ints([0]), texts(['c'])], [texts(['c', 'b'])]],
  ['no updates', [matrix, ints([], [0, 3]), floats([], [0, 3])], [matrix]],
  ['sums of strings', [texts(['a']), ints([0]), texts(['c'])], /of strings/, { attributes: { reduction: 'add' } }],
  ['updates of another shape', [matrix, ints([0], [1, 1]), floats([1])], /expected updates and indices of one shape/],
  ['updates of another type', [matrix, ints([0], [1, 1]), ints([1], [1, 1])], /input 2 of type int64/],
  ['beyond the axis', [floats([1]), ints([1]), floats([1])], /index 1 of 1 entries/],
]);

nodeCases('Scatter', { opset: 9 }, [['the older name', [floats([1, 2]), ints([1]), floats([9])], [floats([1, 9])]]]);

nodeCases('ScatterND', {}, [
  ['blocks', [matrix, ints([1], [1, 1]), floats([7, 8, 9], [1, 3])], [floats([1, 2, 3, 7, 8, 9], [2, 3])]],
  ['elements, of two updates the last', [floats([1, 2]), ints([0, 0], [2, 1]), floats([8, 9])], [floats([9, 2])]],
  [
    'multiplied',
    [ints([2, 3]), ints([-1, -1], [2, 1]), ints([5, 7])],
    [ints([2, 105])],
    { attributes: { reduction: 'mul' } },
  ],
  [
    'updates of another shape',
    [matrix, ints([1], [1, 1]), floats([7])],
    /expected updates of shape \[1, 3\], received updates \[1\]/,
  ],
  ['beyond the axis', [floats([1]), ints([1], [1, 1]), floats([7])], /index 1 of 1 entries/],
]);

nodeCases('Compress', {}, [
  ['rows', [matrix, bools([0, 1])], [floats([4, 5, 6], [1, 3])], { attributes: { axis: 0 } }],
  [
    'columns, the condition ends early',
    [matrix, bools([0, 1])],
    [floats([2, 5], [2, 1])],
    { attributes: { axis: -1 } },
  ],
  ['flattened', [matrix, bools([1, 0, 0, 0, 1])], [floats([1, 5])]],
  ['a long condition that ends in false', [floats([1]), bools([1, 0, 0])], [floats([1])]],
  ['nothing', [matrix, bools([])], [floats([])]],
  ['an entry that is not there', [floats([1]), bools([0, 1])], /expected a condition that selects entries below 1/],
  [
    'a matrix of conditions',
    [matrix, bools([1], [1, 1])],
    /expected a condition with one axis, received a condition of shape \[1, 1\]/,
  ],
  ['numbers', [matrix, ints([1])], /input 1 of type int64/],
]);

nodeCases('NonZero', {}, [
  ['one row an axis', [floats([1, 0, -0, Number.NaN], [2, 2])], [ints([0, 1, 0, 1], [2, 2])]],
  ['bools', [bools([0, 1])], [ints([1], [1, 1])]],
  ['int64', [ints([0, 5])], [ints([1], [1, 1])]],
  ['strings', [texts(['', 'a'])], [ints([1], [1, 1])]],
  ['a scalar has no axes', [floats([1], [])], [ints([], [0, 1])]],
  ['nothing', [floats([], [0, 3])], [ints([], [2, 0])]],
]);

nodeCases('OneHot', {}, [
  [
    'from the back; outside is cold',
    [ints([0, -1, 3, -4]), ints([3], []), ints([2, 7])],
    [ints([7, 2, 2, 2, 2, 7, 2, 2, 2, 2, 2, 2], [4, 3])],
  ],
  ['negative before version 11', [ints([-1]), ints([2]), floats([0, 1])], [floats([0, 0], [1, 2])], { opset: 9 }],
  ['axis 0', [ints([1, 0]), ints([2]), floats([0, 1])], [floats([0, 1, 1, 0], [2, 2])], { attributes: { axis: 0 } }],
  [
    'an axis between',
    [ints([1, 0], [1, 2]), ints([2]), floats([0, 1])],
    [floats([0, 1, 1, 0], [1, 2, 2])],
    { attributes: { axis: 1 } },
  ],
  [
    'floats are cut',
    [floats([1.9, Number.NaN]), floats([2], []), texts(['-', '+'])],
    [texts(['-', '+', '-', '-'], [2, 2])],
  ],
  ['a scalar', [ints([1], []), ints([2]), floats([0, 1])], [floats([0, 1])]],
  ['no depth', [ints([1]), ints([0]), floats([0, 1])], [floats([], [1, 0])]],
  [
    'a negative depth',
    [ints([1]), ints([-1]), floats([0, 1])],
    /expected sizes that are integers, 0 or greater, received the shape \[1, -1\]/,
  ],
  ['a depth without end', [ints([1]), floats([Number.POSITIVE_INFINITY]), floats([0, 1])], /^expected .*, received /],
  ['three values', [ints([1]), ints([1]), floats([0, 1, 2])], /\[off, on\]/],
]);

nodeCases('TopK', { outputs: 2 }, [
  ['of equal ones the first', [floats([1, 3, 3, 2]), ints([3])], [floats([3, 3, 2]), ints([1, 2, 3])]],
  ['the least', [ints([4, 1, 1, 2]), ints([3])], [ints([1, 1, 2]), ints([1, 2, 3])], { attributes: { largest: 0 } }],
  [
    'columns',
    [floats([1, 4, 3, 2], [2, 2]), ints([1])],
    [floats([3, 4], [1, 2]), ints([1, 0], [1, 2])],
    { attributes: { axis: 0 } },
  ],
  ['NaN is the greatest', [floats([1, Number.NaN, 2]), ints([2])], [floats([Number.NaN, 2]), ints([1, 2])]],
  ['k as an attribute', [floats([1, 2])], [floats([2]), ints([1])], { opset: 1, attributes: { k: 1 } }],
  [
    'not sorted may be sorted',
    [floats([1, 3, 2]), ints([2])],
    [floats([3, 2]), ints([1, 2])],
    { attributes: { sorted: 0 } },
  ],
  ['none', [floats([1, 2]), ints([0])], [floats([]), ints([])]],
  ['none of many', [floats([], [2 ** 40, 0]), ints([0])], [floats([], [2 ** 40, 0]), ints([], [2 ** 40, 0])]],
  ['more than there are', [floats([1, 2]), ints([3])], /expected k from 0 to 2, the size of axis 0, received k 3/],
  ['a negative k', [floats([1, 2]), ints([-1])], /k -1/],
  ['a scalar', [floats([1], []), ints([1])], /of a tensor of 0/],
  ['strings', [texts(['a']), ints([1])], /input 0 of type string/],
]);

nodeCases('Unique', { outputs: 4 }, [
  ['sorted', [floats([2, 1, 1, 3])], [floats([1, 2, 3]), ints([1, 0, 3]), ints([1, 0, 0, 2]), ints([2, 1, 1])]],
  [
    'as they come',
    [floats([2, 1, 1, 3])],
    [floats([2, 1, 3]), ints([0, 1, 3]), ints([0, 1, 1, 2]), ints([1, 2, 1])],
    { attributes: { sorted: 0 } },
  ],
  [
    'rows',
    [ints([1, 0, 1, 0, 0, 9], [3, 2])],
    [ints([0, 9, 1, 0], [2, 2]), ints([2, 0]), ints([1, 1, 0]), ints([1, 2])],
    { attributes: { axis: 0 } },
  ],
  [
    'columns',
    [ints([1, 0, 1, 2, 2, 2], [2, 3])],
    [ints([0, 1, 2, 2], [2, 2]), ints([1, 0]), ints([1, 0, 1])],
    { attributes: { axis: -1 } },
  ],
  [
    'NaN is a NaN, 0 is -0',
    [floats([Number.NaN, 0, -0, Number.NaN])],
    [floats([0, Number.NaN]), ints([1, 0]), ints([1, 0, 0, 1]), ints([2, 2])],
  ],
  ['strings by code points', [texts(['😀', 'ﬁ', 'b', 'a', 'ab'])], [texts(['a', 'ab', 'b', 'ﬁ', '😀'])]],
  ['flattened', [floats([1, 1], [1, 2])], [floats([1]), ints([0]), ints([0, 0]), ints([2])]],
  ['a scalar', [floats([5], [])], [floats([5]), ints([0]), ints([0]), ints([1])]],
  ['nothing', [floats([])], [floats([]), ints([]), ints([]), ints([])]],
  [
    'equal because they are empty',
    [floats([], [3, 0])],
    [floats([], [1, 0]), ints([0]), ints([0, 0, 0]), ints([3])],
    { attributes: { axis: 0 } },
  ],
  ['very many that are empty', [floats([], [2 ** 40, 0])], /budget/, { attributes: { axis: 0 } }],
]);
