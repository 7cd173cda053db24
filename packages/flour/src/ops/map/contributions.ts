import type { ContributionRules } from '@brezel/core';
import { carryAffine, carryColumns } from '../../contributions.js';

/**
 * The link function for each function that converts a score to an answer. An explanation of such an
 * answer explains the score and names the link function.
 */
const links: Readonly<Record<string, string>> = { sigmoid: 'logit', exp: 'log' };

export const contributions: ContributionRules = {
  link({ attributes, element }) {
    const name = links[attributes.function as string];
    return name === undefined ? undefined : { element, sign: 1, name };
  },
  carry(call) {
    const { function: name, alpha, beta } = call.attributes as { function: string; alpha: number; beta: number };
    if (name === 'negate') return carryAffine(call, { scale: Float64Array.of(-1), offset: Float64Array.of(0) });
    if (name === 'affine') return carryAffine(call, { scale: Float64Array.of(alpha), offset: Float64Array.of(beta) });
    return carryColumns(call);
  },
};
