import type { ContributionRules, StringBlock } from '@brezel/core';
import { tokenSpans } from '@brezel/tensors';
import { movedPassages } from '../../text-contributions.js';

/** Converts the positions of contributions: from positions in tokens to positions in the text. */
export const contributions: ContributionRules = {
  carry({ shares, inputs, attributes }) {
    if (shares.kind !== 'texts') return undefined;
    const spans = tokenSpans((inputs[0] as StringBlock).values[0]!, attributes);
    const moved = movedPassages(shares, ({ element, unit }) => ({ element: 0, unit: spans[element]![0] + unit }));
    return { inputs: [moved] };
  },
};
