import { expect, test } from 'vitest';
import { bools, floats, ints, type OneNode, run, tensor } from './one-node.js';

// Work that is longer than its result counts against the budget. Otherwise, a request could repeat
// it without reaching a limit.

const numbers = (count: number) => floats(Array.from({ length: count }, (_, at) => at % 7));
const square = (size: number) => floats(new Array<number>(size * size).fill(1), [size, size]);
const image = floats(new Array<number>(64 * 64).fill(1), [1, 1, 64, 64]);

/** An operator, its inputs, and a number of elements that its work exceeds. */
type Work = readonly [operator: string, inputs: Parameters<typeof run>[1], node: OneNode & { readonly budget: number }];

test.each<Work>([
  ['ReduceSum', [square(100), ints([0])], { budget: 10_000 }],
  ['ReduceMax', [tensor('int64', new Array(10_000).fill(1), [100, 100]), ints([1])], { budget: 10_000 }],
  ['ArgMax', [square(100)], { budget: 10_000 }],
  ['TopK', [numbers(1000), ints([1])], { budget: 10_000 }],
  ['Unique', [numbers(1000)], { budget: 10_000, outputs: 4 }],
  ['NonZero', [floats(new Array(1000).fill(0))], { budget: 999 }],
  ['Compress', [numbers(1000), bools(new Array(1000).fill(0))], { budget: 999, attributes: { axis: 0 } }],
  ['Einsum', [square(100)], { budget: 10_400, attributes: { equation: 'ij->i' } }],
  ['MaxPool', [image], { budget: 53 * 53 * 2 + 53 * 53 * 144, attributes: { kernel_shape: [12, 12] } }],
  ['GlobalMaxPool', [image], { budget: 64 * 64 }],
  ['GlobalAveragePool', [image], { budget: 64 * 64 }],
  ['GlobalLpPool', [image], { budget: 64 * 64 }],
  ['Cast', [numbers(1000)], { budget: 15_999, attributes: { to: 8 } }],
  ['Pow', [ints([3, 5]), ints([2, 4])], { budget: 31 }],
  ['Det', [square(64)], { budget: 64 * 64 + 64 }],
  ['ConvTranspose', [image, floats(new Array(9).fill(1), [1, 1, 3, 3])], { budget: 66 * 66 + 64 * 64 * 9 + 64 * 64 }],
  [
    'OneHotEncoder',
    [ints(new Array(1000).fill(1))],
    { budget: 1000, domain: 'ai.onnx.ml', attributes: { cats_int64s: [1] } },
  ],
])('%s takes its work from the budget', (operator, inputs, node) => {
  expect(() => run(operator, inputs, node)).toThrow(/^budget: /);
  expect(() => run(operator, inputs, { ...node, budget: 64 * node.budget })).not.toThrow();
});
