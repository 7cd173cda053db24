import { expect, test } from 'vitest';
import { bools, floats, ints, list, nodeCases, run, texts } from '../../test/one-node.js';

const [a, b, c] = [floats([1]), floats([2, 3]), floats([4])];

nodeCases('SequenceConstruct', {}, [
  ['of tensors of several shapes', [a, b], [list(a, b)]],
  ['two types', [a, ints([1])], /input 1 of type int64/],
  ['nothing', [], /no input 0/],
]);

nodeCases('SequenceEmpty', {}, [
  ['of floats', [], [list()]],
  ['of a type we do not have', [], /data type 15/, { attributes: { dtype: 15 } }],
]);

nodeCases('SequenceLength', {}, [
  ['a scalar', [list(a, b)], [ints([2], [])]],
  ['a tensor', [a], /expected a sequence as input 0, received a tensor of float32/],
]);

nodeCases('SequenceAt', {}, [
  ['from the front', [list(a, b), ints([1], [])], [b]],
  ['from the back', [list(a, b), ints([-2], [])], [a]],
  ['beyond the end', [list(a), ints([1], [])], /index 1 of 1 entries/],
  ['two positions', [list(a), ints([0, 0])], /the position of shape \[2\]/],
]);

nodeCases('SequenceInsert', {}, [
  ['at the end', [list(a), b], [list(a, b)]],
  ['at the length', [list(a), b, ints([1], [])], [list(a, b)]],
  ['before the last', [list(a, b), c, ints([-1], [])], [list(a, c, b)]],
  ['into nothing', [list(), texts(['x'])], [list(texts(['x']))]],
  ['beyond the end', [list(a), b, ints([2], [])], /position 2 in a sequence of 1/],
  ['another type', [list(a), ints([1])], /expected tensors of one type in a sequence/],
]);

nodeCases('SequenceErase', {}, [
  ['the last', [list(a, b)], [list(a)]],
  ['the first', [list(a, b), ints([0], [])], [list(b)]],
  ['of nothing', [list()], /an empty sequence/],
]);

nodeCases('ConcatFromSequence', { attributes: { axis: 0 } }, [
  ['along an axis', [list(a, b)], [floats([1, 2, 3])]],
  ['stacked', [list(a, c)], [floats([1, 4], [1, 2])], { attributes: { axis: -1, new_axis: 1 } }],
  ['stacked, of two shapes', [list(a, b)], /beside/, { attributes: { axis: 0, new_axis: 1 } }],
  ['nothing', [list()], /no tensors/],
]);

nodeCases('SplitToSequence', {}, [
  ['one by one', [b], [list(floats([2]), floats([3]))]],
  ['one by one, without the axis', [b], [list(floats([2], []), floats([3], []))], { attributes: { keepdims: 0 } }],
  [
    'in parts of two',
    [floats([1, 2, 3]), ints([2], [])],
    [list(floats([1, 2]), floats([3]))],
    { attributes: { keepdims: 0 } },
  ],
  ['in given parts', [floats([1, 2, 3]), ints([0, 3])], [list(floats([]), floats([1, 2, 3]))]],
  ['columns', [floats([1, 2], [1, 2])], [list(floats([1], [1, 1]), floats([2], [1, 1]))], { attributes: { axis: 1 } }],
  ['parts of nothing', [a, ints([0], [])], /parts of 0/],
  ['parts that do not add up', [a, ints([1, 1])], /expected part sizes of 0 or greater with the sum 1/],
  ['very many that are empty', [floats([], [2 ** 40, 0])], /budget/],
]);

nodeCases('OptionalHasElement', { opset: 18 }, [
  ['it has', [a], [bools([1], [])]],
  ['it has not', [undefined], [bools([0], [])]],
]);

nodeCases('OptionalGetElement', { opset: 18 }, [
  ['what is there', [list(a)], [list(a)]],
  ['what is absent', [], /absent/],
]);

test('a sequence is never changed', () => {
  const before = list(a, b);
  run('SequenceErase', [before]);
  run('SequenceInsert', [before, c]);
  expect(before).toEqual(list(a, b));
});
