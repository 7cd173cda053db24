import type { ContributionRules, TokensBlock } from '@brezel/core';
import { movedPassages } from '../../text-contributions.js';

/**
 * Converts the positions of contributions: from indices of the remaining tokens to indices of all
 * tokens.
 */
export const contributions: ContributionRules = {
  carry({ shares, inputs, result }) {
    if (shares.kind !== 'texts') return undefined;
    const [all, remaining] = [inputs[0], result].map((block) => (block as TokensBlock).values[0]!);
    // Either all equal tokens are removed, or none of them. The order of the tokens is therefore
    // sufficient to match them.
    const left = new Set(remaining);
    const places = all!.flatMap((token, at) => (left.has(token) ? [at] : []));
    return { inputs: [movedPassages(shares, ({ element, unit }) => ({ element: places[element]!, unit }))] };
  },
};
