/**
 * For a list of at most this length, `distinct` uses a linear search. For so few texts, the search
 * is faster than a set, and it allocates no set.
 */
const FEW = 32;

/** Returns the different texts of a list, in the order of their first occurrence. */
export function distinct(texts: readonly string[]): readonly string[] {
  if (texts.length > FEW) return [...new Set(texts)];
  const found: string[] = new Array(texts.length);
  let count = 0;
  for (let at = 0; at < texts.length; at++) {
    const isKnown = found.includes(texts[at]!);
    if (!isKnown) found[count++] = texts[at]!;
  }
  found.length = count;
  return found;
}
