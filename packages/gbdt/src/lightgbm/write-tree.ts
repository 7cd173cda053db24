import { categoryBounds, testCategories } from '../category-test.js';
import { LEQ, LT, type Slot, type TreeWriter, whenFalse, whenTrue } from '../tree-writer.js';
import { type Branches, walkTree } from '../walk-tree.js';
import type { LightGbmTree } from './read-text.js';

/**
 * Bits of the field `decision_type` in a LightGBM file. CATEGORICAL: the split tests categories.
 * DEFAULT_LEFT: missing values go left.
 */
const CATEGORICAL = 1;
const DEFAULT_LEFT = 2;
const missingKinds = ['none', 'zero', 'nan'] as const;

/** LightGBM treats numbers of at most this magnitude as zero. */
const ZERO = Math.fround(1e-35);

/**
 * The least float64 above -1. LightGBM treats every number between -1 and 1 as category 0, because
 * its integer part is 0.
 */
const ABOVE_MINUS_ONE = -1 + 2 ** -53;

/** Writes one tree. Calls `leaf` with each leaf and the branches that lead to it. */
export function writeTree(
  writer: TreeWriter,
  tree: LightGbmTree,
  leaf: (leaf: number, slots: readonly Slot[]) => void,
): void {
  const splits = tree.leaves - 1;
  writer.startTree();
  walkTree(
    {
      at: tree.at,
      root: splits === 0 ? -1 : 0,
      nodes: tree.leaves + splits,
      left: (node) => tree.left[node]!,
      right: (node) => tree.right[node]!,
      isLeaf: (node) => node < 0,
      learned: (node) => (node < 0 ? tree.leafValue[~node]! : tree.threshold[node]!),
      nameOf: (node) => (node < 0 ? `leaf ${~node}` : `split ${node}`),
      nonFinite: writer.nonFinite,
    },
    (split, slots) => {
      writer.cover = tree.splitRows?.[split] ?? Number.NaN;
      return writeSplit(writer, tree, split, slots);
    },
    (node, slots) => {
      writer.cover = tree.leafRows?.[~node] ?? Number.NaN;
      leaf(~node, slots);
    },
  );
}

function writeSplit(writer: TreeWriter, tree: LightGbmTree, split: number, slots: readonly Slot[]): Branches {
  const [feature, threshold, decision] = [tree.feature[split]!, tree.threshold[split]!, tree.decision[split]!];
  if ((decision & CATEGORICAL) !== 0) {
    const bounds = categoryBounds(categoriesOf(tree, threshold), ABOVE_MINUS_ONE);
    const { inside, outside } = testCategories(writer, slots, feature, bounds);
    return { left: inside, right: outside };
  }
  const goesLeft = (decision & DEFAULT_LEFT) !== 0;
  switch (missingKinds[(decision >> 2) & 3]) {
    case 'nan':
      return compared(writer.test(slots, feature, LEQ, threshold, goesLeft));
    case 'zero':
      return zeroMissing(writer, slots, feature, threshold, goesLeft);
    default: // NaN is treated as 0
      return compared(writer.test(slots, feature, LEQ, threshold, threshold >= 0));
  }
}

const compared = (node: number): Branches => ({ left: [whenTrue(node)], right: [whenFalse(node)] });

/**
 * Writes a split for which 0 and NaN are missing values. Missing values take the default branch.
 * All other values are compared with the threshold.
 */
function zeroMissing(
  writer: TreeWriter,
  slots: readonly Slot[],
  feature: number,
  threshold: number,
  goesLeft: boolean,
): Branches {
  // If comparing 0 with the threshold gives the default branch anyway, one test is enough.
  if (goesLeft ? threshold >= ZERO : threshold < -ZERO)
    return compared(writer.test(slots, feature, LEQ, threshold, goesLeft));
  const left: Slot[] = [];
  const right: Slot[] = [];
  const below = writer.test(slots, feature, LT, -ZERO, false);
  const zero = writer.test([whenFalse(below)], feature, LEQ, ZERO, true);
  (goesLeft ? left : right).push(whenTrue(zero));
  // Numbers below and above zero.
  for (const slot of [whenTrue(below), whenFalse(zero)]) {
    const other = writer.test([slot], feature, LEQ, threshold, false);
    left.push(whenTrue(other));
    right.push(whenFalse(other));
  }
  return { left, right };
}

/** Yields the categories in the set of one categorical split, in ascending order. */
function* categoriesOf({ boundaries, categories }: LightGbmTree, set: number): Generator<number> {
  const [start, end] = [boundaries[set]!, boundaries[set + 1]!];
  for (let word = start; word < end; word++)
    for (let bit = 0; bit < 32; bit++) if ((categories[word]! >>> bit) & 1) yield (word - start) * 32 + bit;
}
