import { ColumnSources, ForestBlob, NAN_COLUMN } from './forest-blob.js';
import { type ForestShape, forestShape } from './forest-shape.js';
import { LikelyBranches } from './likely-branches.js';
import { LINE_NODES, leavesBelow, linkedLayout } from './linked-layout.js';
import { normalNode } from './normal-node.js';
import { type Forest, LEAF } from './reference.js';

const MAGIC = 0x4c465a42; // BZFL

/**
 * Returns how many bits of a link hold the column that a node compares. The other bits hold the
 * index of a child in its tree.
 */
export const columnBits = (columns: number): number => Math.max(1, Math.ceil(Math.log2(columns)));

/**
 * The order of the nodes of a tree. `visits`: the children of the branches that most rows visit
 * come first (`LikelyBranches`). `leaves`: the order that earlier versions of Oven stored.
 */
export type NodeOrder = 'visits' | 'leaves';

/**
 * Builds the blob of `linked_forest`: eight bytes per node, in the order of `linkedLayout`, which
 * puts both children of a branch next to each other. A leaf compares column 0, whose value is
 * always NaN. It therefore takes its high child, and this child is the leaf itself. So a walk can
 * visit several nodes before it checks whether it has reached a leaf.
 */
export function linkedForest(forest: Forest, order: NodeOrder = 'visits'): Uint8Array {
  const shape = forestShape(forest);
  const likely = order === 'visits' ? new LikelyBranches(forest, shape.features) : undefined;
  const columns = new ColumnSources(forest, shape, [NAN_COLUMN]);
  const bits = columnBits(columns.sources.length);
  const blob = new ForestBlob(forest, shape);
  const leaves = leavesBelow(forest);
  const trees = Array.from(forest.roots, (root) => linkedLayout(forest, leaves, root, likely?.below(root)));
  const first = new Uint32Array(trees.length + 1);
  trees.forEach(({ size }, tree) => (first[tree + 1] = first[tree]! + size));
  const links = new Uint32Array(first[shape.trees]! * 2);
  const thresholds = new Float32Array(links.buffer);
  trees.forEach(({ size, nodes, children }, tree) => {
    const base = first[tree]!;
    for (let position = 0; position < size; position++) {
      const node = nodes[position]!;
      const at = (base + position) * 2;
      if (node < 0 || forest.mode[node] === LEAF) {
        links[at] = node < 0 ? 0 : blob.payload.of(node);
        links[at + 1] = (position << bits) >>> 0;
        continue;
      }
      const { threshold, nanIsLow } = normalNode(forest, node);
      thresholds[at] = threshold;
      links[at + 1] = ((children[position]! << bits) | columns.of(forest.feature[node]!, nanIsLow)) >>> 0;
    }
  });
  const offsets = [blob.section(links), blob.section(first), blob.section(shape.depths)] as const;
  return blob.finish(MAGIC, bits, columns.sources, [...offsets]);
}

/** Returns whether links can address every node of the largest tree. */
export const linksFit = (shape: ForestShape): boolean =>
  (shape.largestTree + LINE_NODES) * 2 ** columnBits(2 * shape.usedFeatures + 1) <= 2 ** 31;
