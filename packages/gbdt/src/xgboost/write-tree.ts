import { categoryBounds, testCategories } from '../category-test.js';
import { LEQ, LT, type Slot, type TreeWriter, whenFalse, whenTrue } from '../tree-writer.js';
import { type Branches, walkTree } from '../walk-tree.js';
import type { XgboostTree } from './read-model.js';

/** Writes one tree. Calls `leaf` with the node of each leaf and the branches that lead to it. */
export function writeTree(
  writer: TreeWriter,
  tree: XgboostTree,
  leaf: (node: number, slots: readonly Slot[]) => void,
): void {
  writer.startTree();
  walkTree(
    {
      at: tree.at,
      root: 0,
      nodes: tree.left.length,
      left: (node) => tree.left[node]!,
      right: (node) => tree.right[node]!,
      isLeaf: (node) => tree.left[node] === -1,
      learned: (node) => (tree.categories.has(node) ? 0 : tree.condition[node]!),
      nameOf: (node) => `node ${node}`,
      nonFinite: writer.nonFinite,
    },
    (node, slots) => {
      writer.cover = tree.cover?.[node] ?? Number.NaN;
      return writeSplit(writer, tree, node, slots);
    },
    (node, slots) => {
      writer.cover = tree.cover?.[node] ?? Number.NaN;
      leaf(node, slots);
    },
  );
}

/**
 * Writes one split. A number below the threshold goes left. A category in the set goes right. A
 * missing value takes the default branch of the node.
 */
function writeSplit(writer: TreeWriter, tree: XgboostTree, node: number, slots: readonly Slot[]): Branches {
  const feature = tree.feature[node]!;
  const goesLeft = tree.defaultLeft[node] === 1;
  const categories = tree.categories.get(node);
  if (categories === undefined) {
    const test = writer.test(slots, feature, LT, tree.condition[node]!, goesLeft);
    return { left: [whenTrue(test)], right: [whenFalse(test)] };
  }
  // The search for a category puts NaN outside of the set. If NaN goes right, it needs a test.
  const known = goesLeft ? undefined : writer.test(slots, feature, LEQ, Number.POSITIVE_INFINITY, false);
  const { inside, outside } = testCategories(
    writer,
    known === undefined ? slots : [whenTrue(known)],
    feature,
    categoryBounds(categories, 0),
  );
  return { left: outside, right: known === undefined ? inside : [...inside, whenFalse(known)] };
}
