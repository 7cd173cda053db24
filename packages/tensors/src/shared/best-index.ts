/** Which end of the order an arg reduction looks for, and which of equal elements it returns. */
export interface BestOptions {
  /** Whether the least element is the best. Otherwise the greatest is. */
  readonly least: boolean;
  /** Whether the last of equal elements is the result. Otherwise the first is. */
  readonly last: boolean;
}

/**
 * Returns the index of the best of `count` elements. A comparison with NaN is false, so NaN never
 * replaces a number.
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
