import type { TensorValue } from '@brezel/core';
import { allTensorOperators } from '@brezel/tensors';
import { expect, test } from 'vitest';
import { operatorWork } from './work.js';

const tensor = (...shape: number[]): TensorValue => ({
  element: 'float32',
  shape,
  data: new Float32Array(shape.reduce((product, size) => product * size, 1)),
});

const products = allTensorOperators()
  .map(({ operator }) => operator)
  .filter((operator) => /MatMul|Gemm|Conv|Attention/.test(operator));

test('there are products', () => expect(products.length).toBeGreaterThanOrEqual(17));

test.each(products)('%s counts at least a multiplication for each element of its input', (operator) => {
  const matrix = tensor(8, 8);
  const inputs = Array.from({ length: 4 }, () => matrix);
  expect(operatorWork({ operator, options: { N: 8 } }, inputs)).toBeGreaterThanOrEqual(64);
});

test.each([
  ['no transposition', {}, [2, 3, 5], [2, 5, 7]],
  ['transA', { transA: 1 }, [2, 5, 3], [2, 5, 7]],
  ['transBatchA', { transBatchA: 1 }, [3, 2, 5], [2, 5, 7]],
  ['transBatchA and transA', { transBatchA: 1, transA: 1 }, [5, 2, 3], [2, 5, 7]],
] as const)('FusedMatMul divides by the size of the summed axis: %s', (_, options, a, b) => {
  const count = operatorWork({ operator: 'FusedMatMul', options }, [tensor(...a), tensor(...b)]);
  expect(count).toBe((2 * 3 * 5 * 2 * 5 * 7) / 5);
});
