import type { ContributionRules, Passage, SparseBlock, TextSpan, TokensBlock } from '@brezel/core';
import { spanOf } from '@brezel/tensors';
import { fixedShares, numbersOfShares } from '../../contributions.js';
import { tooManyPlaces } from '../../text-contributions.js';
import { columnOf, gramsOf, type HashNgramAttributes } from './reference.js';

/**
 * Assigns the contribution of a column to the n-grams of the row that were hashed to this column.
 */
export const contributions: ContributionRules = {
  carry(call) {
    const shares = numbersOfShares(call);
    if (shares === undefined) return undefined;
    const options = call.attributes as unknown as HashNgramAttributes;
    const columns = fixedShares(shares, call.result as SparseBlock).entries;
    const found = new Map<number, { readonly grams: Set<string>; readonly spans: TextSpan[] }>();
    let places = 0;
    for (const { gram, sequence, first, last } of gramsOf((call.inputs[0] as TokensBlock).values[0]!, options)) {
      const { column } = columnOf(gram, options);
      if (!columns.has(column)) continue;
      const tooMany = tooManyPlaces(++places);
      if (tooMany !== undefined) return tooMany;
      const { grams, spans } = found.get(column) ?? { grams: new Set(), spans: [] };
      spans.push(spanOf(sequence, first, last));
      found.set(column, { grams: grams.add(gram), spans });
    }
    const passages = Array.from(columns, ([column, { constant }]): Passage => {
      const { grams, spans } = found.get(column) ?? { grams: [`column ${column}`], spans: [] };
      return { feature: [...grams].join(' | '), contribution: constant, spans };
    });
    return { inputs: [{ kind: 'texts', passages }] };
  },
};
