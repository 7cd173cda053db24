import { type DenseBlock, dense, numericArray, type ReferenceKernel } from '@brezel/core';

/** The names of the outputs of `top-k`. The kernel receives the index of a name. */
export const topKOutputs = ['values', 'indices'] as const;
export type TopKOutput = (typeof topKOutputs)[number];

type Element = number | bigint;

/** Compares two numbers for sorting. NaN counts as the greatest number. */
function ascending(a: Element, b: Element): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

/**
 * Sorts the columns of each row by value and returns the first `k`. Equal elements are ordered by
 * column.
 */
export const reference: ReferenceKernel = ({ rows, inputs, attributes }) => {
  const { values, size, dtype } = inputs[0] as DenseBlock;
  const { k, least, give } = attributes as { k: number; least: boolean; give: TopKOutput };
  const kept = numericArray(dtype, rows * k);
  const indices = new BigInt64Array(rows * k);
  for (let row = 0; row < rows; row++) {
    const at = (column: number) => values[row * size + column] as Element;
    const order = Array.from({ length: size }, (_, column) => column).sort((a, b) =>
      least ? ascending(at(a), at(b)) : ascending(at(b), at(a)),
    );
    for (let rank = 0; rank < k; rank++) {
      kept[row * k + rank] = at(order[rank]!) as never;
      indices[row * k + rank] = BigInt(order[rank]!);
    }
  }
  return give === 'indices' ? dense('int64', rows, k, indices) : dense(dtype, rows, k, kept as never);
};
