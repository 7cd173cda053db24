import type { ContributionRules } from '@brezel/core';
import { forestRules } from '../tree-ensemble/contributions.js';
import { type Aggregate, type GeneralForest, takesTrue } from './reference.js';

/**
 * Divides the result of a forest among the columns of its input, if the result is a sum or an
 * average of leaves. A minimum or maximum of leaves cannot be divided.
 */
export const contributions: ContributionRules = forestRules(
  (parameters) => {
    const forest = Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [name, (value as { data: unknown }).data]),
    ) as unknown as GeneralForest;
    return { forest, takesTrue: (node, value) => takesTrue(forest, node, value) };
  },
  ({ attributes }, trees) => factors[attributes.aggregate as Aggregate](trees),
);

const factors: Readonly<Record<Aggregate, (trees: number) => number | undefined>> = {
  sum: () => 1,
  average: (trees) => 1 / trees,
  min: () => undefined,
  max: () => undefined,
};
