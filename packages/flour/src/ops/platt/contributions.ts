import type { ContributionRules } from '@brezel/core';

/**
 * The score determines the calibrated probability, which falls with the score if the slope is
 * positive.
 */
export const contributions: ContributionRules = {
  link({ element, parameters }) {
    const { data } = parameters.slope as { data: Float64Array };
    return { element, sign: data[data.length === 1 ? 0 : element]! > 0 ? -1 : 1, name: 'platt' };
  },
};
