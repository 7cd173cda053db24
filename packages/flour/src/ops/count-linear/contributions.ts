import type { ContributionRules } from '@brezel/core';
import { baseOf, carrySums, numbersOfShares, relativeToBackground, summedColumns } from '../../contributions.js';

/**
 * Gives each feature its count times its rounded weight as contribution. The bias becomes part of
 * the base. With a background, the contribution is the weight times the difference to the mean.
 */
export const contributions: ContributionRules = {
  carry(call) {
    const shares = numbersOfShares(call);
    if (shares === undefined) return undefined;
    const bias = (call.parameters.bias as { data: Float32Array }).data;
    const scale = (call.parameters.scale as { data: Float64Array }).data[0]!;
    const inputs = call.inputs.map((_, branch) => {
      const weights = (call.parameters[`weights${branch}`] as { data: Int32Array }).data;
      return carrySums(
        shares,
        summedColumns(call, branch),
        (column, output) => weights[column * bias.length + output]! * scale,
      );
    });
    if (inputs.includes(undefined)) return undefined;
    return relativeToBackground(call, { inputs, base: baseOf(shares, (output) => bias[output]!) });
  },
};
