import type { DictionaryBlock, DictionaryEntry, ReferenceKernel } from '@brezel/core';
import { SparseRows } from '@brezel/tensors';

/**
 * Yields the features of one dictionary entry with their values, named as in scikit-learn: `key`
 * with its number, or `key=text` with 1. A list of texts yields one feature per text.
 */
export function* featuresOf(
  key: string,
  value: DictionaryEntry,
  separator: string,
): Generator<readonly [string, number]> {
  if (typeof value === 'number' || typeof value === 'bigint') yield [key, Number(value)];
  else for (const text of typeof value === 'string' ? [value] : value) yield [`${key}${separator}${text}`, 1];
}

/**
 * Writes the value of each known feature to its column. Ignores unknown features. If a feature
 * occurs several times, its values are added.
 */
export const reference: ReferenceKernel = ({ inputs, type, attributes, parameters }) => {
  const { features } = parameters;
  if (features?.dtype !== 'string') throw new TypeError('dict-vectorizer parameters');
  const places = new Map(features.values.map((name, place) => [name, place]));
  const out = new SparseRows((type as { size: number }).size);
  for (const entries of (inputs[0] as DictionaryBlock).values) {
    const row = new Map<number, number>();
    for (const [key, value] of entries)
      for (const [feature, number] of featuresOf(key, value, attributes.separator as string)) {
        const place = places.get(feature);
        if (place !== undefined) row.set(place, Math.fround((row.get(place) ?? 0) + Math.fround(number)));
      }
    out.push(inOrder(row));
  }
  return out.finish();
};

/**
 * Returns the columns and values of a row, sorted by column, so that the order of the keys in the
 * row has no effect.
 */
export const inOrder = (row: ReadonlyMap<number, number>): [number, number][] => [...row].sort(([a], [b]) => a - b);
