import { type ContributionRules, type DenseBlock, type NumericParameter, sizeOf } from '@brezel/core';
import { baseOf, carrySums, numbersOfShares } from '../../contributions.js';
import { columnsOf } from '../linear/contributions.js';

export const contributions: ContributionRules = {
  carry(call) {
    const shares = numbersOfShares(call);
    if (shares === undefined) return undefined;
    const { data } = call.parameters.weights as NumericParameter;
    const outputs = sizeOf(call.type);
    const weight = (column: number, output: number) => Number(data[column * outputs + output]);
    const input = carrySums(shares, columnsOf(call.inputs[0] as DenseBlock), weight);
    return input && { inputs: [input], base: baseOf(shares, () => 0) };
  },
};
