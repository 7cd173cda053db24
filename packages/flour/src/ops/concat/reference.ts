import {
  type Block,
  type DenseBlock,
  dense,
  numericArray,
  type ReferenceKernel,
  type SparseBlock,
  type StringBlock,
  strings,
} from '@brezel/core';
import { entriesOf, SparseRows } from '@brezel/tensors';

/**
 * Concatenates vectors. If one vector is sparse, the result is sparse and holds every element of
 * the dense vectors, also zeros.
 */
export const reference: ReferenceKernel = ({ rows, inputs, type }): Block => {
  if (type.kind === 'sparse') return joinSparse(inputs as readonly (SparseBlock | DenseBlock<'float32'>)[], rows);
  const blocks = inputs as readonly (StringBlock | DenseBlock)[];
  const size = blocks.reduce((sum, block) => sum + block.size, 0);
  const all: (string | number | bigint)[] = [];
  for (let row = 0; row < rows; row++) {
    for (const block of blocks)
      for (let column = 0; column < block.size; column++) all.push(block.values[row * block.size + column]!);
  }
  const [first] = blocks;
  if (first!.kind === 'strings') return strings(rows, size, all as string[]);
  const values = numericArray(first!.dtype, all.length);
  all.forEach((value, at) => {
    values[at] = value as never;
  });
  return dense(first!.dtype, rows, size, values);
};

function joinSparse(blocks: readonly (SparseBlock | DenseBlock<'float32'>)[], rows: number): SparseBlock {
  const out = new SparseRows(blocks.reduce((sum, block) => sum + block.size, 0));
  for (let row = 0; row < rows; row++) out.push(shifted(blocks, row));
  return out.finish();
}

function* shifted(
  blocks: readonly (SparseBlock | DenseBlock<'float32'>)[],
  row: number,
): Generator<readonly [number, number]> {
  let base = 0;
  for (const block of blocks) {
    for (const [id, value] of block.kind === 'sparse' ? entriesOf(block, row) : denseEntries(block, row))
      yield [base + id, value];
    base += block.size;
  }
}

function* denseEntries(block: DenseBlock<'float32'>, row: number): Generator<readonly [number, number]> {
  for (let id = 0; id < block.size; id++) yield [id, block.values[row * block.size + id]!];
}
