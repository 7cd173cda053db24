import { describe } from 'vitest';
import { floats, ints, nodeCases, type OneNode, tensor, texts } from '../../test/one-node.js';

const line = floats([1, 2, 3, 4]);
const none = undefined;
const attributes = (more: Record<string, number | string | readonly number[]>): OneNode => ({ attributes: more });

describe('nearest', () => {
  nodeCases('Resize', {}, [
    ['twice as many', [floats([1, 2]), none, floats([2])], [floats([1, 1, 2, 2])]],
    ['sizes', [line, none, none, ints([2])], [floats([1, 3])]], // 0.5 and 2.5: halves go down
    [
      'round_prefer_ceil',
      [line, none, none, ints([2])],
      [floats([2, 4])],
      attributes({ nearest_mode: 'round_prefer_ceil' }),
    ],
    ['floor', [line, none, none, ints([2])], [floats([1, 3])], attributes({ nearest_mode: 'floor' })],
    ['ceil', [line, none, none, ints([2])], [floats([2, 4])], attributes({ nearest_mode: 'ceil' })],
    [
      'asymmetric',
      [line, none, none, ints([2])],
      [floats([1, 3])],
      attributes({ coordinate_transformation_mode: 'asymmetric', nearest_mode: 'floor' }),
    ],
    [
      'a third is no exact number', // 6 / fround(1/3) is 17.99.. in float64
      [floats([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]), none, floats([1 / 3])],
      [floats([0, 3, 6, 9])],
      attributes({ coordinate_transformation_mode: 'asymmetric', nearest_mode: 'floor' }),
    ],
    [
      'the middle of two entries, within float32', // 1 / fround(2 / 7) is 3.4999998
      [floats([0, 1, 2, 3, 4, 5, 6]), none, none, ints([2])],
      [floats([0, 4])],
      attributes({ coordinate_transformation_mode: 'asymmetric', nearest_mode: 'round_prefer_ceil' }),
    ],
    [
      'the size is computed in float32',
      [floats([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), none, floats([0.7])],
      [floats([1, 3, 4, 5, 7, 8, 10])],
    ],
    ['texts', [texts(['a', 'b']), none, floats([2])], [texts(['a', 'a', 'b', 'b'])]],
    ['int64', [ints([5, 6]), none, floats([2])], [ints([5, 5, 6, 6])]],
    [
      'axes',
      [floats([1, 2, 3, 4], [2, 2]), none, floats([2])],
      [floats([1, 1, 2, 2, 3, 3, 4, 4], [2, 4])],
      attributes({ axes: [-1] }),
    ],
    [
      'not larger: the least ratio of all',
      [floats([1, 2, 3, 4, 5, 6, 7, 8], [2, 4]), none, none, ints([4, 6])],
      [floats([1, 1, 2, 3, 3, 4, 1, 1, 2, 3, 3, 4, 5, 5, 6, 7, 7, 8], [3, 6])],
      attributes({ keep_aspect_ratio_policy: 'not_larger' }),
    ],
    [
      'not smaller',
      [floats([1, 2], [1, 2]), none, none, ints([2, 2])],
      [floats([1, 1, 2, 2, 1, 1, 2, 2], [2, 4])],
      attributes({ keep_aspect_ratio_policy: 'not_smaller' }),
    ],
    [
      'a region, and what lies beyond it',
      [line, floats([0.5, 1.5]), none, ints([3])],
      [floats([2, 4, 9])], // 1.5, 3, 4.5
      attributes({ coordinate_transformation_mode: 'tf_crop_and_resize', extrapolation_value: 9 }),
    ],
    [
      'the middle of a region',
      [line, floats([0, 1]), none, ints([1])],
      [floats([2])],
      attributes({ coordinate_transformation_mode: 'tf_crop_and_resize' }),
    ],
    ['nothing to give', [floats([], [0]), none, none, ints([0])], [floats([], [0])]],
    [
      'something of nothing',
      [floats([], [0]), none, none, ints([2])],
      /expected an input with at least one element, received shape \[0\] to resize to \[2\]/,
    ],
    ['a scale of 0', [line, none, floats([0])], /a scale of 0/],
    ['a scale too few', [floats([1], [1, 1]), none, floats([1])], /\[1\] for 2 axes/],
    ['neither', [line], /neither scales nor sizes/],
    ['a huge scale', [line, none, floats([1e30])], /expected sizes that are integers, 0 or greater/],
    [
      'no region',
      [line, none, floats([1])],
      /a roi of shape/,
      attributes({ coordinate_transformation_mode: 'tf_crop_and_resize' }),
    ],
    ['another mode', [line, none, floats([1])], /'mode' = 'lanczos'/, attributes({ mode: 'lanczos' })],
  ]);
  nodeCases('Resize', { opset: 10 }, [
    ['version 10 takes the next one on the way down', [floats([1, 2, 3, 4]), floats([0.6])], [floats([1, 3])]],
    ['and the one before on the way up', [floats([1, 2]), floats([2])], [floats([1, 1, 2, 2])]],
  ]);
  nodeCases('Resize', { opset: 11 }, [
    ['empty scales before sizes', [floats([1, 2]), floats([]), floats([]), ints([4])], [floats([1, 1, 2, 2])]],
    [
      'tf_half_pixel_for_nn',
      [line, floats([]), floats([]), ints([2])],
      [floats([2, 4])],
      attributes({ coordinate_transformation_mode: 'tf_half_pixel_for_nn', nearest_mode: 'floor' }),
    ],
  ]);
});

describe('linear and cubic', () => {
  const linear = (more: Record<string, number | string | readonly number[]> = {}) =>
    attributes({ mode: 'linear', ...more });
  const cubic = (more: Record<string, number | string | readonly number[]> = {}) =>
    attributes({ mode: 'cubic', ...more });
  nodeCases('Resize', linear(), [
    ['half pixels', [floats([0, 4]), none, floats([2])], [floats([0, 1, 3, 4])]],
    [
      'aligned corners',
      [floats([0, 4]), none, floats([2])],
      [floats([0, 4 / 3, 8 / 3, 4])],
      linear({ coordinate_transformation_mode: 'align_corners' }),
    ],
    [
      'asymmetric',
      [floats([0, 4]), none, floats([2])],
      [floats([0, 2, 4, 4])],
      linear({ coordinate_transformation_mode: 'asymmetric' }),
    ],
    [
      'one entry of pytorch',
      [line, none, none, ints([1])],
      [floats([1])],
      linear({ coordinate_transformation_mode: 'pytorch_half_pixel' }),
    ],
    [
      'symmetric: the middle stays the middle', // 2.5 entries wanted, 2 given
      [floats([1, 2, 3, 4, 5]), none, floats([0.5])],
      [floats([2, 4])],
      linear({ coordinate_transformation_mode: 'half_pixel_symmetric' }),
    ],
    ['two axes', [floats([0, 4, 8, 12], [2, 2]), none, none, ints([2, 1])], [floats([2, 10], [2, 1])]],
    ['antialiased', [line, none, none, ints([2])], [floats([1.625, 3.375])], linear({ antialias: 1 })],
    [
      'antialiased without what lies outside',
      [line, none, none, ints([2])],
      [floats([12 / 7, 23 / 7])],
      linear({ antialias: 1, exclude_outside: 1 }),
    ],
    ['int32 is truncated', [tensor('int32', [0, 3]), none, floats([2])], [tensor('int32', [0, 0, 2, 3])]],
    ['uint8', [tensor('uint8', [0, 255]), none, floats([2])], [tensor('uint8', [0, 63, 191, 255])]],
    ['int64', [ints([0, 4]), none, floats([2])], [ints([0, 1, 3, 4])]],
    ['float16', [tensor('float16', [0, 4]), none, floats([2])], [tensor('float16', [0, 1, 3, 4])]],
    [
      'an infinite neighbour without weight',
      [floats([1, Number.POSITIVE_INFINITY]), none, none, ints([3])],
      [floats([1, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY])],
      linear({ coordinate_transformation_mode: 'align_corners' }),
    ],
    [
      'beyond a region',
      [line, floats([0.5, 1.5]), none, ints([3])],
      [floats([2.5, 4, -1])],
      linear({ coordinate_transformation_mode: 'tf_crop_and_resize', extrapolation_value: -1 }),
    ],
    ['texts', [texts(['a']), none, floats([2])], /input 0 of type string/],
    [
      'a filter that reaches too far',
      [line, floats([0, 1e9]), floats([1e-9])],
      /budget/,
      linear({ coordinate_transformation_mode: 'tf_crop_and_resize', antialias: 1 }),
    ],
  ]);
  nodeCases('Resize', cubic(), [
    // Weights of 0.5 are -0.09375, 0.59375, 0.59375, -0.09375.
    ['a half', [floats([0, 0, 16, 0]), none, none, ints([1])], [floats([9.5])]],
    ['edges are repeated', [floats([16, 0]), none, none, ints([1])], [floats([8])]],
    ['or left out', [floats([16, 0]), none, none, ints([1])], [floats([8])], cubic({ exclude_outside: 1 })],
    [
      'another coefficient',
      [floats([0, 0, 16, 0]), none, none, ints([1])],
      [floats([9])],
      cubic({ cubic_coeff_a: -0.5 }),
    ],
    ['no change', [line, none, floats([1])], [line]],
    [
      'antialiased keeps what is even',
      [floats([3, 3, 3, 3, 3]), none, none, ints([2])],
      [floats([3, 3])],
      cubic({ antialias: 1 }),
    ],
  ]);
});

describe('Upsample', () => {
  nodeCases('Upsample', { opset: 9 }, [
    ['nearest', [floats([1, 2]), floats([2])], [floats([1, 1, 2, 2])]],
    ['linear', [floats([0, 4]), floats([2])], [floats([0, 2, 4, 4])], attributes({ mode: 'linear' })],
  ]);
  nodeCases('Upsample', { opset: 7 }, [
    ['scales as an attribute', [floats([1, 2])], [floats([1, 1, 2, 2])], attributes({ scales: [2] })],
  ]);
  nodeCases('Upsample', { opset: 1 }, [
    [
      'scales of height and width',
      [floats([1, 2], [1, 1, 1, 2])],
      [floats([1, 2, 1, 2], [1, 1, 2, 2])],
      attributes({ height_scale: 2, width_scale: 1, mode: 'nearest' }),
    ],
  ]);
});
