import {
  type Block,
  type DenseBlock,
  type DictionaryBlock,
  dense,
  numericArray,
  type SparseBlock,
  type StringBlock,
  strings,
  type TokensBlock,
} from '@brezel/core';

/** A row of a block. */
export interface RowOfBlock<B extends Block = Block> {
  readonly block: B;
  readonly row: number;
}

/**
 * Returns one row of a block. The numbers of the result are a view of the block's memory, so the
 * result is valid until the next run overwrites this memory.
 */
export function viewRow(block: Block, row: number): Block {
  switch (block.kind) {
    case 'sparse': {
      const [from, to] = [block.offsets[row]!, block.offsets[row + 1]!];
      const offsets = Uint32Array.of(0, to - from);
      return { ...block, rows: 1, offsets, ids: block.ids.subarray(from, to), values: block.values.subarray(from, to) };
    }
    case 'dense':
      return { ...block, rows: 1, values: block.values.subarray(row * block.size, (row + 1) * block.size) } as Block;
    case 'strings':
      return { ...block, rows: 1, values: block.values.slice(row * block.size, (row + 1) * block.size) };
    default:
      return { ...block, rows: 1, values: [block.values[row]] } as Block;
  }
}

/**
 * Copies one row of a block. A copy is necessary if the row is needed after the next run, which
 * overwrites the scratch memory of blocks.
 */
export const copyRow = (block: Block, row: number): Block => joinRows([{ block, row }]);

/** Copies rows into one block. The list is not empty, and all its blocks have equal types. */
export function joinRows(rows: readonly RowOfBlock[]): Block {
  switch (rows[0]!.block.kind) {
    case 'strings':
      return joinStrings(rows as readonly RowOfBlock<StringBlock>[]);
    case 'tokens': {
      const values = (rows as readonly RowOfBlock<TokensBlock>[]).map(({ block, row }) => [...block.values[row]!]);
      return { kind: 'tokens', rows: rows.length, values };
    }
    case 'dictionary': {
      const values = (rows as readonly RowOfBlock<DictionaryBlock>[]).map(({ block, row }) => block.values[row]!);
      return { kind: 'dictionary', rows: rows.length, values };
    }
    case 'sparse':
      return joinSparse(rows as readonly RowOfBlock<SparseBlock>[]);
    case 'dense':
      return joinDense(rows as readonly RowOfBlock<DenseBlock>[]);
  }
}

function joinStrings(rows: readonly RowOfBlock<StringBlock>[]): Block {
  const { size } = rows[0]!.block;
  const values = rows.flatMap(({ block, row }) => block.values.slice(row * size, (row + 1) * size));
  return strings(rows.length, size, values);
}

function joinSparse(rows: readonly RowOfBlock<SparseBlock>[]): Block {
  const offsets = new Uint32Array(rows.length + 1);
  rows.forEach(({ block, row }, at) => {
    offsets[at + 1] = offsets[at]! + block.offsets[row + 1]! - block.offsets[row]!;
  });
  const [ids, values] = [new Uint32Array(offsets[rows.length]!), new Float32Array(offsets[rows.length]!)];
  rows.forEach(({ block, row }, at) => {
    const [from, to] = [block.offsets[row]!, block.offsets[row + 1]!];
    ids.set(block.ids.subarray(from, to), offsets[at]!);
    values.set(block.values.subarray(from, to), offsets[at]!);
  });
  return { kind: 'sparse', rows: rows.length, size: rows[0]!.block.size, offsets, ids, values };
}

function joinDense(rows: readonly RowOfBlock<DenseBlock>[]): Block {
  const { dtype, size } = rows[0]!.block;
  const values = numericArray(dtype, rows.length * size);
  rows.forEach(({ block, row }, at) => {
    values.set(block.values.subarray(row * size, (row + 1) * size) as never, at * size);
  });
  return dense(dtype, rows.length, size, values as never);
}
