/**
 * Returns how many n-grams of 1, 2, 3, ... tokens a TfIdfVectorizer node lists. The node has a
 * pool, a list of `poolSize` tokens. `starts`, its attribute `ngram_counts`, has for each n the
 * index in the pool at which the n-grams of n tokens start. Returns undefined if the starts do not
 * ascend from 0, or do not divide the pool into whole n-grams.
 */
export function gramCountsOf(starts: readonly number[], poolSize: number): number[] | undefined {
  if (starts.length > 0 && starts[0] !== 0) return undefined;
  const tokens = starts.map((start, index) => (starts[index + 1] ?? poolSize) - start);
  const counts = tokens.map((count, index) => count / (index + 1));
  return counts.every((count) => Number.isInteger(count) && count >= 0) ? counts : undefined;
}
