import { type ContributionRules, type NumberShare, numberShares } from '@brezel/core';
import { fixedShares, numbersOfShares } from '../../contributions.js';

/**
 * Gives each value the sum of the contributions of all its columns, including the columns that are
 * 0.
 */
export const contributions: ContributionRules = {
  carry(call) {
    const shares = numbersOfShares(call);
    if (shares === undefined) return undefined;
    const categories = call.attributes.categories as number;
    const sums = new Map<number, NumberShare>();
    for (const [column, { constant }] of fixedShares(shares, call.result).entries) {
      const value = Math.floor(column / categories);
      sums.set(value, { slope: 0, constant: (sums.get(value)?.constant ?? 0) + constant });
    }
    return { inputs: [numberShares(sums, true)] };
  },
};
