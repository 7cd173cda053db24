import type { NonFiniteChoice } from '@brezel/flour';
import { damaged, gbdtError } from './errors.js';
import type { Slot } from './tree-writer.js';

/**
 * The branches of a node whose children are not written yet: the branches to the left child, and
 * the branches to the right child.
 */
export interface Branches {
  readonly left: readonly Slot[];
  readonly right: readonly Slot[];
}

/** A tree of a LightGBM or XGBoost file. A node is identified by its number. */
export interface FileTree {
  readonly at: string;
  readonly root: number;
  /** The number of nodes in the tree. A walk that visits more nodes has found a cycle. */
  readonly nodes: number;
  left(node: number): number;
  right(node: number): number;
  isLeaf(node: number): boolean;
  /**
   * Returns the threshold of a test, or the value of a leaf, which must not be NaN. For a test of
   * categories, any number may be returned.
   */
  learned(node: number): number;
  /** Returns the name of a node in the file, for errors. */
  nameOf(node: number): string;
  readonly nonFinite: NonFiniteChoice;
}

/**
 * Writes the nodes of a tree depth first, each after its parent. Uses no recursion, because the
 * file decides the depth.
 *
 * @throws ERR_GBDT_FORMAT if a node is its own descendant.
 * @throws ERR_GBDT_WEIGHT if a learned number is NaN.
 */
export function walkTree(
  tree: FileTree,
  writeTest: (node: number, slots: readonly Slot[]) => Branches,
  writeLeaf: (node: number, slots: readonly Slot[]) => void,
): void {
  const waiting: { readonly node: number; readonly slots: readonly Slot[] }[] = [{ node: tree.root, slots: [] }];
  for (let written = 0; waiting.length > 0; written++) {
    if (written >= tree.nodes) throw damaged(tree.at, `${tree.nodes} nodes`, 'more: one is below itself');
    const { node, slots } = waiting.pop()!;
    checkLearned(tree, node);
    if (tree.isLeaf(node)) {
      writeLeaf(node, slots);
      continue;
    }
    const { left, right } = writeTest(node, slots);
    // If no value takes a branch, its child is not written.
    if (right.length > 0) waiting.push({ node: tree.right(node), slots: right });
    if (left.length > 0) waiting.push({ node: tree.left(node), slots: left });
  }
}

function checkLearned(tree: FileTree, node: number): void {
  if (tree.nonFinite === 'allow' || !Number.isNaN(tree.learned(node))) return;
  const expected = tree.isLeaf(node) ? 'a leaf that is a number' : 'a threshold that is a number';
  throw gbdtError('ERR_GBDT_WEIGHT', { expected, received: 'NaN', at: `${tree.at}, ${tree.nameOf(node)}` });
}
