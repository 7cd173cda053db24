import type { ContributionRules, DenseBlock } from '@brezel/core';
import { carryColumns, passOn } from '../../contributions.js';

/**
 * Passes the shares to the input if the cast only rounds numbers to float32. If it changes a number
 * of the row, each share becomes a constant with the contribution of the result.
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
