import type { ContributionRules, DenseBlock } from '@brezel/core';
import { carryColumns, passOn } from '../../contributions.js';

/**
 * A cast that changes a number ends its slope: the number contributes what the result contributes.
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
