import { type Block, bytesPerElement } from '@brezel/core';
import { dictionaryBytes } from '../../execute/rows/dictionaries.js';

/** Estimated memory of a block and its typed arrays, without their elements. */
const BLOCK_BYTES = 250;
/** Estimated memory of a string, without its characters. */
const STRING_BYTES = 24;

/** Estimates the memory of a block of one row, in bytes. */
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
