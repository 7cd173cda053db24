import { type ContributionRules, type DenseBlock, sizeOf } from '@brezel/core';

/** The score of the chosen class explains the choice. */
export const contributions: ContributionRules = {
  link({ element, attributes, inputTypes, type, result }) {
    if (attributes.least === true) return undefined;
    const perPart = sizeOf(inputTypes[0]!) / sizeOf(type);
    return { element: element * perPart + Number((result as DenseBlock).values[element]), sign: 1 };
  },
};
