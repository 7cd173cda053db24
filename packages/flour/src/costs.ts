import { sizeOf } from '@brezel/core';
import type { KernelUse } from './define-op.js';

// Cost estimates that several operators share, in nanoseconds per row. They are measured: half of
// them on single rows, half on blocks of rows.

/** One call of exp or a similar function. */
export const FUNCTION_NANOS = 8.5;
/** Reading or writing one number in a near cache. */
export const ENTRY_NANOS = 0.25;

/**
 * One product: with the matrix in a near cache, and with the matrix read again for each single row.
 */
const [NEAR_NANOS, FAR_NANOS] = [0.03, 0.07];
/** One product in a block of dense rows, which share the reads of the matrix. */
const SHARED_NANOS = 0.015;
/** Reading one entry of the row, without the products. */
const TERM_NANOS = 1.5;
/** One megabyte of float32. */
const NEAR_WEIGHTS = 2 ** 18;
/**
 * The sums of this many outputs fill a register. Then a product costs nothing compared with reading
 * an entry.
 */
const FEW_OUTPUTS = 8;

/** Estimates the product of an input and a float32 matrix with `outputs` columns. */
export function productNanos({ inputs, entries }: KernelUse, outputs: number, input = 0): number {
  const read = entries.inputs[input]!;
  if (outputs <= FEW_OUTPUTS) return read * ENTRY_NANOS;
  const isNear = sizeOf(inputs[input]!) * outputs <= NEAR_WEIGHTS;
  const alone = read * (TERM_NANOS + outputs * (isNear ? NEAR_NANOS : FAR_NANOS));
  const shared = inputs[input]!.kind === 'sparse' ? alone : read * outputs * SHARED_NANOS;
  return (alone + shared) / 2;
}
