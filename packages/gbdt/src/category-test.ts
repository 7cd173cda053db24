import { LT, type Slot, type TreeWriter, whenFalse, whenTrue } from './tree-writer.js';

/**
 * The branches of a test of categories: the branch of a value in the set, and the branch of other
 * values.
 */
export interface CategorySlots {
  readonly inside: Slot[];
  readonly outside: Slot[];
}

/** The bounds of an empty run. */
const NOTHING: readonly number[] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];

/**
 * Tests whether the whole part of a value is one of some categories, as a search among the ends of
 * their runs: as many steps as the logarithm of the runs, and no table. A NaN is outside.
 *
 * @param runs where runs start and end, ascending: `[start, end, start, end, ...]`, an end being
 * the first value outside.
 */
export function testCategories(
  writer: TreeWriter,
  slots: readonly Slot[],
  feature: number,
  runs: readonly number[],
): CategorySlots {
  const bounds = runs.length === 0 ? NOTHING : runs;
  const found: CategorySlots = { inside: [], outside: [] };
  // Region r lies between bounds r - 1 and r: the odd ones are inside.
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
 * Returns the bounds of the runs of neighboring categories (ascending, distinct). A run that starts
 * at 0 starts at `zero`.
 */
export function categoryBounds(categories: Iterable<number>, zero: number): number[] {
  const bounds: number[] = [];
  for (const category of categories) {
    if (bounds.length > 0 && bounds.at(-1) === category) bounds[bounds.length - 1] = category + 1;
    else bounds.push(category === 0 ? zero : category, category + 1);
  }
  return bounds;
}
