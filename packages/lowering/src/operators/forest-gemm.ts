import { type OrderedForest, type Paths, pathsOf } from './forest-paths.js';
import type { StepUse } from './lowering.js';
import { row } from './matrix.js';

/**
 * Writes nodes that evaluate all comparisons of a forest together, and then find the leaf of each
 * tree by a matrix product.
 *
 * The product with the matrix `agree` computes a count for each leaf. A `low` branch on the path to
 * the leaf adds 1 if the row takes it. A `high` branch on the path subtracts 1 if the row does not
 * take it. A row reaches a leaf if the count equals the number of `low` branches on the path.
 * Counts are whole numbers, so sums in any order are exact.
 *
 * A gather selects the compared features. Hummingbird (OSDI'20) uses a matrix product for this, in
 * which a NaN or an infinity in one feature would affect all comparisons.
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
 * Writes the comparisons of all branches, tree by tree. A result is true if the row takes the `low`
 * branch. Trees with fewer branches are padded with arbitrary comparisons, which no leaf uses.
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

/**
 * Builds the tables of the leaves. A tree with fewer leaves is padded with leaves that no row
 * reaches: they require an impossible count.
 */
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
