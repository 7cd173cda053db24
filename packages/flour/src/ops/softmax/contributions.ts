import type { ContributionRules } from '@brezel/core';

/**
 * Explains the probability of a class by the score of this class, although the probability also
 * depends on the other scores.
 */
export const contributions: ContributionRules = {
  link: ({ element, attributes }) => ({
    element,
    sign: 1,
    name: attributes.logarithm === true ? 'log-softmax' : 'softmax',
  }),
};
