import { ColumnSources, ForestBlob } from './forest-blob.js';
import { forestShape } from './forest-shape.js';
import { normalNode } from './normal-node.js';
import { type Forest, LEAF } from './reference.js';

const MAGIC = 0x50465a42; // BZFP
/**
 * Trees are padded to at least this depth, because kernels process the top three levels together.
 */
export const MIN_PERFECT_DEPTH = 3;

/**
 * Builds the blob of `perfect_forest`: pads all trees to the same depth and stores their nodes
 * level by level. The children of node `i` are `2i` (for numbers above the threshold) and `2i + 1`.
 * So the blob needs no links, and a walk needs no test for its end.
 */
export function perfectForest(forest: Forest): Uint8Array {
  const shape = forestShape(forest);
  const depth = Math.max(shape.depth, MIN_PERFECT_DEPTH);
  const width = 2 ** depth;
  const columns = new ColumnSources(forest, shape);
  const direct = columns.areFeatures;
  const blob = new ForestBlob(forest, shape);
  const links = new Uint32Array(shape.trees * width * 2);
  const thresholds = new Float32Array(links.buffer);
  const leaves = new Uint32Array(shape.trees * width);
  const heap = new Int32Array(2 * width); // the forest's node at each position of one tree
  forest.roots.forEach((root, tree) => {
    heap[1] = root;
    for (let position = 1; position < width; position++) {
      const node = heap[position]!;
      if (forest.mode[node] === LEAF) {
        heap[2 * position] = node;
        heap[2 * position + 1] = node;
        continue;
      }
      const { threshold, low, high, nanIsLow } = normalNode(forest, node);
      heap[2 * position] = high;
      heap[2 * position + 1] = low;
      const at = (tree * width + position) * 2;
      thresholds[at] = threshold;
      const feature = forest.feature[node]!;
      links[at + 1] = direct ? feature : columns.of(feature, nanIsLow);
    }
    for (let leaf = 0; leaf < width; leaf++) leaves[tree * width + leaf] = blob.payload.of(heap[width + leaf]!);
  });
  const offsets = [blob.section(links), blob.section(leaves), 0] as const;
  return blob.finish(MAGIC, depth, direct ? new Uint32Array(0) : columns.sources, [...offsets]);
}
