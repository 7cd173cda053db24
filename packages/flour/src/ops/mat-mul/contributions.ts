import { type ContributionRules, type NumericParameter, sizeOf } from '@brezel/core';
import { baseOf, carrySums, numbersOfShares, relativeToBackground, summedColumns } from '../../contributions.js';

export const contributions: ContributionRules = {
  carry(call) {
    const shares = numbersOfShares(call);
    if (shares === undefined) return undefined;
    const { data } = call.parameters.weights as NumericParameter;
    const outputs = sizeOf(call.type);
    const weight = (column: number, output: number) => Number(data[column * outputs + output]);
    const input = carrySums(shares, summedColumns(call, 0), weight);
    return input && relativeToBackground(call, { inputs: [input], base: baseOf(shares, () => 0) });
  },
};
