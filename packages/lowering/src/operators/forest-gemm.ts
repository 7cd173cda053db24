import { type OrderedForest, type Paths, pathsOf } from './forest-paths.js';
import type { StepUse } from './lowering.js';
import { row } from './matrix.js';

/**
 * Evaluates all comparisons at once; the matrix `agree` then counts for each leaf the branches
 * above it that point to it.
 *
 * A `low` branch that is taken counts 1, a `high` branch that is missed counts -1. A leaf is
 * reached if its count equals its number of `low` branches. Counts are whole numbers, so every
 * order of summation is exact.
 *
 * Columns are gathered instead of multiplied as in the paper, so that a NaN or infinity of one
 * feature affects only its comparisons.
 */
export function writeGemm(use: StepUse, forest: OrderedForest): string {
  const { writer } = use;
  const paths = pathsOf(forest, Number.POSITIVE_INFINITY)!;
  const [trees, branches, leaves, targets] = [paths.trees.length, paths.branches, paths.leaves, forest.base.length];
  const { agree, wanted, payload } = tables(forest, paths);
  writer.flopsPerRow += 2 * trees * (branches + branches * leaves + leaves * targets);

  const bits = writer.node('Cast', [writeComparisons(use, forest, paths)], { to: { i: 1 } });
  const shape = writer.constant('by_tree', 'int64', [3], [-1, trees, branches]);
  const byRow = writer.node('Reshape', [bits, shape]);
  const byTree = writer.node('Transpose', [byRow], { perm: { ints: [1, 0, 2] } });
  const counts = writer.node('MatMul', [byTree, writer.constant('agree', 'float32', [trees, branches, leaves], agree)]);
  const reached = writer.node('Equal', [counts, writer.constant('wanted', 'float32', [trees, 1, leaves], wanted)]);
  const chosen = writer.node('Cast', [reached], { to: { i: 1 } });
  const weights = writer.constant('leaves', 'float32', [trees, leaves, targets], payload);
  const scores = writer.node('MatMul', [chosen, weights]);
  const sum = writer.node('ReduceSum', [scores, writer.constant('axis', 'int64', [1], [0])], { keepdims: { i: 0 } });
  return writer.node('Add', [sum, row(use, 'base', forest.base)]);
}

/**
 * Writes whether each branch goes low, tree by tree. Trees with fewer branches are padded with
 * arbitrary ones.
 */
function writeComparisons(use: StepUse, forest: OrderedForest, paths: Paths): string {
  const { writer } = use;
  const nodes = paths.trees.flatMap((tree) =>
    Array.from({ length: paths.branches }, (_, branch) => tree.branches[branch] ?? 0),
  );
  const count = nodes.length;
  const columns = writer.constant(
    'columns',
    'int64',
    [count],
    nodes.map((node) => forest.feature[node]!),
  );
  const values = writer.node('Gather', [use.inputs[0]!, columns], { axis: { i: 1 } });
  const limits = writer.constant(
    'limits',
    'float32',
    [1, count],
    nodes.map((node) => forest.threshold[node]!),
  );
  const isLow = writer.node('LessOrEqual', [values, limits]);
  if (!forest.hasNanLow) return isLow;
  const mask = writer.constant(
    'nan_is_low',
    'bool',
    [1, count],
    nodes.map((node) => forest.nanIsLow[node]!),
  );
  return writer.node('Or', [isLow, writer.node('And', [writer.node('IsNaN', [values]), mask])]);
}

/** Padding leaves require a count that no row reaches. */
function tables(forest: OrderedForest, { trees, branches, leaves }: Paths) {
  const targets = forest.base.length;
  const agree = new Float32Array(trees.length * branches * leaves);
  const wanted = new Float32Array(trees.length * leaves).fill(branches + 1);
  const payload = new Float32Array(trees.length * leaves * targets);
  trees.forEach(({ leaves: ends }, tree) => {
    ends.forEach(({ node, lows, highs }, leaf) => {
      for (const branch of lows) agree[(tree * branches + branch) * leaves + leaf] = 1;
      for (const branch of highs) agree[(tree * branches + branch) * leaves + leaf] = -1;
      wanted[tree * leaves + leaf] = lows.length;
      const weights = forest.payload.subarray(node * targets, (node + 1) * targets);
      payload.set(weights, (tree * leaves + leaf) * targets);
    });
  });
  return { agree, wanted, payload };
}
