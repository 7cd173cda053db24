import { sizeOf } from '@brezel/core';
import type { KernelUse } from './define-op.js';

// Cost estimates that several operators share, in nanoseconds per row. They are measured: half of
// them on single rows, half on blocks of rows.

/** Nanoseconds of one call of exp or a similar function. */
export const FUNCTION_NANOS = 8.5;
/** Nanoseconds to read or write one number in a near cache. */
export const ENTRY_NANOS = 0.25;

/**
 * Nanoseconds of one product for a single row: `NEAR_NANOS` if the matrix fits in a near cache,
 * otherwise `FAR_NANOS`.
 */
const [NEAR_NANOS, FAR_NANOS] = [0.03, 0.07];
/**
 * Nanoseconds of one multiplication in a block of dense rows. The rows of a block share the reads
 * of the matrix.
 */
const SHARED_NANOS = 0.015;
/** Nanoseconds to read one entry of the row, without the products. */
const TERM_NANOS = 1.5;
/**
 * Number of float32 weights in one mebibyte. A matrix of at most this size is assumed to stay in a
 * near cache.
 */
const NEAR_WEIGHTS = 2 ** 18;
/**
 * With at most this many outputs, all sums fit in one register. The multiplications then take
 * almost no time compared with reading the entry.
 */
const FEW_OUTPUTS = 8;

/**
 * Estimates the time, in nanoseconds per row, to multiply an input by a float32 matrix with
 * `outputs` columns.
 */
export function productNanos({ inputs, entries }: KernelUse, outputs: number, input = 0): number {
  const read = entries.inputs[input]!;
  if (outputs <= FEW_OUTPUTS) return read * ENTRY_NANOS;
  const isNear = sizeOf(inputs[input]!) * outputs <= NEAR_WEIGHTS;
  const alone = read * (TERM_NANOS + outputs * (isNear ? NEAR_NANOS : FAR_NANOS));
  const shared = inputs[input]!.kind === 'sparse' ? alone : read * outputs * SHARED_NANOS;
  return (alone + shared) / 2;
}
