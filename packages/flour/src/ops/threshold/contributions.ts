import type { ContributionRules, DenseBlock } from '@brezel/core';

/**
 * Explains a decision by the score from which it is computed. For the decision 0, contributions
 * have the opposite sign.
 */
export const contributions: ContributionRules = {
  link: ({ result }) => ({ element: 0, sign: (result as DenseBlock).values[0] === 1n ? 1 : -1 }),
};
