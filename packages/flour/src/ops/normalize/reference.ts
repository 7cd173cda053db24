import { type DenseBlock, LaneSum, type ReferenceKernel, type SparseBlock } from '@brezel/core';

export type Norm = 'l1' | 'l2' | 'max';

/** Divides a row by its norm; a norm of zero leaves it as it is. Sums run in 16 lanes (native/README.md, section 1). */
export const reference: ReferenceKernel = ({ rows, inputs, attributes }) => {
  const block = inputs[0] as SparseBlock | DenseBlock<'float32'>;
  const values = block.values.slice();
  for (let row = 0; row < rows; row++) {
    const [from, to] =
      block.kind === 'sparse'
        ? [block.offsets[row]!, block.offsets[row + 1]!]
        : [row * block.size, (row + 1) * block.size];
    divide(values.subarray(from, to), attributes.norm as Norm);
  }
  return { ...block, values } as typeof block;
};

function divide(values: Float32Array, kind: Norm): void {
  const norm = normOf(values, kind);
  if (norm === 0) return;
  for (let at = 0; at < values.length; at++) values[at] = values[at]! / norm;
}

function normOf(values: Float32Array, kind: Norm): number {
  if (kind === 'max') return values.reduce((most, value) => (value > most ? value : most), values[0] ?? 0);
  const sum = new LaneSum(1);
  for (const value of values) sum.add(kind === 'l1' ? Math.abs(value) : Math.fround(value * value));
  const total = sum.finish()[0]!;
  return kind === 'l1' ? total : Math.fround(Math.sqrt(total));
}
