import type { ContributionRules } from '@brezel/core';

/**
 * Explains a calibrated probability by the score from which it is computed. If the slope is
 * positive, the sign changes, because a larger score gives a smaller probability.
 */
export const contributions: ContributionRules = {
  link({ element, parameters }) {
    const { data } = parameters.slope as { data: Float64Array };
    return { element, sign: data[data.length === 1 ? 0 : element]! > 0 ? -1 : 1, name: 'platt' };
  },
};
