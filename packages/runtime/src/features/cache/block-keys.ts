import type { Block, DenseBlock, SparseBlock } from '@brezel/core';
import { dictionaryText } from './row-keys.js';

/**
 * Returns a text that identifies a row of some blocks. Two rows have the same text only if no
 * kernel can distinguish the rows. Only texts of blocks with equal types can be compared.
 */
export function keyOfRow(blocks: readonly Block[], row: number): string {
  const [only] = blocks;
  if (blocks.length === 1 && only!.kind === 'strings' && only!.size === 1) return only!.values[row]!;
  return blocks.map((block) => rowText(block, row)).join('');
}

function rowText(block: Block, row: number): string {
  switch (block.kind) {
    case 'strings':
      return block.values
        .slice(row * block.size, (row + 1) * block.size)
        .map(measured)
        .join('');
    case 'tokens':
      return `${block.values[row]!.length};${block.values[row]!.map(measured).join('')}`;
    case 'dictionary':
      return `${block.values[row]!.size};${dictionaryText(block.values[row]!)}`;
    case 'sparse': {
      const [from, to] = [block.offsets[row]!, block.offsets[row + 1]!];
      return `${to - from};${bytesText(block.ids.subarray(from, to))}${bytesText(block.values.subarray(from, to))}`;
    }
    case 'dense':
      return bytesText(block.values.subarray(row * block.size, (row + 1) * block.size));
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
