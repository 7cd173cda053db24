import { floats, ints, nodeCases, tensor } from '../../test/one-node.js';

// The shape [2, 3, 2]: two rows, three classes, two positions.
const scores = floats([1, 2, 2, 2, 3, 2, 0, 1, 2, 2, 1, 2], [2, 3, 2]);
const wanted = ints([2, 1, 0, 2], [2, 2]);
const weight = floats([0.5, 2, 4]);
const reduction = (name: string, more = {}) => ({ attributes: { reduction: name, ...more } });

nodeCases('NegativeLogLikelihoodLoss', {}, [
  ['each place', [scores, wanted], [floats([-3, -2, -0, -2], [2, 2])], reduction('none')],
  ['weighted', [scores, wanted, weight], [floats([-12, -4, -0, -8], [2, 2])], reduction('none')],
  ['the sum', [scores, wanted, weight], [floats([-24], [])], reduction('sum')],
  ['the mean is the default', [scores, wanted], [floats([-1.75], [])]],
  ['the mean of weights that were applied', [scores, wanted, weight], [floats([-24 / 10.5], [])], reduction('mean')],
  [
    'an ignored class counts for nothing',
    [scores, ints([-7, 1, 0, -7], [2, 2])],
    [floats([-1], [])],
    reduction('mean', { ignore_index: -7 }),
  ],
  [
    'an ignored class has no weight either',
    [scores, ints([2, 1, 0, 2], [2, 2]), weight],
    [floats([-1.6], [])],
    reduction('mean', { ignore_index: 2 }),
  ],
  [
    'nothing but ignored ones: nought by nought',
    [floats([1, 2], [1, 2]), ints([5])],
    [floats([Number.NaN], [])],
    reduction('mean', { ignore_index: 5 }),
  ],
  ['rows and classes alone', [floats([1, 2], [1, 2]), tensor('int32', [1])], [floats([-2])], reduction('none')],
  ['no rows', [floats([], [0, 2]), ints([])], [floats([0], [])], reduction('sum')],
  ['no place in a row', [floats([], [2, 3, 0]), ints([], [2, 0])], [floats([], [2, 0])], reduction('none')],
  [
    'no such class',
    [floats([1, 2], [1, 2]), ints([2])],
    /expected classes from 0 to 1, or ignore_index, received class 2/,
  ],
  [
    'a class before the first',
    [floats([1, 2], [1, 2]), ints([-1])],
    /expected classes from 0 to 1, or ignore_index, received class -1/,
  ],
  [
    'classes of another shape',
    [scores, ints([2, 1, 0], [3])],
    /expected classes of shape \[2, 2\], received classes of shape \[3\]/,
  ],
  ['a weight too few', [scores, wanted, floats([1, 2])], /expected weights of shape \[3\], one weight per class/],
  ['one axis', [floats([1, 2]), ints([0])], /scores of shape \[2\]/],
  ['another reduction', [scores, wanted], /one of none, sum, mean/, reduction('max')],
  ['scores of integers', [ints([1, 2], [1, 2]), ints([0])], /input 0 of type int64/],
]);

const half = Math.fround(-Math.log(2));
nodeCases('SoftmaxCrossEntropyLoss', { outputs: 2 }, [
  [
    'the loss, and the logarithms',
    [floats([3, 3, 0, 100], [2, 2]), ints([0, 1])],
    [floats([-half, -0]), floats([half, half, -100, 0], [2, 2])],
    { ...reduction('none'), outputs: 2 },
  ],
  [
    'softmax is over the classes, not the last axis',
    [floats([1, 50, 1, 50], [1, 2, 2]), ints([0, 1], [1, 2])],
    [floats([-half], []), floats([half, half, half, half], [1, 2, 2])],
  ],
  [
    'no class in common with the scores',
    [floats([1, 2], [1, 2]), ints([3])],
    /expected classes from 0 to 1, or ignore_index, received class 3/,
  ],
  ['a scalar', [floats([1], []), ints([0])], /scores of shape \[\]/],
  ['more than there is', [floats([1, 2], [1, 2]), ints([1])], /budget/, { budget: 3 }],
]);
