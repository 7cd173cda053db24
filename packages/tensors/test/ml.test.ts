import { floats, ints, nodeCases, tensor, texts } from './one-node.js';

const ml = { domain: 'ai.onnx.ml' } as const;
const { NaN: none, POSITIVE_INFINITY: infinity } = Number;

nodeCases('Binarizer', ml, [
  [
    'above, not at the threshold',
    [floats([1, 2, none], [3, 1, 1])],
    [floats([0, 1, 0], [3, 1, 1])],
    { attributes: { threshold: 1 } },
  ],
  ['int64', [ints([-1, 1], [])], [ints([0, 1], [])]],
  ['strings', [texts(['a'])], /input 0 of type string/],
]);

nodeCases('Imputer', ml, [
  [
    'one for all',
    [floats([1, none], [2, 1])],
    [floats([1, 9], [2, 1])],
    { attributes: { imputed_value_floats: [9], replaced_value_float: none } },
  ],
  [
    'one a column',
    [floats([0, 0, 5, 0], [2, 2])],
    [floats([7, 8, 5, 8], [2, 2])],
    { attributes: { imputed_value_floats: [7, 8] } },
  ],
  ['integers', [ints([0, 3])], [ints([4, 3])], { attributes: { imputed_value_int64s: [4] } }],
  [
    'doubles',
    [tensor('float64', [-1, 0.1])],
    [tensor('float64', [2, 0.1])],
    { attributes: { imputed_value_floats: [2], replaced_value_float: -1 } },
  ],
  ['no rows', [floats([], [0, 2])], [floats([], [0, 2])], { attributes: { imputed_value_floats: [7, 8] } }],
  [
    'too many columns',
    [floats([1], [1, 1])],
    /2 numbers in imputed_value_floats for rows of 1/,
    { attributes: { imputed_value_floats: [7, 8] } },
  ],
  ['no values', [ints([1])], /no attribute 'imputed_value_int64s'/, { attributes: { imputed_value_floats: [7] } }],
]);

nodeCases('Scaler', ml, [
  [
    'a column each',
    [floats([1, 2, 3, 4], [2, 2])],
    [floats([0, 4, 20, 12], [2, 2])],
    { attributes: { offset: [1, 1], scale: [10, 4] } },
  ],
  [
    'one for all, of integers',
    [ints([1, 2, 3], [1, 3])],
    [floats([0, 0.5, 1], [1, 3])],
    { attributes: { offset: [1], scale: [0.5] } },
  ],
  ['a list', [floats([3, 4])], [floats([6, 12])], { attributes: { offset: [0], scale: [2, 3] } }],
  [
    'offsets that do not fit',
    [floats([1, 2])],
    /3 numbers in offset/,
    { attributes: { offset: [1, 2, 3], scale: [1] } },
  ],
]);

nodeCases('Normalizer', ml, [
  ['the greatest, with its sign', [floats([-4, 2, -1, -2], [2, 2])], [floats([-2, 1, 1, 2], [2, 2])]],
  [
    'L1; zeros stay',
    [floats([1, -3, 0, 0], [2, 2])],
    [floats([0.25, -0.75, 0, 0], [2, 2])],
    { attributes: { norm: 'L1' } },
  ],
  ['L2 of a list of integers', [ints([3, 4])], [floats([0.6, 0.8])], { attributes: { norm: 'L2' } }],
  ['three axes', [floats([1], [1, 1, 1])], /\[C\] or \[N, C\]/],
  ['another norm', [floats([1])], /one of MAX, L1, L2/, { attributes: { norm: 'L3' } }],
]);

nodeCases('FeatureVectorizer', ml, [
  [
    'of several types',
    [floats([1, 2], [2, 1]), ints([3, 4, 5, 6], [2, 2])],
    [floats([1, 3, 4, 2, 5, 6], [2, 3])],
    { attributes: { inputdimensions: [1, 2] } },
  ],
  ['lists are rows', [floats([1]), ints([2, 3])], [floats([1, 2, 3], [1, 3])]],
  ['columns are cut', [floats([1, 2], [1, 2])], [floats([1], [1, 1])], { attributes: { inputdimensions: [1] } }],
  ['zeros beyond', [floats([1])], [floats([1, 0], [1, 2])], { attributes: { inputdimensions: [2] } }],
  [
    'sizes of other inputs',
    [floats([1])],
    /inputdimensions \[1,2\] of 1 inputs/,
    { attributes: { inputdimensions: [1, 2] } },
  ],
  ['rows that differ', [floats([1], [1, 1]), floats([1, 2], [2, 1])], /beside/],
]);

nodeCases('ArrayFeatureExtractor', ml, [
  ['columns', [floats([1, 2, 3, 4], [2, 2]), ints([1, 1, 0], [1, 3])], [floats([2, 2, 1, 4, 4, 3], [2, 3])]],
  ['of a list', [texts(['a', 'b']), ints([1])], [texts(['b'], [1, 1])]],
  ['of three axes', [ints([1, 2, 3, 4], [2, 1, 2]), ints([0])], [ints([1, 3], [2, 1, 1])]],
  ['beyond the last', [floats([1]), ints([1])], /index 1 of 1 entries/],
  ['a scalar', [floats([1], []), ints([0])], /a scalar/],
]);

const keys = { keys_strings: ['a', 'b'], values_int64s: [1, 2] };
nodeCases('LabelEncoder', ml, [
  ['strings to integers', [texts(['b', 'x'], [2, 1])], [ints([2, -1], [2, 1])], { attributes: keys }],
  [
    'integers of another width',
    [tensor('int32', [2, 9])],
    [texts(['b', '?'])],
    { attributes: { keys_int64s: [1, 2], values_strings: ['a', 'b'], default_string: '?' } },
  ],
  [
    'the first of two',
    [texts(['a'])],
    [ints([1])],
    { attributes: { keys_strings: ['a', 'a'], values_int64s: [1, 2] } },
  ],
  [
    'NaN finds NaN, 0 finds -0',
    [floats([none, 0, infinity])],
    [floats([1, 2, -0])],
    { attributes: { keys_floats: [none, -0], values_floats: [1, 2] } },
  ],
  [
    'NaN before version 4',
    [floats([none, 5])],
    [floats([9, 2])],
    { opset: 2, attributes: { keys_floats: [none, 5], values_floats: [1, 2], default_float: 9 } },
  ],
  [
    'floats are float32',
    [floats([0.1])],
    [floats([0.2])],
    { attributes: { keys_floats: [0.1], values_floats: [0.2] } },
  ],
  [
    'tensors of other types',
    [tensor('int16', [3, 4])],
    [tensor('float64', [0.1, -1])],
    {
      attributes: {
        keys_tensor: tensor('int16', [3]),
        values_tensor: tensor('float64', [0.1]),
        default_tensor: tensor('float64', [-1]),
      },
    },
  ],
  [
    'an int16 has a default',
    [texts(['x'])],
    [tensor('int16', [-1])],
    { attributes: { keys_strings: ['a'], values_tensor: tensor('int16', [3]) } },
  ],
  ['version 1 by place', [texts(['q', 'p'])], [ints([-1, 0])], { opset: 1, attributes: { classes_strings: ['p'] } }],
  [
    'version 1 to text',
    [ints([0, 1])],
    [texts(['p', '_Unused'])],
    { opset: 1, attributes: { classes_strings: ['p'] } },
  ],
  [
    'no keys for a value',
    [texts(['a'])],
    /expected one value per key, received 1 keys and 2 values/,
    { attributes: { keys_strings: ['a'], values_int64s: [1, 2] } },
  ],
  [
    'a type that is no key',
    [floats([1])],
    /expected an input of the type of the keys \(strings\)/,
    { attributes: keys },
  ],
  [
    'floats for integers',
    [floats([1])],
    /expected an input of the type of the keys \(integers\)/,
    { attributes: { keys_int64s: [1], values_int64s: [1] } },
  ],
  [
    'a default of another type',
    [texts(['a'])],
    /expected a default of int64, the type of the values/,
    { attributes: { ...keys, default_tensor: floats([1]) } },
  ],
  ['no values', [texts(['a'])], /no values/, { attributes: { keys_strings: ['a'] } }],
]);

const categories = { cats_strings: ['x', 'y'], cats_int64s: [5, 6] };
nodeCases('CategoryMapper', { ...ml, attributes: categories }, [
  ['to integers', [texts(['y', 'z'])], [ints([6, -1])]],
  ['to strings', [ints([5, 7])], [texts(['x', '_Unused'])]],
  [
    'lists that differ',
    [ints([5])],
    /expected one value per key, received 2 keys and 1 values/,
    { attributes: { ...categories, cats_strings: ['x'] } },
  ],
]);

nodeCases('OneHotEncoder', ml, [
  [
    'a new axis',
    [texts(['y', 'z'], [2, 1])],
    [floats([0, 1, 0, 0], [2, 1, 2])],
    { attributes: { cats_strings: ['x', 'y'] } },
  ],
  ['floats are cut', [floats([5.9, none])], [floats([1, 0, 0, 0], [2, 2])], { attributes: { cats_int64s: [5, 6] } }],
  ['int64 beyond 2^53', [ints([2 ** 60])], [floats([1], [1, 1])], { attributes: { cats_int64s: [2 ** 60] } }],
  [
    'an unknown one is an error',
    [ints([7])],
    /the unknown category "7"/,
    { attributes: { cats_int64s: [5], zeros: 0 } },
  ],
  ['numbers for strings', [ints([7])], [floats([0], [1, 1])], { attributes: { cats_strings: ['x'] } }],
  ['categories of two types', [ints([7])], /expected either cats_strings or cats_int64s/, { attributes: categories }],
  ['no categories', [ints([7])], /no categories/, { attributes: { cats_strings: [] } }],
]);
