import type { ContributionRules, Passage, SparseBlock, TextSpan, TokensBlock } from '@brezel/core';
import { findNgrams, gramTexts, type NgramAttributes, spanOf } from '@brezel/tensors';
import { fixedShares, numbersOfShares } from '../../contributions.js';
import { tooManyPlaces } from '../../text-contributions.js';

/**
 * Assigns the contribution of a column to all occurrences of its n-gram in the text. If the text
 * does not contain the n-gram, the contribution has no position.
 */
export const contributions: ContributionRules = {
  carry(call) {
    const shares = numbersOfShares(call);
    if (shares === undefined) return undefined;
    const options = call.attributes as unknown as NgramAttributes;
    const columns = fixedShares(shares, call.result as SparseBlock).entries;
    const spans = new Map<number, TextSpan[]>();
    let places = 0;
    const tokens = (call.inputs[0] as TokensBlock).values[0]!;
    findNgrams(tokens, options, call.parameters, (column, sequence, first, last) => {
      if (!columns.has(column) || tooManyPlaces(++places)) return;
      const found = spans.get(column) ?? [];
      found.push(spanOf(sequence, first, last));
      spans.set(column, found);
    });
    const tooMany = tooManyPlaces(places);
    if (tooMany !== undefined) return tooMany;
    const texts = gramTexts(options, call.parameters, columns);
    const passages = Array.from(
      columns,
      ([column, { constant }]): Passage => ({
        feature: texts.get(column)!,
        contribution: constant,
        spans: spans.get(column) ?? [],
      }),
    );
    return { inputs: [{ kind: 'texts', passages }] };
  },
};
