import type { ContributionRules, DenseBlock } from '@brezel/core';
import { carryForest } from '../tree-ensemble/contributions.js';
import { type Aggregate, type GeneralForest, takesTrue } from './reference.js';

/**
 * Divides the result of a forest among the columns, if it is the sum or the mean of leaves. The
 * minimum or the maximum of leaves cannot be divided.
 */
export const contributions: ContributionRules = {
  carry(call) {
    const aggregate = call.attributes.aggregate as Aggregate;
    if (aggregate === 'min' || aggregate === 'max') return undefined;
    const forest = Object.fromEntries(
      Object.entries(call.parameters).map(([name, value]) => [name, (value as { data: unknown }).data]),
    ) as unknown as GeneralForest;
    const { values } = call.inputs[0] as DenseBlock<'float32' | 'float64'>;
    const factor = aggregate === 'average' ? 1 / forest.roots.length : 1;
    return carryForest(call, forest, factor, (node) => takesTrue(forest, node, values[forest.feature[node]!]!));
  },
};
