import type { Covered } from './windows.js';

/**
 * Finds the greatest entry under a window of a channel: the first NaN if the window has one,
 * otherwise the first of equal greatest entries.
 *
 * @param base index of the channel's first element in `data`.
 * @returns the index of the entry in the channel, or -1 if the window covers padding only.
 */
export function greatestPosition(
  data: ArrayLike<number>,
  base: number,
  { starts, positions }: Covered,
  window: number,
): number {
  let best = -1;
  for (let next = starts[window]!; next < starts[window + 1]!; next++) {
    const position = positions[next]!;
    if (position >= 0 && (best < 0 || isAbove(data[base + position]!, data[base + best]!))) best = position;
  }
  return best;
}

const isAbove = (value: number, other: number) => value > other || (Number.isNaN(value) && !Number.isNaN(other));
