import { describe } from 'vitest';
import { bools, floats, ints, nodeCases, tensor } from '../../test/one-node.js';

const { NaN: nan, NEGATIVE_INFINITY: least } = Number;
const f = Math.fround;
const matrix = floats([1, 2, 3, 4, 5, 6], [2, 3]);
/** The expected normalized value of an element that differs from the mean by 1. */
const unit = 1 / Math.sqrt(1 + f(1e-5));

describe('softmax', () => {
  nodeCases('Softmax', {}, [
    ['the last axis', [floats([0, 0, 1000, 0], [2, 2])], [floats([0.5, 0.5, 1, 0], [2, 2])]],
    [
      'another axis',
      [floats([0, 0, 0, 0], [2, 2])],
      [floats([0.5, 0.5, 0.5, 0.5], [2, 2])],
      { attributes: { axis: 0 } },
    ],
    [
      'all axes from axis 1 before version 13',
      [floats([0, 0, 0, 0], [1, 2, 2])],
      [floats([0.25, 0.25, 0.25, 0.25], [1, 2, 2])],
      { opset: 12 },
    ],
    ['a matrix of one column', [floats([3, 4], [2])], [floats([1, 1], [2])], { opset: 12 }],
    ['infinite', [floats([least, least])], [floats([nan, nan])]],
    ['no elements', [floats([], [2, 0])], [floats([], [2, 0])]],
    ['a scalar', [floats([1], [])], /axis -1 of a tensor of 0 axes/],
    ['integers', [ints([1])], /input 0 of type int64/],
  ]);
  nodeCases('LogSoftmax', {}, [['large', [floats([1000, 1000])], [floats([-Math.LN2, -Math.LN2])]]]);
  nodeCases('Hardmax', {}, [
    ['the first of two', [floats([3, 3, 1, nan, 1, 2], [2, 3])], [floats([1, 0, 0, 1, 0, 0], [2, 3])]],
    [
      'as one axis before version 13',
      [floats([1, 2, 4, 3], [1, 2, 2])],
      [floats([0, 0, 1, 0], [1, 2, 2])],
      { opset: 1 },
    ],
  ]);
});

describe('norms', () => {
  nodeCases('LpNormalization', {}, [
    ['L2', [floats([3, 4, 0, 0], [2, 2])], [floats([0.6, 0.8, 0, 0], [2, 2])]],
    ['L1 along axis 0', [floats([1, -3], [2, 1])], [floats([0.25, -0.75], [2, 1])], { attributes: { p: 1, axis: 0 } }],
    ['float64', [tensor('float64', [3, 4])], [tensor('float64', [0.6, 0.8])]],
    ['another p', [matrix], /expected p 1 or 2, received p = 3/, { attributes: { p: 3 } }],
  ]);
  nodeCases('MeanVarianceNormalization', { opset: 13 }, [
    ['one axis', [floats([1, 3])], [floats([-1, 1])], { attributes: { axes: [0] } }],
    ['constant', [floats([5, 5])], [floats([0, 0])], { attributes: { axes: [0] } }],
    ['four axes by default', [matrix], /axis 2 of a tensor of 2 axes/],
  ]);
  nodeCases('LayerNormalization', {}, [
    [
      'scale, bias, means and deviations',
      [floats([1, 3, 5, 7], [2, 2]), floats([2, 3]), floats([10, 20])],
      [
        floats([10 - 2 * unit, 20 + 3 * unit, 10 - 2 * unit, 20 + 3 * unit], [2, 2]),
        floats([2, 6], [2, 1]),
        floats([unit, unit], [2, 1]),
      ],
      { outputs: 3 },
    ],
    ['all axes', [floats([1, 3], [2, 1]), floats([1])], [floats([-unit, unit], [2, 1])], { attributes: { axis: 0 } }],
    [
      'a scale that is larger',
      [floats([1, 2]), floats([1, 2, 3])],
      /expected a shape whose sizes, aligned at the last axis, are equal or 1/,
    ],
    ['no scale', [floats([1, 2])], /no input 1/],
    ['another stash type', [floats([1]), floats([1])], /stash_type 7/, { attributes: { stash_type: 7 } }],
  ]);
  nodeCases('RMSNormalization', {}, [
    [
      'the length of the mean square',
      [floats([3, 3]), floats([1, 2])],
      [floats([1, 2])],
      { attributes: { epsilon: 0 } },
    ],
    ['version 22 has none', [floats([1]), floats([1])], /no RMSNormalization 22/, { opset: 22 }],
  ]);
});

describe('the training mode', () => {
  const ones = floats([1, 1]);
  const image = floats([1, 2, 3, 4], [1, 2, 2]);
  nodeCases('BatchNormalization', { attributes: { epsilon: 0 } }, [
    [
      'a channel each',
      [image, floats([1, 2]), floats([0, 10]), floats([1, 3]), floats([1, 4])],
      [floats([0, 1, 10, 11], [1, 2, 2])],
    ],
    [
      'wrong statistics',
      [image, ones, ones, floats([1]), ones],
      /expected input 3 of shape \[2\], received input 3 of shape \[1\] for \[1, 2, 2\]/,
    ],
    ['training before version 14', [image, ones, ones, ones, ones], /a node that trains/, { opset: 7, outputs: 5 }],
    [
      'an element each',
      [floats([1, 2], [1, 2]), ones, ones, floats([1, 1]), ones],
      [floats([1, 2], [1, 2])],
      { opset: 7, attributes: { spatial: 0, epsilon: 0 } },
    ],
    ['rows without channels', [floats([1, 2]), floats([2]), floats([0]), floats([1]), floats([1])], [floats([0, 2])]],
  ]);
  nodeCases('Dropout', {}, [
    ['keeps all', [matrix], [matrix, bools([1, 1, 1, 1, 1, 1], [2, 3])], { outputs: 2 }],
    ['an old mask', [floats([1, 2])], [floats([1, 2]), floats([1, 1])], { outputs: 2, opset: 7 }],
    ['training with a ratio of 1', [matrix, floats([1], []), bools([1], [])], /a ratio of 1/],
    ['an old one that trains', [matrix], /a node that trains/, { outputs: 2, opset: 1 }],
    ['training that drops nothing', [matrix, floats([0], []), bools([1], [])], [matrix]],
  ]);
});
