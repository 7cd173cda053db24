import { type ContributionRules, type NumberShare, numberShares } from '@brezel/core';
import { carryColumns, fixedShares, numbersOfShares } from '../../contributions.js';

/**
 * Gives each number the contribution of its bin. If bins are one-hot, the number gets the sum of
 * the contributions of all bins of its column.
 */
export const contributions: ContributionRules = {
  carry(call) {
    if (call.attributes.output !== 'oneHot') return carryColumns(call);
    const shares = numbersOfShares(call);
    if (shares === undefined) return undefined;
    const { data: starts } = call.parameters.starts as { data: Int32Array };
    const sums = new Map<number, NumberShare>();
    for (const [bin, { constant }] of fixedShares(shares, call.result).entries) {
      // A column with k edges has k + 1 bins.
      let column = starts.length - 2;
      while (column > 0 && starts[column]! + column > bin) column--;
      sums.set(column, { slope: 0, constant: (sums.get(column)?.constant ?? 0) + constant });
    }
    return { inputs: [numberShares(sums, true)] };
  },
};
