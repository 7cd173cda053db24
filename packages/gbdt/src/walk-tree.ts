import type { NonFiniteChoice } from '@brezel/flour';
import { damaged, gbdtError } from './errors.js';
import type { Slot } from './tree-writer.js';

/** The slots that lead to the two children of a node, after its tests are written. */
export interface Branches {
  readonly left: readonly Slot[];
  readonly right: readonly Slot[];
}

/** One tree of a file, its nodes by number. */
export interface FileTree {
  readonly at: string;
  readonly root: number;
  /** Distinct nodes there can be: more steps than that mean a node below itself. */
  readonly nodes: number;
  left(node: number): number;
  right(node: number): number;
  isLeaf(node: number): boolean;
  /**
   * What training gave: the threshold of a test (anything, where it compares with categories), the
   * value of a leaf.
   */
  learned(node: number): number;
  /** How the file calls a node. */
  nameOf(node: number): string;
  readonly nonFinite: NonFiniteChoice;
}

/**
 * Writes the nodes of a tree, every one after its parent: depth first without recursion, files
 * decide how deep trees are.
 *
 * @throws ERR_GBDT_FORMAT when there are more nodes on the way than in the tree: one is its own
 * descendant; ERR_GBDT_WEIGHT for a number that is NaN.
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
    // A branch that no value takes leads nowhere.
    if (right.length > 0) waiting.push({ node: tree.right(node), slots: right });
    if (left.length > 0) waiting.push({ node: tree.left(node), slots: left });
  }
}

function checkLearned(tree: FileTree, node: number): void {
  if (tree.nonFinite === 'allow' || !Number.isNaN(tree.learned(node))) return;
  const expected = tree.isLeaf(node) ? 'a leaf that is a number' : 'a threshold that is a number';
  throw gbdtError('ERR_GBDT_WEIGHT', { expected, received: 'NaN', at: `${tree.at}, ${tree.nameOf(node)}` });
}
