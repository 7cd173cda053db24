import { describe } from 'vitest';
import { floats, ints, nodeCases, type OneNode } from '../../test/one-node.js';

const attributes = (more: Record<string, number | string | readonly number[]>): OneNode => ({ attributes: more });

describe('NonMaxSuppression', () => {
  // Two boxes with an intersection over union of 1/2, and a box that overlaps neither.
  const boxes = floats([0, 0, 1, 3, 0, 1, 1, 4, 5, 5, 6, 6], [1, 3, 4]);
  const scores = floats([0.5, 0.9, 0.7], [1, 1, 3]);
  const most = ints([9]);
  const at = (threshold: number) => floats([threshold]);
  const selected = (...triples: number[]) => [ints(triples, [triples.length / 3, 3])];
  nodeCases('NonMaxSuppression', {}, [
    ['the best first, without what overlaps it', [boxes, scores, most, at(0.4)], selected(0, 0, 1, 0, 0, 2)],
    ['an overlap of the threshold stays', [boxes, scores, most, at(0.5)], selected(0, 0, 1, 0, 0, 2, 0, 0, 0)],
    ['by default nothing may overlap', [boxes, scores, most], selected(0, 0, 1, 0, 0, 2)],
    ['by default none', [boxes, scores], selected()],
    ['some of each class', [boxes, floats([1, 2, 3, 3, 2, 1], [1, 2, 3]), ints([1])], selected(0, 0, 2, 0, 1, 0)],
    ['better than a score', [boxes, scores, most, at(1), at(0.7)], selected(0, 0, 1)],
    ['equal scores in order', [boxes, floats([1, 1, 1], [1, 1, 3]), most, at(1)], selected(0, 0, 0, 0, 0, 1, 0, 0, 2)],
    [
      'corners in any order',
      [floats([1, 3, 0, 0, 0, 4, 1, 1, 5, 5, 6, 6], [1, 3, 4]), scores, most, at(0.4)],
      selected(0, 0, 1, 0, 0, 2),
    ],
    [
      'centers',
      [floats([1.5, 0.5, 3, 1, 2.5, 0.5, 3, 1, 5.5, 5.5, 1, 1], [1, 3, 4]), scores, most, at(0.4)],
      selected(0, 0, 1, 0, 0, 2),
      attributes({ center_point_box: 1 }),
    ],
    [
      'boxes without an area',
      [floats([0, 0, 0, 0, 0, 0, 0, 0], [1, 2, 4]), floats([1, 2], [1, 1, 2]), most],
      selected(0, 0, 1, 0, 0, 0),
    ],
    ['no boxes', [floats([], [1, 0, 4]), floats([], [1, 1, 0]), most], selected()],
    [
      'each image',
      [floats([0, 0, 1, 1, 0, 0, 1, 1], [2, 1, 4]), floats([1, 2], [2, 1, 1]), most],
      selected(0, 0, 0, 1, 0, 0),
    ],
    ['scores of other boxes', [boxes, floats([1], [1, 1, 1]), most], /boxes \[1, 3, 4\], scores \[1, 1, 1\]/],
    ['a list of thresholds', [boxes, scores, most, floats([1, 2])], /a threshold of shape \[2\]/],
  ]);
});

const image = floats([1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 1, 3, 3]);
describe('RoiAlign', () => {
  const first = ints([0]);
  const whole = floats([0, 0, 3, 3], [1, 4]);
  const bins = { output_height: 2, output_width: 2 };
  nodeCases('RoiAlign', {}, [
    ['one bin, moved by half an entry', [image, whole, first], [floats([5], [1, 1, 1, 1])]],
    [
      'one point a bin', // at 0.25 and 1.75
      [image, whole, first],
      [floats([2, 3.5, 6.5, 8], [1, 1, 2, 2])],
      attributes({ ...bins, sampling_ratio: 1 }),
    ],
    [
      // The points are at -0.125, 0.625, 1.375 and 2.125. A point before the first or after the
      // last entry is moved to this entry.
      'as many as a bin has entries',
      [image, whole, first],
      [floats([2.25, 3.625, 6.375, 7.75], [1, 1, 2, 2])],
      attributes(bins),
    ],
    [
      'not moved',
      [image, floats([0, 0, 2, 2], [1, 4]), first],
      [floats([3, 4, 6, 7], [1, 1, 2, 2])],
      attributes({ ...bins, sampling_ratio: 1, coordinate_transformation_mode: 'output_half_pixel' }),
    ],
    [
      'a scale',
      [image, floats([0, 0, 4, 4], [1, 4]), first],
      [floats([3], [1, 1, 1, 1])],
      attributes({ sampling_ratio: 1, spatial_scale: 0.5 }),
    ],
    [
      'the greatest weighted entry',
      [image, whole, first],
      // of (0.25, 0.25): 1 * 9/16, 2 * 3/16, 4 * 3/16 or 5 * 1/16
      [floats([0.75, 1.6875, 3.9375, 5.0625], [1, 1, 2, 2])],
      attributes({ ...bins, sampling_ratio: 1, mode: 'max' }),
    ],
    ['far away', [image, floats([-9, -9, -8, -8], [1, 4]), first], [floats([0], [1, 1, 1, 1])]],
    [
      'an image and a channel each',
      [floats([1, 2, 3, 4], [2, 2, 1, 1]), floats([0, 0, 1, 1, 0, 0, 1, 1], [2, 4]), ints([1, 0])],
      [floats([3, 4, 1, 2], [2, 2, 1, 1])],
    ],
    ['no regions', [image, floats([], [0, 4]), ints([])], [floats([], [0, 1, 1, 1])]],
    ['another image', [image, whole, ints([1])], /expected image indexes from 0 to 0, received a region of image 1/],
    ['a region that asks for too many points', [image, floats([0, 0, 1e30, 1e30], [1, 4]), first], /budget/],
    ['no number', [image, floats([Number.NaN, 0, 1, 1], [1, 4]), first], /budget/],
    ['three numbers', [image, floats([0, 0, 1], [1, 3]), first], /regions \[1, 3\]/],
    ['no batch_indices', [image, whole], /no input 2/],
    [
      'huge bins',
      [image, whole, first],
      /budget|memory can hold/,
      attributes({ output_height: 2 ** 40, output_width: 2 ** 40 }),
    ],
  ]);
  nodeCases('RoiAlign', { opset: 10 }, [
    [
      'version 10 does not move, and has regions of 1',
      [image, floats([1, 1, 1, 1], [1, 4]), first],
      [floats([7], [1, 1, 1, 1])],
      attributes({ sampling_ratio: 1 }),
    ],
  ]);
});

describe('MaxRoiPool', () => {
  const two = attributes({ pooled_shape: [2, 2] });
  nodeCases('MaxRoiPool', two, [
    ['the last entry counts', [image, floats([0, 0, 0, 2, 2], [1, 5])], [floats([5, 6, 8, 9], [1, 1, 2, 2])]],
    ['halves go up', [image, floats([0, 0.5, 0.5, 2, 2], [1, 5])], [floats([5, 6, 8, 9], [1, 1, 2, 2])]],
    ['beyond the image', [image, floats([0, 2, 2, 5, 5], [1, 5])], [floats([9, 0, 0, 0], [1, 1, 2, 2])]],
    [
      'a scale',
      [image, floats([0, 0, 0, 4, 4], [1, 5])],
      [floats([5, 6, 8, 9], [1, 1, 2, 2])],
      attributes({ pooled_shape: [2, 2], spatial_scale: 0.5 }),
    ],
    [
      'another image',
      [image, floats([1, 0, 0, 1, 1], [1, 5])],
      /expected image indexes from 0 to 0, received a region of image 1/,
    ],
    [
      'no shape',
      [image, floats([0, 0, 0, 1, 1], [1, 5])],
      /pooled_shape \[1, undefined\]/,
      attributes({ pooled_shape: [1] }),
    ],
    [
      'a huge shape',
      [image, floats([0, 0, 0, 1, 1], [1, 5])],
      /budget|memory can hold/,
      attributes({ pooled_shape: [2 ** 40, 2 ** 40] }),
    ],
  ]);
});
