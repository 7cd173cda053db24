import { type DenseBlock, dense, type ReferenceKernel, sizeOf } from '@brezel/core';
import { SparseRows } from '@brezel/tensors';
import { compare, LEAF } from '../tree-ensemble/reference.js';

export const treeOutputs = ['values', 'leaves', 'paths'] as const;
/** The name of an output of `Flow.treeFeaturize`. */
export type TreeOutput = (typeof treeOutputs)[number];

type Arrays = Readonly<Record<string, Int32Array | Float32Array>>;

/**
 * Walks through every tree and collects the value of the reached leaf, the number of the leaf, or
 * the numbers of the branches on the path.
 */
export const reference: ReferenceKernel = ({ rows, inputs, type, attributes, parameters }) => {
  const forest: Arrays = Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, (value as { data: Float32Array }).data]),
  );
  const { values, size } = inputs[0] as DenseBlock<'float32'>;
  const paths = Array.from({ length: rows }, (_, row) => {
    const features = values.subarray(row * size, (row + 1) * size);
    return Array.from(forest.roots!, (root) => walk(forest, root, features));
  });
  if (attributes.output === 'values') {
    const leaves = paths.flat().map((path) => forest.value![path.at(-1)!]!);
    return dense('float32', rows, sizeOf(type), Float32Array.from(leaves));
  }
  const out = new SparseRows(sizeOf(type));
  for (const row of paths) {
    const nodes = row.flatMap((path) => (attributes.output === 'leaves' ? path.slice(-1) : path.slice(0, -1)));
    out.push(nodes.map((node) => [forest.number![node]!, 1] as const));
  }
  return out.finish();
};

/** Returns the nodes on the path from the root to the reached leaf, both included. */
function walk(forest: Arrays, root: number, features: Float32Array): number[] {
  const path = [root];
  for (let node = root; forest.mode![node] !== LEAF; path.push(node)) {
    const value = features[forest.feature![node]!]!;
    const taken = Number.isNaN(value)
      ? forest.missingTrue![node] === 1
      : compare(forest.mode![node]!, value, forest.threshold![node]!);
    node = taken ? forest.trueChild![node]! : forest.falseChild![node]!;
  }
  return path;
}
