import type { ContributionRules, DenseBlock } from '@brezel/core';
import { numbersOfShares, shared } from '../../contributions.js';

/**
 * Gives each number of the input the contribution of the number at the same index of the result.
 */
export const contributions: ContributionRules = {
  carry(call) {
    const shares = numbersOfShares(call);
    if (shares === undefined) return undefined;
    const before = (call.inputs[0] as DenseBlock).values;
    const after = (call.result as DenseBlock).values;
    const input = shared(shares, ({ slope, constant }, column) =>
      Object.is(before[column], after[column])
        ? { slope, constant }
        : { slope: 0, constant: slope * Number(after[column]) + constant },
    );
    return { inputs: [input] };
  },
};
