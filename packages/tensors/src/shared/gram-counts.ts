/**
 * Returns how many n-grams of 1, 2, 3, ... tokens a TfIdfVectorizer node lists. `starts` is its
 * attribute `ngram_counts`: for each length, the index of the first n-gram in its list of
 * `poolSize` tokens. Returns undefined if the starts do not ascend from 0, or do not divide the
 * list into whole n-grams.
 */
export function gramCountsOf(starts: readonly number[], poolSize: number): number[] | undefined {
  if (starts.length > 0 && starts[0] !== 0) return undefined;
  const tokens = starts.map((start, index) => (starts[index + 1] ?? poolSize) - start);
  const counts = tokens.map((count, index) => count / (index + 1));
  return counts.every((count) => Number.isInteger(count) && count >= 0) ? counts : undefined;
}
