/**
 * Longest list for which a linear search is faster than a set. The search also allocates nothing.
 */
const FEW = 32;

/** Returns each text once, in the order of first occurrence. */
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
