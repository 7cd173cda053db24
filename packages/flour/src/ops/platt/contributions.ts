import type { ContributionRules } from '@brezel/core';

/**
 * Each score determines one calibrated probability. If the slope is positive, a larger score gives
 * a smaller probability.
 */
export const contributions: ContributionRules = {
  link({ element, parameters }) {
    const { data } = parameters.slope as { data: Float64Array };
    return { element, sign: data[data.length === 1 ? 0 : element]! > 0 ? -1 : 1, name: 'platt' };
  },
};
