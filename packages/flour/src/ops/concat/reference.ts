import { type DenseBlock, dense, type ReferenceKernel, type SparseBlock } from '@brezel/core';
import { entriesOf, SparseRows } from '../../sparse-rows.js';

/** One vector after the other. Next to a sparse vector, every entry of a dense one becomes an entry. */
export const reference: ReferenceKernel = ({ rows, inputs, type }) => {
  const blocks = inputs as readonly (SparseBlock | DenseBlock<'float32'>)[];
  const size = blocks.reduce((sum, block) => sum + block.size, 0);
  if (type.kind === 'sparse') {
    const out = new SparseRows(size);
    for (let row = 0; row < rows; row++) out.push(shifted(blocks, row));
    return out.finish();
  }
  const values = new Float32Array(rows * size);
  for (let row = 0; row < rows; row++) {
    for (const [id, value] of shifted(blocks, row)) values[row * size + id] = value;
  }
  return dense('float32', rows, size, values);
};

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
