import { floats, ints, nodeCases, tensor } from '../../test/one-node.js';

const old = { opset: 7 };
nodeCases('Affine', old, [
  ['a factor and a summand', [floats([1, 2])], [floats([3, 5])], { attributes: { alpha: 2, beta: 1 } }],
  ['as it is', [floats([1, 2])], [floats([1, 2])]],
  ['of integers', [ints([1])], /input 0 of type int64/],
]);
nodeCases('Scale', old, [['a factor', [floats([1, -2])], [floats([2, -4])], { attributes: { scale: 2 } }]]);
nodeCases('ScaledTanh', old, [
  ['before and within', [floats([0, 1e9, -1e9])], [floats([0, 2, -2])], { attributes: { alpha: 2, beta: 0.5 } }],
]);
nodeCases('ParametricSoftplus', old, [
  [
    'it does not overflow',
    [floats([0, 1000])],
    [floats([2 * Math.log(2), 6000])],
    { attributes: { alpha: 2, beta: 3 } },
  ],
]);

const image = floats([0, 1, 2, 3, 4, 5, 6, 7], [1, 2, 2, 2]);
nodeCases('ImageScaler', old, [
  [
    'a factor, and a summand a channel',
    [image],
    [floats([10, 12, 14, 16, 108, 110, 112, 114], [1, 2, 2, 2])],
    { attributes: { scale: 2, bias: [10, 100] } },
  ],
  [
    'a channel too few',
    [image],
    /expected 2 biases, one per channel, received 1 biases/,
    { attributes: { bias: [1] } },
  ],
  ['no images', [floats([1])], /expected images \[N, C, H, W\], received shape \[1\]/, { attributes: { bias: [1] } }],
]);

const wide = floats([0, 1, 2, 3, 4, 5], [1, 1, 2, 3]);
nodeCases('Crop', old, [
  ['left, top, right, bottom', [wide], [floats([4], [1, 1, 1, 1])], { attributes: { border: [1, 1, 1, 0] } }],
  [
    'so many from the left and the top on',
    [wide],
    [floats([1, 2], [1, 1, 1, 2])],
    { attributes: { border: [1, 0, 0, 0], scale: [1, 2] } },
  ],
  ['nothing is left', [wide], [floats([], [1, 1, 0, 3])], { attributes: { border: [0, 2, 0, 0] } }],
  [
    'more than there is',
    [wide],
    /2 rows and 3 columns from \[0, 1\]/,
    { attributes: { border: [1, 0, 0, 0], scale: [2, 3] } },
  ],
  ['beyond the border', [wide], /-1 columns/, { attributes: { border: [2, 0, 2, 0] } }],
  ['outwards', [wide], /a border of \[-1,0,0,0\]/, { attributes: { border: [-1, 0, 0, 0] } }],
]);

nodeCases('DynamicSlice', old, [
  [
    'ends beyond the last',
    [floats([1, 2, 3, 4, 5, 6], [2, 3]), ints([0, 1]), ints([1, 100])],
    [floats([2, 3], [1, 2])],
  ],
  ['axes', [floats([1, 2, 3, 4, 5, 6], [2, 3]), ints([-2]), ints([-1]), ints([1])], [floats([2, 5], [2, 1])]],
]);

const pairs = floats([1, 3, 10, 30], [1, 2, 1, 2]);
nodeCases('MeanVarianceNormalization', old, [
  ['each channel', [pairs], [floats([-1, 1, -1, 1], [1, 2, 1, 2])]],
  ['less the mean alone', [pairs], [floats([-1, 1, -10, 10], [1, 2, 1, 2])], { attributes: { normalize_variance: 0 } }],
  [
    'across channels',
    [tensor('float64', [1, 1, 3, 3], [1, 2, 1, 2])],
    [
      tensor(
        'float64',
        [-1, -1, 1, 1].map((x) => x / (1 + 1e-9)),
        [1, 2, 1, 2],
      ),
    ],
    { attributes: { across_channels: 1 } },
  ],
  ['no images', [floats([1])], /expected images \[N, C, H, W\], received shape \[1\]/],
]);
