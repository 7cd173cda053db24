import type { ContributionRules } from '@brezel/core';
import { numbersOfShares, relativeToBackground, shared } from '../../contributions.js';

/**
 * Splits an average score into the contributions of the models. A model contributes
 * `score * weight / sum of all weights`. Votes have no contributions.
 */
export const contributions: ContributionRules = {
  carry(call) {
    const shares = numbersOfShares(call);
    if (shares === undefined || shares.isFixed || call.attributes.combine !== 'average') return undefined;
    const { data: weights } = call.parameters.weights as { data: Float32Array };
    const total = weights.reduce((sum, weight) => Math.fround(sum + weight), 0);
    const inputs = call.inputs.map((_, model) =>
      shared(shares, ({ slope, constant }) => ({
        slope: (slope * weights[model]!) / total,
        constant: model === 0 ? constant : 0,
      })),
    );
    return relativeToBackground(call, { inputs });
  },
};
