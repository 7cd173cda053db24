import { type Carried, type CarryCall, type ContributionRules, numberShares } from '@brezel/core';
import { numbersOfShares } from '../../contributions.js';

/** Converts the shares of the two scores `[-s, s]` to shares of the score `s`. */
export const contributions: ContributionRules = { carry: carryMirrored };

export function carryMirrored(call: CarryCall): Carried | undefined {
  const shares = numbersOfShares(call);
  if (shares === undefined) return undefined;
  const none = { slope: 0, constant: 0 };
  const [first, second] = [shares.entries.get(0) ?? none, shares.entries.get(1) ?? none];
  const share = { slope: second.slope - first.slope, constant: first.constant + second.constant };
  return { inputs: [numberShares([[0, share]], shares.isFixed)] };
}
