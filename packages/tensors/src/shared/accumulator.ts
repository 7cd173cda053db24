/**
 * Returns a function that writes running results: each element of `out` is the previous result,
 * combined with one more element of `from`. Results are rounded or wrapped when `out` stores them.
 *
 * @param neutral the first result if `exclusive` is true.
 * @param exclusive whether the result of an element excludes the element itself.
 * @returns a function of the first element's index and the offsets of all elements, in order.
 */
export function accumulator<T extends number | bigint>(
  from: { readonly [at: number]: T },
  out: { [at: number]: T },
  neutral: T,
  combine: (a: T, b: T) => T,
  exclusive: boolean,
) {
  return (start: number, order: ArrayLike<number>): void => {
    for (let at = 0; at < order.length; at++) {
      const index = start + order[at]!;
      const before = start + order[at - 1]!;
      if (at === 0) out[index] = exclusive ? neutral : from[index]!;
      else out[index] = combine(out[before]!, from[exclusive ? before : index]!);
    }
  };
}
