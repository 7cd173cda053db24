/**
 * Options of `bestIndex`: whether to find the least or the greatest element, and which of several
 * equal elements to return.
 */
export interface BestOptions {
  /** True finds the least element, false the greatest. */
  readonly least: boolean;
  /** True returns the last of equal elements, false the first. */
  readonly last: boolean;
}

/**
 * Returns the index of the best of `count` elements. A comparison with NaN is false, so NaN never
 * replaces a number, and no number replaces a NaN at index 0.
 */
export function bestIndex(
  count: number,
  valueAt: (index: number) => number | bigint,
  { least, last }: BestOptions,
): number {
  let best = 0;
  for (let index = 1; index < count; index++) {
    const [value, known] = [valueAt(index), valueAt(best)];
    if ((least ? value < known : value > known) || (last && value === known)) best = index;
  }
  return best;
}
