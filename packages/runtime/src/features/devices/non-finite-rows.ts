import type { DenseBlock } from '@brezel/core';

/**
 * Returns the rows whose device answers are not reliable: rows with NaN or infinities that the CPU
 * must run again. A device adds numbers in another order than the CPU, so its sums can overflow. An
 * integer output, such as an argmax, does not show an overflow. If the stage has such an output,
 * the inputs are also checked for NaN and infinities.
 */
export function nonFiniteRows(inputs: readonly DenseBlock[], outputs: readonly DenseBlock[], rows: number): number[] {
  const watched = outputs.filter(({ dtype }) => dtype === 'float32');
  const isBlind = watched.length < outputs.length;
  const blocks = isBlind ? [...watched, ...inputs] : watched;
  const nonFinite = new Set<number>();
  for (const block of blocks) addNonFinite(block as DenseBlock<'float32'>, nonFinite);
  return nonFinite.size === 0 ? [] : [...nonFinite].filter((row) => row < rows).sort((a, b) => a - b);
}

function addNonFinite({ values, size }: DenseBlock<'float32'>, nonFinite: Set<number>): void {
  for (let at = 0; at < values.length; at++) {
    // `x - x` is 0 for every finite number, and NaN for NaN and infinities. One comparison is
    // therefore enough.
    if (values[at]! - values[at]! !== 0) nonFinite.add(Math.floor(at / size));
  }
}

/** Returns whether a row of a block has only finite numbers. */
export function isFiniteRow(blocks: readonly DenseBlock[], row: number): boolean {
  return blocks.every(
    ({ values, size, dtype }) =>
      dtype !== 'float32' || (values as Float32Array).subarray(row * size, (row + 1) * size).every(Number.isFinite),
  );
}
