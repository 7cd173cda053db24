import { LT, type Slot, type TreeWriter, whenFalse, whenTrue } from './tree-writer.js';

/**
 * The branches of a category test whose children are not written yet: `inside` for values in the
 * set, `outside` for all other values.
 */
export interface CategorySlots {
  readonly inside: Slot[];
  readonly outside: Slot[];
}

/** Bounds of an empty run, for an empty set of categories. No number is inside. */
const NOTHING: readonly number[] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];

/**
 * Writes nodes that test whether the integer part of a value is in a set of categories. A run is a
 * sequence of neighboring categories in the set. The nodes do a binary search among the bounds of
 * the runs, so a test takes O(log runs) comparisons. NaN is not in the set.
 *
 * @param runs ascending bounds of the runs: `[start, end, start, end, ...]`. An end is the first
 * value after its run.
 */
export function testCategories(
  writer: TreeWriter,
  slots: readonly Slot[],
  feature: number,
  runs: readonly number[],
): CategorySlots {
  const bounds = runs.length === 0 ? NOTHING : runs;
  const found: CategorySlots = { inside: [], outside: [] };
  // Region r is the interval between bounds r - 1 and r. The odd regions are inside the set.
  const search = (first: number, last: number, from: readonly Slot[]) => {
    if (first === last) {
      (first % 2 === 1 ? found.inside : found.outside).push(...from);
      return;
    }
    const middle = (first + last) >> 1;
    const node = writer.test(from, feature, LT, bounds[middle]!, false);
    search(first, middle, [whenTrue(node)]);
    search(middle + 1, last, [whenFalse(node)]);
  };
  search(0, bounds.length, slots);
  return found;
}

/**
 * Returns the bounds of the runs of neighboring categories: `[start, end, start, end, ...]`. `zero`
 * replaces 0 as the start of a run, because numbers a little below 0 may also have the integer part
 * 0.
 */
export function categoryBounds(categories: Iterable<number>, zero: number): number[] {
  const bounds: number[] = [];
  for (const category of categories) {
    if (bounds.length > 0 && bounds.at(-1) === category) bounds[bounds.length - 1] = category + 1;
    else bounds.push(category === 0 ? zero : category, category + 1);
  }
  return bounds;
}
