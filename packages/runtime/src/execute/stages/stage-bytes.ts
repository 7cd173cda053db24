import { type Block, bytesPerElement, type CompiledPlan, type StageMeasurement } from '@brezel/core';
import { dictionaryBytes } from '../rows/dictionaries.js';

/** The number of bytes that a stage reads and writes for one row. */
export type StageBytes = Pick<StageMeasurement, 'bytesRead' | 'bytesWritten'>;

/**
 * Returns the bytes that each stage reads and writes for one row.
 * @param slots the values of the plan for `rows` rows, indexed by slot
 */
export function stageBytes(plan: CompiledPlan, slots: readonly Block[], rows: number): StageBytes[] {
  const sizes = slots.map((block) => blockBytes(block) / rows);
  const sum = (at: readonly number[]) => at.reduce((bytes, slot) => bytes + sizes[slot]!, 0);
  return plan.stages.map(({ inputs, outputs }) => ({ bytesRead: sum(inputs), bytesWritten: sum(outputs) }));
}

/** The bytes of an entry of a sparse vector: a column and a value. */
const ENTRY_BYTES = 8;

function blockBytes(block: Block): number {
  switch (block.kind) {
    case 'dense':
      return block.rows * block.size * bytesPerElement(block.dtype);
    case 'sparse':
      return (block.offsets[block.rows]! - block.offsets[0]!) * ENTRY_BYTES;
    case 'strings':
      return textBytes(block.values);
    case 'dictionary':
      return block.values.reduce((bytes, entries) => bytes + dictionaryBytes(entries), 0);
    case 'tokens':
      return block.values.reduce((bytes, tokens) => bytes + textBytes(tokens), 0);
  }
}

const textBytes = (texts: readonly string[]) => texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0);
