/**
 * Returns the numbers of n-grams of 1, 2, 3, ... tokens in a pool, from ONNX's `ngram_counts`, the
 * start of each size. Undefined if the starts do not ascend from 0, or do not divide the pool into
 * whole n-grams.
 */
export function gramCountsOf(starts: readonly number[], poolSize: number): number[] | undefined {
  if (starts.length > 0 && starts[0] !== 0) return undefined;
  const tokens = starts.map((start, index) => (starts[index + 1] ?? poolSize) - start);
  const counts = tokens.map((count, index) => count / (index + 1));
  return counts.every((count) => Number.isInteger(count) && count >= 0) ? counts : undefined;
}
