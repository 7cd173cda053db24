import type { ContributionRules, DenseBlock } from '@brezel/core';
import { carryColumns, passOn } from '../../contributions.js';

/**
 * If a cast may change numbers, the share of a number becomes a constant: the contribution of the
 * result.
 */
export const contributions: ContributionRules = {
  ...passOn,
  carry(call) {
    const [before, after] = [call.inputs[0] as DenseBlock, call.result as DenseBlock];
    const isRounding = (value: number, column: number) => Math.fround(value) === Number(after.values[column]);
    const isSame = Array.from(before.values, Number).every(isRounding);
    return isSame ? { inputs: [call.shares] } : carryColumns(call);
  },
};
