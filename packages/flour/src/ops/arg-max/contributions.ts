import { type ContributionRules, type DenseBlock, sizeOf } from '@brezel/core';

/**
 * Explains the index of the greatest element by the contributions to that element, which is the
 * score of the chosen class. The index itself has no contributions.
 */
export const contributions: ContributionRules = {
  link({ element, attributes, inputTypes, type, result }) {
    if (attributes.least === true) return undefined;
    const perPart = sizeOf(inputTypes[0]!) / sizeOf(type);
    return { element: element * perPart + Number((result as DenseBlock).values[element]), sign: 1 };
  },
};
