import type { BackgroundUse, CannotCarry, DenseBlock } from '@brezel/core';
import { type BackgroundPatterns, backgroundPatterns } from './background-patterns.js';
import { type ExplainedForest, type LeafLists, leafValue } from './explained-forest.js';
import { addInterventionalShap, ShapleyWeights } from './interventional-shap.js';
import { type LeafPaths, leafPaths } from './leaf-paths.js';
import { readSplits, type Splits } from './splits.js';

/**
 * The greatest product of edges and background rows. A forest with more is not explained, because
 * the calling thread would be blocked for more than a second.
 */
const MAX_STEPS = 2 ** 24;
/** A forest with more distinct features on a path is not explained. The weights then take 8 MB. */
const MAX_DISTINCT = 1023;

/** A forest that is prepared for explanations with one background. */
export type InterventionalForest = Pick<ExplainedForest, 'features' | 'explain'>;

/**
 * Caches prepared forests. Each operator of each plan has a separate `BackgroundUse`, which is the
 * key.
 */
const known = new WeakMap<BackgroundUse, InterventionalForest | CannotCarry>();

/**
 * Returns a forest that is prepared for explanations with a background, or the reason why it cannot
 * be explained. Covers are not necessary.
 */
export function interventionalForest(
  background: BackgroundUse,
  forest: LeafLists,
  takesTrue: (node: number, value: number) => boolean,
): InterventionalForest | CannotCarry {
  let explained = known.get(background);
  if (explained === undefined) {
    explained = prepared(background, forest, takesTrue);
    known.set(background, explained);
  }
  return explained;
}

function prepared(
  { rows, inputs: [input] }: BackgroundUse,
  forest: LeafLists,
  takesTrue: (node: number, value: number) => boolean,
): InterventionalForest | CannotCarry {
  // Without covers, each test is a separate split. Several splits on one feature give the same
  // contributions as one split with several tests.
  const covered = { ...forest, cover: forest.cover ?? new Float32Array(forest.mode.length).fill(1) };
  const splits = readSplits(covered);
  if (!splits.areTrees) return { cannot: 'size', received: 'trees that share nodes' };
  if (splits.edges * rows > MAX_STEPS)
    return { cannot: 'background', received: `${rows} background rows for a forest with ${splits.edges} edges` };
  const paths = leafPaths(covered, splits);
  if (paths.distinct > MAX_DISTINCT)
    return { cannot: 'size', received: `a path with ${paths.distinct} distinct features` };
  const branches = branchesTaken(paths, splits, (node, row) => takesTrue(node, row[forest.feature[node]!]!));
  const { values: numbers, size } = input as DenseBlock<'float32' | 'float64'>;
  const taken = Array.from({ length: rows }, (_, row) => branches(numbers.subarray(row * size, (row + 1) * size)));
  const patterns = backgroundPatterns(paths, taken);
  const reached = rowsAtLeaves(paths, patterns);
  const weights = new ShapleyWeights(paths.distinct);
  const { features } = paths;
  return {
    features,
    explain(slopes, list) {
      const values = Float64Array.from(paths.leaves, (leaf) => leafValue(forest, leaf, slopes));
      const sums = new Float64Array(list.length * features.length);
      list.forEach((row, at) => {
        const into = sums.subarray(at * features.length, (at + 1) * features.length);
        addInterventionalShap({ paths, patterns, values, taken: branches(row), weights }, into);
        for (let column = 0; column < into.length; column++) into[column]! /= rows;
      });
      let base = 0;
      for (const root of forest.roots) if (splits.isLeaf(root)) base += leafValue(forest, root, slopes);
      const ofLeaves = values.reduce((sum, value, leaf) => sum + value * reached[leaf]!, 0);
      return { base: base + ofLeaves / rows, sums };
    },
  };
}

/**
 * Returns a function that computes the branch that a row takes at each split. The index of a branch
 * is the node of its split.
 */
function branchesTaken(
  { split }: LeafPaths,
  splits: Splits,
  takesTrue: (node: number, row: ArrayLike<number>) => boolean,
): (row: ArrayLike<number>) => Int32Array {
  const all = [...new Set(split)];
  const length = all.reduce((most, one) => Math.max(most, one + 1), 0);
  return (row) => {
    const taken = new Int32Array(length);
    for (const one of all) taken[one] = splits.taken(one, (node) => takesTrue(node, row));
    return taken;
  };
}

/** Returns how many background rows reach each leaf. The mask of such a row is empty. */
function rowsAtLeaves({ leaves }: LeafPaths, { words, start, mask, rows }: BackgroundPatterns): Float64Array {
  return Float64Array.from(leaves, (_, leaf) => {
    for (let pattern = start[leaf]!; pattern < start[leaf + 1]!; pattern++)
      if (mask.subarray(pattern * words, (pattern + 1) * words).every((word) => word === 0)) return rows[pattern]!;
    return 0;
  });
}
