import { ColumnSources, ForestBlob, NAN_COLUMN } from './forest-blob.js';
import { type ForestShape, forestShape } from './forest-shape.js';
import { normalNode } from './normal-node.js';
import { type Forest, LEAF } from './reference.js';

const MAGIC = 0x4c465a42; // BZFL

/** Bits of a link that hold the column; the others hold the child's place in its tree. */
export const columnBits = (columns: number): number => Math.max(1, Math.ceil(Math.log2(columns)));

/**
 * The blob of `linked_forest`: eight bytes a node, both children side by side. A leaf compares the NaN of column 0, which never is below, and
 * leads to itself, so that walks of unequal length need no test.
 */
export function linkedForest(forest: Forest): Uint8Array {
  const shape = forestShape(forest);
  const columns = new ColumnSources(forest, shape, [NAN_COLUMN]);
  const bits = columnBits(columns.sources.length);
  const blob = new ForestBlob(forest, shape);
  const first = firstNodes(forest);
  const links = new Uint32Array(first[shape.trees]! * 2);
  const thresholds = new Float32Array(links.buffer);
  forest.roots.forEach((root, tree) => {
    const base = first[tree]!;
    const putLeaf = (place: number, payload: number) => {
      links[(base + place) * 2] = payload;
      links[(base + place) * 2 + 1] = (place << bits) >>> 0;
    };
    putLeaf(1, 0); // nobody's: pairs start at even places
    let next = 2;
    const waiting = [root, 0];
    while (waiting.length > 0) {
      const place = waiting.pop()!;
      const node = waiting.pop()!;
      if (forest.mode[node] === LEAF) {
        putLeaf(place, blob.payload.of(node));
        continue;
      }
      const { threshold, low, high, nanIsLow } = normalNode(forest, node);
      thresholds[(base + place) * 2] = threshold;
      links[(base + place) * 2 + 1] = ((next << bits) | columns.of(forest.feature[node]!, nanIsLow)) >>> 0;
      waiting.push(low, next + 1, high, next);
      next += 2;
    }
  });
  const places = [blob.section(links), blob.section(first), blob.section(shape.depths)] as const;
  return blob.finish(MAGIC, bits, columns.sources, [...places]);
}

/** Where each tree starts, and the end: a tree has its nodes and one more, that nobody reaches. */
function firstNodes(forest: Forest): Uint32Array {
  const first = new Uint32Array(forest.roots.length + 1);
  forest.roots.forEach((root, tree) => {
    let nodes = 0;
    const waiting = [root];
    while (waiting.length > 0) {
      const node = waiting.pop()!;
      nodes++;
      if (forest.mode[node] !== LEAF) waiting.push(forest.trueChild[node]!, forest.falseChild[node]!);
    }
    first[tree + 1] = first[tree]! + nodes + 1;
  });
  return first;
}

/** Whether links can hold every place of the largest tree. */
export const linksFit = (shape: ForestShape): boolean =>
  (shape.largestTree + 1) * 2 ** columnBits(2 * shape.usedFeatures + 1) <= 2 ** 31;
