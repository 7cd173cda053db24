import { sizeOf } from '@brezel/core';
import type { KernelUse } from './define-op.js';

// Estimates that several operators share, in nanoseconds a row: measured, half of it on rows alone and half on blocks of rows.

/** exp and its kin, of one number. */
export const FUNCTION_NANOS = 8.5;
/** Reading or writing a number that lies in a near cache. */
export const ENTRY_NANOS = 0.25;

/** A product where the matrix stays in a near cache, and where it is read again for every row alone. */
const [NEAR_NANOS, FAR_NANOS] = [0.03, 0.07];
/** In a block of dense rows, which share what is read. */
const SHARED_NANOS = 0.015;
/** An entry of the row, whatever is multiplied by it. */
const TERM_NANOS = 1.5;
/** A megabyte of float32. */
const NEAR_WEIGHTS = 2 ** 18;
/** Sums of so many outputs fill a register: then a product is nothing beside reading an entry. */
const FEW_OUTPUTS = 8;

/** An input of the use times a matrix of float32 with `outputs` columns. */
export function productNanos({ inputs, entries }: KernelUse, outputs: number, input = 0): number {
  const read = entries.inputs[input]!;
  if (outputs <= FEW_OUTPUTS) return read * ENTRY_NANOS;
  const isNear = sizeOf(inputs[input]!) * outputs <= NEAR_WEIGHTS;
  const alone = read * (TERM_NANOS + outputs * (isNear ? NEAR_NANOS : FAR_NANOS));
  const shared = inputs[input]!.kind === 'sparse' ? alone : read * outputs * SHARED_NANOS;
  return (alone + shared) / 2;
}
