import { describe } from 'vitest';
import { floats, ints, nodeCases, type OneNode, tensor, texts } from './one-node.js';

const none = undefined;
const attributes = (more: Record<string, number | string | readonly number[]>): OneNode => ({ attributes: more });
const line = floats([1, 2, 3], [1, 1, 3]);
const square = floats([1, 2, 3, 4], [1, 1, 2, 2]);

describe('ConvTranspose', () => {
  const kernel = floats([1, 10, 100], [1, 1, 3]);
  nodeCases('ConvTranspose', {}, [
    ['a line', [line, kernel], [floats([1, 12, 123, 230, 300], [1, 1, 5])]],
    ['a bias', [line, kernel, floats([5])], [floats([6, 17, 128, 235, 305], [1, 1, 5])]],
    ['strides', [line, kernel], [floats([1, 10, 102, 20, 203, 30, 300], [1, 1, 7])], attributes({ strides: [2] })],
    ['dilations', [line, kernel], [floats([1, 2, 13, 20, 130, 200, 300], [1, 1, 7])], attributes({ dilations: [2] })],
    ['pads', [line, kernel], [floats([12, 123, 230], [1, 1, 3])], attributes({ pads: [1, 1] })],
    [
      'output_padding',
      [line, kernel],
      [floats([1, 10, 102, 20, 203, 30, 300, 0], [1, 1, 8])],
      attributes({ strides: [2], output_padding: [1] }),
    ],
    [
      'output_shape cuts more before',
      [line, kernel],
      [floats([12, 123, 230, 300], [1, 1, 4])],
      attributes({ output_shape: [4] }),
    ],
    [
      'or behind',
      [line, kernel],
      [floats([1, 12, 123, 230], [1, 1, 4])],
      attributes({ output_shape: [4], auto_pad: 'SAME_UPPER' }),
    ],
    [
      'output_shape with batch and channels',
      [line, kernel],
      [floats([12, 123, 230], [1, 1, 3])],
      attributes({ output_shape: [1, 1, 3] }),
    ],
    [
      'a larger output_shape',
      [line, kernel, floats([7])],
      [floats([8, 19, 130, 237, 307, 7], [1, 1, 6])],
      attributes({ output_shape: [6] }),
    ],
    [
      'SAME_LOWER',
      [line, kernel],
      [floats([10, 102, 20, 203, 30, 300], [1, 1, 6])],
      attributes({ auto_pad: 'SAME_LOWER', strides: [2] }),
    ],
    [
      'VALID',
      [line, kernel],
      [floats([1, 12, 123, 230, 300], [1, 1, 5])],
      attributes({ auto_pad: 'VALID', pads: [1, 1] }),
    ],
    [
      'groups',
      [floats([1, 2, 3, 4], [1, 2, 2]), floats([1, 10, 100, 1000], [2, 2, 1])],
      [floats([1, 2, 10, 20, 300, 400, 3000, 4000], [1, 4, 2])],
      attributes({ group: 2 }),
    ],
    ['channels add up', [floats([1, 2, 3, 4], [1, 2, 2]), floats([1, 10], [2, 1, 1])], [floats([31, 42], [1, 1, 2])]],
    ['two axes', [square, floats([1, 10], [1, 1, 1, 2])], [floats([1, 12, 20, 3, 34, 40], [1, 1, 2, 3])]],
    ['one sum in float64', [floats([1e8, 1, -1e8], [1, 3, 1]), floats([1, 1, 1], [3, 1, 1])], [floats([1], [1, 1, 1])]],
    ['weights of other channels', [line, floats([1], [2, 1, 1])], /weights \[2, 1, 1\]/],
    ['a kernel of another rank', [line, floats([1], [1, 1, 1, 1])], /weights/],
    [
      'pads that eat all of it',
      [line, floats([1], [1, 1, 1])],
      /expected sizes that are integers, 0 or greater, received the shape \[1, 1, -15\]/,
      attributes({ pads: [9, 9] }),
    ],
    ['a huge output_shape', [line, kernel], /budget|memory can hold/, attributes({ output_shape: [2 ** 45] })],
    ['huge strides', [line, kernel], /budget|memory can hold/, attributes({ strides: [2 ** 45] })],
    ['a stride too many', [line, kernel], /strides \[1,1\]/, attributes({ strides: [1, 1] })],
  ]);
});

describe('Col2Im', () => {
  // Blocks of two entries in a line of four entries. The rows of the input hold the first and the
  // second entry of each block.
  nodeCases('Col2Im', {}, [
    [
      'adds up where blocks meet',
      [floats([1, 2, 3, 10, 20, 30], [1, 2, 3]), ints([1, 4]), ints([1, 2])],
      [floats([1, 12, 23, 30], [1, 1, 1, 4])],
    ],
    ['channels', [floats([1, 2, 3, 4], [1, 4, 1]), ints([1, 2]), ints([1, 2])], [floats([1, 2, 3, 4], [1, 2, 1, 2])]],
    [
      'strides, dilations and pads',
      [floats([1, 2, 3, 4], [1, 2, 2]), ints([1, 4]), ints([1, 2])],
      [floats([3, 2, 0, 4], [1, 1, 1, 4])], // the windows cover -2 and 0, then 1 and 3
      attributes({ strides: [1, 3], dilations: [1, 2], pads: [0, 2, 0, 0] }),
    ],
    [
      'uint8',
      [tensor('uint8', [1, 2], [1, 2, 1]), ints([1, 2]), ints([1, 2])],
      [tensor('uint8', [1, 2], [1, 1, 1, 2])],
    ],
    [
      'columns that do not fit',
      [floats([1, 2], [1, 2, 1]), ints([1, 4]), ints([1, 2])],
      /expected columns \[batch, channels \* 2, 3\] for blocks \[1, 2\] of an image \[1, 4\]/,
    ],
    [
      'a huge image under one block',
      [floats([1], [1, 1, 1]), ints([2 ** 30, 2 ** 30]), ints([1, 1])],
      /budget|memory can hold/,
      attributes({ strides: [2 ** 30, 2 ** 30] }),
    ],
  ]);
});

describe('pools', () => {
  const two = { kernel_shape: [2] };
  nodeCases('MaxPool', attributes(two), [
    ['uint8', [tensor('uint8', [1, 255, 3], [1, 1, 3])], [tensor('uint8', [255, 255], [1, 1, 2])]],
    ['int8', [tensor('int8', [-3, -2, -1], [1, 1, 3])], [tensor('int8', [-2, -1], [1, 1, 2])]],
  ]);
  nodeCases('AveragePool', attributes(two), [
    ['dilations', [line], [floats([2], [1, 1, 1])], attributes({ ...two, dilations: [2] })],
  ]);
  nodeCases('LpPool', attributes(two), [
    ['L2', [floats([3, 4, 0], [1, 1, 3])], [floats([5, 4], [1, 1, 2])]],
    ['L1', [floats([3, -4, 0], [1, 1, 3])], [floats([7, 4], [1, 1, 2])], attributes({ ...two, p: 1 })],
    ['L3', [floats([3, 4, 5], [1, 1, 3])], [floats([6], [1, 1, 1])], attributes({ kernel_shape: [3], p: 3 })],
    [
      'padding is 0; the last window cut short',
      [line],
      [floats([1, Math.hypot(2, 3)], [1, 1, 2])],
      attributes({ ...two, strides: [2], pads: [1, 0], ceil_mode: 1 }),
    ],
    ['p = 0', [line], /p = 0/, attributes({ ...two, p: 0 })],
  ]);
  nodeCases('GlobalLpPool', {}, [
    ['L2', [floats([3, 4, 6, 8], [1, 2, 2])], [floats([5, 10], [1, 2, 1])]],
    ['L1', [floats([3, -4], [1, 1, 2])], [floats([7], [1, 1, 1])], attributes({ p: 1 })],
  ]);
});

describe('MaxUnpool', () => {
  const windows = { kernel_shape: [2, 2], strides: [2, 2] };
  const places = ints([3, 14], [1, 1, 1, 2]);
  nodeCases('MaxUnpool', attributes(windows), [
    [
      'zeros elsewhere',
      [floats([1, 2], [1, 1, 1, 2]), ints([3, 4], [1, 1, 1, 2])],
      [floats([0, 0, 0, 1, 2, 0, 0, 0], [1, 1, 2, 4])],
    ],
    [
      'a larger shape: places of the smaller one',
      [floats([1, 2], [1, 1, 1, 2]), ints([3, 4], [1, 1, 1, 2]), ints([1, 1, 3, 5])],
      [floats([0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0], [1, 1, 3, 5])],
    ],
    [
      'pads were cut off',
      [floats([1, 2], [1, 1, 2]), ints([0, 2], [1, 1, 2])],
      [floats([1, 0, 2], [1, 1, 3])],
      attributes({ kernel_shape: [2], strides: [2], pads: [1, 0] }),
    ],
    ['a place beyond all', [floats([1, 2], [1, 1, 1, 2]), places], /expected indexes from 0 to 7, received index 14/],
    ['a negative place', [floats([1], [1, 1, 1, 1]), ints([-1], [1, 1, 1, 1])], /index -1/],
    [
      'a smaller shape',
      [floats([1, 2], [1, 1, 1, 2]), places, ints([1, 1, 1, 1])],
      /expected output_shape \[1, 1, 2, 4\] or larger, received output_shape \[1, 1, 1, 1\]/,
    ],
    [
      'a huge kernel',
      [floats([1], [1, 1, 1, 1]), ints([0], [1, 1, 1, 1])],
      /budget|memory can hold/,
      attributes({ kernel_shape: [2 ** 40, 2 ** 40] }),
    ],
    [
      'a huge shape',
      [floats([1], [1, 1, 1, 1]), ints([0], [1, 1, 1, 1]), ints([1, 1, 2 ** 30, 2 ** 30])],
      /budget|memory can hold/,
    ],
  ]);
});

describe('normalizations of channels', () => {
  const image = floats([1, 3, 5, 9], [1, 2, 2]);
  nodeCases('InstanceNormalization', attributes({ epsilon: 0 }), [
    ['each channel on its own', [image, floats([1, 2]), floats([0, 10])], [floats([-1, 1, 8, 12], [1, 2, 2])]],
    [
      'each image on its own',
      [floats([1, 3, 5, 9], [2, 1, 2]), floats([1]), floats([0])],
      [floats([-1, 1, -1, 1], [2, 1, 2])],
    ],
    [
      'epsilon',
      [image, floats([2, 2]), floats([0, 0])],
      [floats([-1, 1, -4 / Math.sqrt(7), 4 / Math.sqrt(7)], [1, 2, 2])],
      attributes({ epsilon: 3 }),
    ],
    [
      'a scale too few',
      [image, floats([1]), floats([0, 0])],
      /expected input 1 of shape \[2\], received input 1 of shape \[1\]/,
    ],
  ]);
  const four = floats([1, 3, 5, 7], [1, 4, 1]);
  const own = attributes({ epsilon: 0, num_groups: 2 });
  nodeCases('GroupNormalization', own, [
    ['one scale a channel', [four, floats([1, 2, 3, 4]), floats([0, 0, 0, 10])], [floats([-1, 2, -3, 14], [1, 4, 1])]],
    [
      'one scale a group before version 21',
      [four, floats([1, 2]), floats([0, 10])],
      [floats([-1, 1, 8, 12], [1, 4, 1])],
      { ...own, opset: 20 },
    ],
    [
      'groups that do not fit',
      [four, floats([1]), floats([0])],
      /3 groups of 4 channels/,
      attributes({ num_groups: 3 }),
    ],
    ['no groups', [four, floats([1]), floats([0])], /no attribute 'num_groups'/, attributes({})],
  ]);
  nodeCases('LRN', attributes({ size: 3, alpha: 3, beta: 1, bias: 0 }), [
    ['squares of the neighbours', [floats([1, 2, 3], [1, 3, 1])], [floats([1 / 5, 2 / 14, 3 / 13], [1, 3, 1])]],
    [
      'of an even number one more behind',
      [floats([1, 2, 3], [1, 3, 1])],
      [floats([1 / 5, 2 / 13, 3 / 9], [1, 3, 1])],
      attributes({ size: 2, alpha: 2, beta: 1, bias: 0 }),
    ],
    ['each place on its own', [floats([1, 2, 3, 4], [1, 2, 2])], [floats([1 / 10, 2 / 20, 3 / 10, 4 / 20], [1, 2, 2])]],
    [
      'beta',
      [floats([2], [1, 1, 1])],
      [floats([0.25], [1, 1, 1])],
      attributes({ size: 1, alpha: 3, beta: 0.75, bias: 4 }),
    ],
    ['no channels', [floats([1], [1, 1, 1])], /size 0/, attributes({ size: 0 })],
  ]);
  const [ones, zeros] = [floats([1, 1]), floats([0, 0])];
  nodeCases('BatchNormalization', { outputs: 3, ...attributes({ training_mode: 1, epsilon: 0, momentum: 0.75 }) }, [
    [
      'statistics of its own, and they move the others',
      [floats([1, 5, 3, 9], [2, 2, 1]), ones, zeros, floats([0, 4]), floats([4, 8])],
      [floats([-1, -1, 1, 1], [2, 2, 1]), floats([0.5, 4.75]), floats([3.25, 7])],
    ],
  ]);
});

describe('points between entries', () => {
  const points = (values: readonly number[]) => floats(values, [1, 1, values.length / 2, 2]);
  nodeCases('GridSample', {}, [
    // Edges of entries lie at -1, 0 and 1, their middles at -0.5 and 0.5.
    ['x comes first', [square, points([-0.5, 0.5, 0.5, -0.5])], [floats([3, 2], [1, 1, 1, 2])]],
    ['between four', [square, points([0, 0])], [floats([2.5], [1, 1, 1, 1])]],
    ['zeros around', [square, points([-1, -0.5, -3, 0])], [floats([0.5, 0], [1, 1, 1, 2])]],
    ['no number', [square, points([Number.NaN, 0, Number.POSITIVE_INFINITY, 0])], [floats([0, 0], [1, 1, 1, 2])]],
    [
      'the border',
      [square, points([-3, -0.5, 1, 3])],
      [floats([1, 4], [1, 1, 1, 2])],
      attributes({ padding_mode: 'border' }),
    ],
    [
      'turned at the edges',
      [square, points([-1.5, -0.5, 2.5, -0.5])],
      [floats([1, 1], [1, 1, 1, 2])],
      attributes({ padding_mode: 'reflection' }),
    ],
    [
      'turned at the middles',
      [floats([1, 2, 3], [1, 1, 1, 3]), points([-2, 0, 3, 0])],
      [floats([2, 1], [1, 1, 1, 2])],
      attributes({ padding_mode: 'reflection', align_corners: 1 }),
    ],
    [
      'corners in the middles',
      [square, points([-1, -1, 1, 0])],
      [floats([1, 3], [1, 1, 1, 2])],
      attributes({ align_corners: 1 }),
    ],
    [
      'nearest: halves to even',
      [floats([1, 2, 3], [1, 1, 1, 3]), points([-0.5, 0, 0.5, 0])],
      [floats([1, 3], [1, 1, 1, 2])],
      attributes({ mode: 'nearest', align_corners: 1 }),
    ],
    // -0.09375, 0.59375, 0.59375, -0.09375
    [
      'cubic',
      [floats([0, 0, 16, 0], [1, 1, 1, 4]), points([0, 0])],
      [floats([9.5], [1, 1, 1, 1])],
      attributes({ mode: 'cubic' }),
    ],
    [
      'a volume: x, y, z',
      [floats([1, 2, 3, 4, 5, 6, 7, 8], [1, 1, 2, 2, 2]), floats([1, -1, -1, -1, 1, 1, 0, 0, 0], [1, 3, 1, 1, 3])],
      [floats([2, 7, 4.5], [1, 1, 3, 1, 1])],
      attributes({ align_corners: 1 }),
    ],
    [
      'channels and images',
      [floats([1, 2, 3, 4], [2, 2, 1, 1]), floats([0, 0, 0, 0], [2, 1, 1, 2])],
      [floats([1, 2, 3, 4], [2, 2, 1, 1])],
    ],
    ['a grid of other points', [square, floats([0, 0, 0], [1, 1, 1, 3])], /a grid \[1, 1, 1, 3\]/],
    ['a grid for more images', [square, floats([0, 0, 0, 0], [2, 1, 1, 2])], /a grid \[2, 1, 1, 2\]/],
  ]);
  nodeCases('GridSample', { opset: 16 }, [
    ['old names', [square, points([0, 0])], [floats([2.5], [1, 1, 1, 1])], attributes({ mode: 'bilinear' })],
  ]);
  nodeCases('AffineGrid', {}, [
    ['edges', [floats([1, 0, 0, 0, 1, 0], [1, 2, 3]), ints([1, 1, 1, 2])], [floats([-0.5, 0, 0.5, 0], [1, 1, 2, 2])]],
    [
      'middles, turned and moved',
      [floats([0, -1, 0.5, 1, 0, 0], [1, 2, 3]), ints([1, 1, 2, 2])],
      [floats([1.5, -1, 1.5, 1, -0.5, -1, -0.5, 1], [1, 2, 2, 2])],
      attributes({ align_corners: 1 }),
    ],
    [
      'a volume',
      [floats([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 7], [1, 3, 4]), ints([1, 1, 1, 1, 1])],
      [floats([0, 0, 7], [1, 1, 1, 1, 3])],
    ],
    [
      'one entry with corners',
      [floats([1, 0, 0, 0, 1, 0], [1, 2, 3]), ints([1, 1, 1, 1])],
      [floats([-1, -1], [1, 1, 1, 2])],
      attributes({ align_corners: 1 }),
    ],
    ['a huge image', [floats([1, 0, 0, 0, 1, 0], [1, 2, 3]), ints([1, 1, 2 ** 40, 2 ** 40])], /budget|memory can hold/],
    ['another batch', [floats([1, 0, 0, 0, 1, 0], [1, 2, 3]), ints([2, 1, 1, 1])], /theta \[1, 2, 3\]/],
  ]);
  const kernel = floats([1, 10], [1, 1, 1, 2]);
  const wide = floats([1, 2, 3], [1, 1, 1, 3]);
  const offsets = (values: readonly number[]) => floats(values, [1, 4, 1, 2]);
  nodeCases('DeformConv', {}, [
    ['no offsets', [wide, kernel, offsets([0, 0, 0, 0, 0, 0, 0, 0])], [floats([21, 32], [1, 1, 1, 2])]],
    [
      'down and right, tap by tap',
      // In both windows, the first of the two taps (entries of the kernel) is moved right by half
      // an entry. The second tap is moved down: by one entry, and in the second window by half an
      // entry.
      [wide, kernel, offsets([0, 0, 0.5, 0.5, 1, 0.5, 0, 0])],
      [floats([1.5, 17.5], [1, 1, 1, 2])],
    ],
    [
      'a mask and a bias',
      [wide, kernel, offsets([0, 0, 0, 0, 0, 0, 0, 0]), floats([5]), floats([1, 2, 0.5, 0], [1, 2, 1, 2])],
      [floats([16, 9], [1, 1, 1, 2])],
    ],
    [
      'offset groups',
      [
        floats([1, 2, 3, 4], [1, 2, 1, 2]),
        floats([1, 10], [1, 2, 1, 1]),
        floats([0, 0, 0, 0, 0, 0, -1, 1], [1, 4, 1, 2]),
      ],
      [floats([1, 2], [1, 1, 1, 2])],
      attributes({ offset_group: 2 }),
    ],
    ['offsets that do not fit', [wide, kernel, floats([0], [1, 1, 1, 1])], /offsets \[1, 1, 1, 1\]/],
    ['groups that do not fit', [wide, kernel, offsets([0, 0, 0, 0, 0, 0, 0, 0])], /2 groups/, attributes({ group: 2 })],
  ]);
});

describe('CenterCropPad', () => {
  nodeCases('CenterCropPad', {}, [
    ['cut', [floats([1, 2, 3, 4, 5]), ints([2])], [floats([2, 3])]],
    ['padded', [floats([1, 2]), ints([5])], [floats([0, 1, 2, 0, 0])]],
    ['both', [floats([1, 2, 3, 4, 5, 6], [2, 3]), ints([3, 1])], [floats([2, 5, 0], [3, 1])]],
    [
      'axes',
      [floats([1, 2, 3, 4], [2, 2]), tensor('int32', [1])],
      [floats([1, 3], [2, 1])],
      attributes({ axes: [-1] }),
    ],
    ['texts', [texts(['a']), ints([2])], [texts(['a', ''])]],
    ['a size too few', [floats([1], [1, 1]), ints([1])], /sizes \[1\] of 2 axes/],
    ['a huge size', [floats([1]), ints([2 ** 45])], /budget|memory can hold/],
    ['no sizes', [floats([1]), none], /no input 1/],
  ]);
});
