import { floats, ints, nodeCases } from '../../test/one-node.js';

const matrix = floats([3, 1, 2, 5, 5, 4], [2, 3]);

// The answers are those of onnxruntime-node.
nodeCases('TopK', {}, [
  ['the greatest', [matrix, ints([2])], [floats([3, 2, 5, 5], [2, 2]), ints([0, 2, 0, 1], [2, 2])]],
  [
    'only 1 is the greatest',
    [matrix, ints([2])],
    [floats([1, 2, 4, 5], [2, 2]), ints([1, 2, 2, 0], [2, 2])],
    { attributes: { largest: 2 } },
  ],
]);

nodeCases('Unique', {}, [
  ['sorted', [floats([3, 1, 3])], [floats([1, 3]), ints([1, 0]), ints([1, 0, 1]), ints([1, 2])]],
  [
    'only 1 is sorted',
    [floats([3, 1, 3])],
    [floats([3, 1]), ints([0, 1]), ints([0, 1, 0]), ints([2, 1])],
    { attributes: { sorted: 2 } },
  ],
]);

// ONNX converts the indices to int64. onnxruntime compares the fractions instead.
nodeCases('OneHot', {}, [
  ['fractional indices', [floats([1.9, -0.9]), ints([2]), ints([0, 1])], [ints([0, 1, 1, 0], [2, 2])]],
]);
