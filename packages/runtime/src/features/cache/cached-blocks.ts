import { type Block, bytesPerElement, dense, strings } from '@brezel/core';
import { dictionaryBytes } from '../../execute/dictionaries.js';

/**
 * Copies one row of a block. A copy is necessary, because the next run overwrites the scratch
 * memory of blocks.
 */
export function rowOf(block: Block, row: number): Block {
  switch (block.kind) {
    case 'strings':
      return strings(1, block.size, block.values.slice(row * block.size, (row + 1) * block.size));
    case 'tokens':
      return { kind: 'tokens', rows: 1, values: [[...block.values[row]!]] };
    case 'dictionary':
      return { kind: 'dictionary', rows: 1, values: [block.values[row]!] };
    case 'sparse': {
      const [from, to] = [block.offsets[row]!, block.offsets[row + 1]!];
      const [ids, values] = [block.ids.slice(from, to), block.values.slice(from, to)];
      return { kind: 'sparse', rows: 1, size: block.size, offsets: Uint32Array.of(0, to - from), ids, values };
    }
    case 'dense':
      return dense(block.dtype, 1, block.size, block.values.slice(row * block.size, (row + 1) * block.size) as never);
  }
}

/** Estimated memory of a block and its typed arrays, without their elements. */
const BLOCK_BYTES = 250;
/** Estimated memory of a string, without its characters. */
const STRING_BYTES = 24;

export function blockBytes(block: Block): number {
  const textBytes = (texts: readonly string[]) =>
    texts.reduce((sum, text) => sum + STRING_BYTES + 2 * text.length, BLOCK_BYTES);
  switch (block.kind) {
    case 'strings':
      return textBytes(block.values);
    case 'tokens':
      return textBytes(block.values[0]!);
    case 'dictionary':
      return BLOCK_BYTES + dictionaryBytes(block.values[0]!);
    case 'sparse':
      return 3 * BLOCK_BYTES + 8 * block.ids.length;
    case 'dense':
      return BLOCK_BYTES + block.size * bytesPerElement(block.dtype);
  }
}
