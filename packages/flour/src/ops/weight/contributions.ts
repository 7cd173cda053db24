import type { ContributionRules } from '@brezel/core';
import { numbersOfShares, shared } from '../../contributions.js';

export const contributions: ContributionRules = {
  carry(call) {
    const shares = numbersOfShares(call);
    const { data } = call.parameters.weights as { data: Float32Array };
    return (
      shares && {
        inputs: [shared(shares, ({ slope, constant }, column) => ({ slope: slope * data[column]!, constant }))],
      }
    );
  },
};
