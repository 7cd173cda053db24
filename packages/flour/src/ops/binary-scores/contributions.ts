import type { ContributionRules } from '@brezel/core';
import { relativeToBackground } from '../../contributions.js';
import { carryMirrored as mirrored } from '../mirror/contributions.js';

/**
 * Explains both scores by the one score of the model. For the modes `complement` and `opposite`,
 * shares of both scores become shares of this score. With `logistic`, an explanation explains this
 * score instead and names the link function.
 */
export const contributions: ContributionRules = {
  link({ attributes, element }) {
    const sign = element === 0 ? -1 : 1;
    if (attributes.mode === 'logistic') return { element: 0, sign, name: 'logit' };
    return attributes.mode === 'complement' ? { element: 0, sign, isLoose: true } : undefined;
  },
  carry(call) {
    if (call.attributes.mode === 'logistic') return undefined;
    const carried = mirrored(call);
    const first = call.shares.kind === 'numbers' ? call.shares.entries.get(0) : undefined;
    const isComplement = call.attributes.mode === 'complement'; // [1 - s, s]
    return carried && relativeToBackground(call, { ...carried, base: isComplement ? (first?.slope ?? 0) : 0 });
  },
};
