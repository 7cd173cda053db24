import type { ContributionRules, DenseBlock } from '@brezel/core';
import { carryColumns, passOn } from '../../contributions.js';

/**
 * Passes the shares to the input if the cast only rounds the numbers of the row to float32.
 * Otherwise, the contribution of each number of the result becomes a constant contribution of the
 * number that was cast.
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
