import { floats, ints, nodeCases, tensor, texts } from '../../test/one-node.js';

// Two samples of three entries, each of two elements.
const cache = floats([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], [2, 3, 2]);
const update = floats([-1, -2, -3, -4], [2, 1, 2]);
const circular = { attributes: { mode: 'circular' } };

nodeCases('TensorScatter', {}, [
  ['at the front', [cache, update], [floats([-1, -2, 2, 3, 4, 5, -3, -4, 8, 9, 10, 11], [2, 3, 2])]],
  [
    'where each sample is',
    [cache, update, ints([2, 1])],
    [floats([0, 1, 2, 3, -1, -2, 6, 7, -3, -4, 10, 11], [2, 3, 2])],
  ],
  [
    'round the end',
    [floats([0, 1, 2], [1, 3, 1]), floats([7, 8], [1, 2, 1]), ints([5])],
    [floats([8, 1, 7], [1, 3, 1])],
    circular,
  ],
  [
    'heads of a sample share its index',
    [texts(['a', 'b', 'c', 'd'], [1, 2, 2, 1]), texts(['x', 'y'], [1, 2, 1, 1]), ints([1])],
    [texts(['a', 'x', 'c', 'y'], [1, 2, 2, 1])],
  ],
  [
    'along another axis',
    [tensor('int4', [1, 2, 3, 4], [2, 2]), tensor('int4', [7, -8], [2, 1])],
    [tensor('int4', [7, 2, -8, 4], [2, 2])],
    { attributes: { axis: 1 } },
  ],
  ['nothing', [cache, floats([], [2, 0, 2]), ints([3, 0])], [cache]],
  ['beyond the end', [cache, update, ints([3, 0])], /entries from 3 to 4 of 3/],
  ['before the front', [cache, update, ints([-1, 0])], /entries from -1/, circular],
  [
    'along the samples',
    [cache, update],
    /expected an axis other than 0, the axis of the samples, received axis 0/,
    { attributes: { axis: 0 } },
  ],
  ['longer than the cache', [floats([1], [1, 1, 1]), floats([1, 2], [1, 2, 1])], /an update of \[1, 2, 1\]/],
  ['another shape', [cache, floats([1, 2], [2, 1, 1])], /an update of \[2, 1, 1\]/],
  ['another type', [cache, ints([1], [1, 1, 1])], /input 1 of type int64/],
  ['too few indices', [cache, update, ints([1])], /expected write_indices of shape \[2\], one index per sample/],
]);
