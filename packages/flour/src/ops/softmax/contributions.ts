import type { ContributionRules } from '@brezel/core';

/** The score of a class determines its probability beside the scores of the other classes. */
export const contributions: ContributionRules = {
  link: ({ element, attributes }) => ({
    element,
    sign: 1,
    name: attributes.logarithm === true ? 'log-softmax' : 'softmax',
  }),
};
