import type { DenseBlock } from '@brezel/core';

/**
 * Rows whose answers a device may not decide: NaN and infinities come out where sums in another
 * order overflow elsewhere, and a chosen integer (the greatest score, say) does not show that it
 * was chosen among such. Their reference is the CPU's.
 */
export function oddRows(inputs: readonly DenseBlock[], outputs: readonly DenseBlock[], rows: number): number[] {
  const watched = outputs.filter(({ dtype }) => dtype === 'float32');
  const isBlind = watched.length < outputs.length;
  const blocks = isBlind ? [...watched, ...inputs] : watched;
  const odd = new Set<number>();
  for (const block of blocks) addOdd(block as DenseBlock<'float32'>, odd);
  return odd.size === 0 ? [] : [...odd].filter((row) => row < rows).sort((a, b) => a - b);
}

function addOdd({ values, size }: DenseBlock<'float32'>, odd: Set<number>): void {
  for (let at = 0; at < values.length; at++) {
    // Only NaN and infinities are not 0 after that: one pass without a branch a number that is
    // right.
    if (values[at]! - values[at]! !== 0) odd.add(Math.floor(at / size));
  }
}

/** Whether a row of a block has nothing but finite numbers. */
export function isFiniteRow(blocks: readonly DenseBlock[], row: number): boolean {
  return blocks.every(
    ({ values, size, dtype }) =>
      dtype !== 'float32' || (values as Float32Array).subarray(row * size, (row + 1) * size).every(Number.isFinite),
  );
}
