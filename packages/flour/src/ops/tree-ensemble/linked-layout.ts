import { normalNode } from './normal-node.js';
import { type Forest, LEAF } from './reference.js';

/** The number of nodes in one cache line of 64 bytes. A node takes eight bytes. */
export const LINE_NODES = 8;

/** The order in which a packed forest stores the nodes of one tree. */
export interface LinkedLayout {
  /** Number of positions for nodes, a multiple of `LINE_NODES`. */
  readonly size: number;
  /** For each position, the index of its node in the forest, or -1 if the position is empty. */
  readonly nodes: Int32Array;
  /**
   * For each position, the position of the high child of its node. The low child is at the next
   * position.
   */
  readonly children: Uint32Array;
}

/**
 * Returns the number of leaves below each node, or 1 for a leaf. A leaf counts once for each path
 * to it.
 */
export function leavesBelow({ mode, trueChild, falseChild }: Forest): Float64Array {
  const leaves = new Float64Array(mode.length).fill(1);
  for (let node = mode.length - 1; node >= 0; node--) {
    if (mode[node] !== LEAF) leaves[node] = leaves[trueChild[node]!]! + leaves[falseChild[node]!]!;
  }
  return leaves;
}

/**
 * Arranges the nodes of a tree so that a walk reads few cache lines. A line starts with the
 * children of one branch. While the line has room, the function adds the children of another branch
 * in the same line. It selects the branch with the most leaves below it, because most rows probably
 * go there. A walk from the root to a leaf reads about half as many cache lines as nodes. The cache
 * lines near the root, which all rows read, are adjacent.
 *
 * @param top branches whose children come first, in this order. A parent comes before its children.
 *   The kernels compare the branches in `top` with all rows before they walk
 *   (native/primitives/tree_tops.hpp).
 */
export function linkedLayout(
  forest: Forest,
  leaves: Float64Array,
  root: number,
  top: readonly number[] = [],
): LinkedLayout {
  const most = Math.ceil((2 * leaves[root]!) / LINE_NODES) * LINE_NODES;
  const nodes = new Int32Array(most).fill(-1);
  const children = new Uint32Array(most);
  nodes[0] = root;
  let next = 2; // pairs of children start at even positions
  const put = (index: number) => {
    const { low, high } = normalNode(forest, nodes[index]!);
    children[index] = next;
    nodes[next++] = high;
    nodes[next++] = low;
  };
  const isBranch = (index: number) => forest.mode[nodes[index]!] !== LEAF;
  const below = (index: number) => leaves[nodes[index]!]!;
  const branchesAt = (...indices: readonly number[]) => indices.filter(isBranch);
  /**
   * The branches whose children have no position yet, each with the position of the branch itself.
   */
  const positions = new Map(branchesAt(0).map((index) => [nodes[index]!, index]));
  for (const node of top) {
    const index = positions.get(node)!;
    put(index);
    positions.delete(node);
    for (const child of branchesAt(next - 2, next - 1)) positions.set(nodes[child]!, child);
  }
  const starts = [...positions.values()];
  for (const start of starts) {
    const branches = [start]; // branches whose children have no position
    do {
      const largest = branches.reduce((best, index) => (below(index) > below(best) ? index : best));
      branches.splice(branches.indexOf(largest), 1);
      put(largest);
      branches.push(...branchesAt(next - 2, next - 1));
    } while (next % LINE_NODES !== 0 && branches.length > 0);
    starts.push(...branches);
  }
  return { size: most, nodes, children };
}
