/**
 * Maps each string by a function. Equal strings are mapped once, because a small file can repeat a
 * long string many times.
 */
export function mapDistinct<T>(values: readonly string[], map: (value: string) => T): T[] {
  const mapped = new Map<string, T>();
  return values.map((value) => {
    const known = mapped.get(value);
    if (known !== undefined) return known;
    const result = map(value);
    mapped.set(value, result);
    return result;
  });
}
