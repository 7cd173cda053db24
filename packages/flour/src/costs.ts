import { sizeOf } from '@brezel/core';
import type { KernelUse } from './define-op.js';

// Cost estimates that several operators share, in nanoseconds per row. The constants were measured.
// An estimate gives equal weight to single rows and to rows in a block.

/** Nanoseconds for one call of exp or a similar function. */
export const FUNCTION_NANOS = 8.5;
/** Nanoseconds to read or write one number that is in the L1 or L2 cache. */
export const ENTRY_NANOS = 0.25;

/**
 * Nanoseconds for one multiplication of a single row: `NEAR_NANOS` if the matrix fits in the L2
 * cache, otherwise `FAR_NANOS`.
 */
const [NEAR_NANOS, FAR_NANOS] = [0.03, 0.07];
/**
 * Nanoseconds for one multiplication in a block of dense rows. A multiplication takes less time
 * than for a single row, because each weight is read once for several rows.
 */
const SHARED_NANOS = 0.015;
/** Nanoseconds to read one entry of the row, without its multiplications. */
const TERM_NANOS = 1.5;
/**
 * A matrix with at most this many float32 weights (1 MiB) is assumed to fit in the L2 cache.
 */
const NEAR_WEIGHTS = 2 ** 18;
/**
 * With at most this many outputs, all sums fit in one SIMD register. The multiplications for an
 * entry then take almost no time compared with reading the entry.
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
