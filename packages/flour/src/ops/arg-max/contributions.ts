import { type ContributionRules, type DenseBlock, sizeOf } from '@brezel/core';

/** An explanation of the chosen class is an explanation of its score. */
export const contributions: ContributionRules = {
  link({ element, attributes, inputTypes, type, result }) {
    if (attributes.least === true) return undefined;
    const perPart = sizeOf(inputTypes[0]!) / sizeOf(type);
    return { element: element * perPart + Number((result as DenseBlock).values[element]), sign: 1 };
  },
};
