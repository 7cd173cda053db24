import { type DenseBlock, LaneSum, type ReferenceKernel, type SparseBlock } from '@brezel/core';

/** The norms of vectors. A kernel receives the index of a norm as its attribute. */
export const norms = ['l1', 'l2', 'max'] as const;
export type Norm = (typeof norms)[number];

/**
 * Divides each row by its norm. A row of norm 0 stays unchanged. A sum has 16 partial sums (lanes;
 * see native/README.md, section 1).
 */
export const normalizeRows: ReferenceKernel = ({ rows, inputs, attributes }) => {
  const block = inputs[0] as SparseBlock | DenseBlock<'float32'>;
  const values = block.values.slice();
  for (let row = 0; row < rows; row++) {
    divide(rowOf(block, values, row), attributes.norm as Norm);
  }
  return { ...block, values } as typeof block;
};

/** Returns the part of `values` that holds the entries of a row. */
export function rowOf(block: SparseBlock | DenseBlock<'float32'>, values: Float32Array, row: number): Float32Array {
  if (block.kind === 'sparse') return values.subarray(block.offsets[row]!, block.offsets[row + 1]!);
  return values.subarray(row * block.size, (row + 1) * block.size);
}

function divide(values: Float32Array, kind: Norm): void {
  const norm = normOf(values, kind);
  if (norm === 0) return;
  for (let at = 0; at < values.length; at++) values[at] = values[at]! / norm;
}

export function normOf(values: Float32Array, kind: Norm): number {
  if (kind === 'max') return values.reduce((most, value) => (value > most ? value : most), values[0] ?? 0);
  const sum = new LaneSum(1);
  for (const value of values) sum.add(kind === 'l1' ? Math.abs(value) : Math.fround(value * value));
  const total = sum.finish()[0]!;
  return kind === 'l1' ? total : Math.fround(Math.sqrt(total));
}
