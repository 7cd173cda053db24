import type { Carried, CarryCall, ContributionRules, StringBlock } from '@brezel/core';
import { carryColumns, fixedShares, numbersOfShares } from '../../contributions.js';

/**
 * Gives each value the contribution of its index. If the value is a text, the text is the name of
 * the feature in the explanation.
 */
export const contributions: ContributionRules = {
  carry: (call) => (call.inputs[0]!.kind === 'strings' ? carryTexts(call) : carryColumns(call)),
};

/**
 * Converts shares of numbers to shares of texts, for an operator that computes each number from one
 * text.
 */
export function carryTexts(call: CarryCall): Carried | undefined {
  const shares = numbersOfShares(call);
  if (shares === undefined) return undefined;
  const { values } = call.inputs[0] as StringBlock;
  const passages = Array.from(fixedShares(shares, call.result).entries, ([element, { constant }]) => ({
    feature: values[element]!,
    contribution: constant,
    spans: [{ start: { element, unit: 0 }, end: { element, unit: values[element]!.length } }],
  }));
  return { inputs: [{ kind: 'texts', passages }] };
}
