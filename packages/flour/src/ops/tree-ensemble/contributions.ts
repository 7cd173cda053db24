import {
  type CannotCarry,
  type Carried,
  type CarryCall,
  type ContributionRules,
  type DenseBlock,
  type NumberShares,
  numberShares,
} from '@brezel/core';
import { baseOf, numbersOfShares } from '../../contributions.js';
import { forestOf, takesTrue } from './reference.js';
import { type CoveredTrees, readSplits, type Splits } from './splits.js';
import { addTreeShap, expectedSum } from './tree-shap.js';

/**
 * An explanation may take at most this many steps. More steps would block the calling thread for
 * more than a second.
 */
const MAX_STEPS = 2 ** 27;

export const contributions: ContributionRules = {
  carry(call) {
    const forest = forestOf(call.parameters);
    const { values } = call.inputs[0] as DenseBlock<'float32'>;
    return carryForest(call, forest, 1, (node) => takesTrue(forest, node, values[forest.feature[node]!]!));
  },
};

/** A forest whose leaves list (target, weight) pairs. Its covers may be unknown. */
export interface LeafLists extends Omit<CoveredTrees, 'cover'> {
  readonly cover?: Float32Array;
  readonly leafStart: Int32Array;
  readonly leafTarget: Int32Array;
  readonly leafWeight: Float32Array | Float64Array;
  readonly base: Float32Array | Float64Array;
}

/**
 * Divides the sum of a forest among its features.
 *
 * @param factor multiplies each leaf: 1 for a sum, 1 / trees for a mean
 */
export function carryForest(
  call: CarryCall,
  forest: LeafLists,
  factor: number,
  takes: (node: number) => boolean,
): Carried | CannotCarry | undefined {
  const shares = numbersOfShares(call);
  if (shares === undefined || shares.isFixed) return undefined;
  const { cover } = forest;
  if (cover === undefined) return { cannot: 'covers', received: `${forest.roots.length} trees without covers` };
  const { trees, splits } = coveredTrees(call.parameters, { ...forest, cover });
  if (!splits.areTrees) return { cannot: 'size', received: 'trees that share nodes' };
  if (splits.steps > MAX_STEPS)
    return { cannot: 'size', received: `${forest.roots.length} trees with ${splits.deepest} splits in a row` };
  const slopes = Float64Array.from(forest.base, (_, target) => factor * (shares.entries.get(target)?.slope ?? 0));
  const leafValue = (leaf: number) => {
    let sum = 0;
    for (let at = forest.leafStart[leaf]!; at < forest.leafStart[leaf + 1]!; at++)
      sum += slopes[forest.leafTarget[at]!]! * forest.leafWeight[at]!;
    return sum;
  };
  const sums = new Map<number, number>();
  const expected = expectedSum({ trees, splits, leafValue });
  addTreeShap({ trees, splits, takesTrue: takes, leafValue }, sums);
  const input: NumberShares = numberShares(
    Array.from(sums, ([column, constant]) => [column, { slope: 0, constant }] as const),
    true,
  );
  return { inputs: [input], base: expected + baseOf(shares, (target) => forest.base[target]!) };
}

interface ReadTrees {
  readonly trees: CoveredTrees;
  readonly splits: Splits;
}

/** Caches the trees of each forest. The key is the object with the parameters of the forest. */
const known = new WeakMap<object, ReadTrees>();

function coveredTrees(parameters: object, trees: CoveredTrees): ReadTrees {
  const read = known.get(parameters) ?? { trees, splits: readSplits(trees) };
  known.set(parameters, read);
  return read;
}
