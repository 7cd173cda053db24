import type { Block, DenseBlock, SparseBlock } from '@brezel/core';
import { dictionaryText } from './row-keys.js';

/**
 * Returns a text that identifies the first row of some blocks. Two rows have the same text only if
 * no kernel can distinguish them. Compare only texts of blocks with equal types.
 */
export function keyOfRow(blocks: readonly Block[]): string {
  const [only] = blocks;
  if (blocks.length === 1 && only!.kind === 'strings' && only!.size === 1) return only!.values[0]!;
  return blocks.map(rowText).join('');
}

function rowText(block: Block): string {
  switch (block.kind) {
    case 'strings':
      return block.values.slice(0, block.size).map(measured).join('');
    case 'tokens':
      return `${block.values[0]!.length};${block.values[0]!.map(measured).join('')}`;
    case 'dictionary':
      return `${block.values[0]!.size};${dictionaryText(block.values[0]!)}`;
    case 'sparse': {
      const [from, to] = [block.offsets[0]!, block.offsets[1]!];
      return `${to - from};${bytesText(block.ids.subarray(from, to))}${bytesText(block.values.subarray(from, to))}`;
    }
    case 'dense':
      return bytesText(block.values.subarray(0, block.size));
  }
}

/**
 * Writes the length of a text in front of it, so that two joined texts cannot equal two other
 * joined texts.
 */
const measured = (text: string): string => `${text.length}:${text}`;

function bytesText({ buffer, byteOffset, byteLength }: DenseBlock['values'] | SparseBlock['ids']): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}
