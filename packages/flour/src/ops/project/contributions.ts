import type { ContributionRules, DenseBlock, SparseBlock } from '@brezel/core';
import {
  baseOf,
  carrySums,
  numbersOfShares,
  relativeToBackground,
  shared,
  summedColumns,
} from '../../contributions.js';

/**
 * Divides the shares of the outputs among the features. A feature that equals its mean contributes
 * 0. This mean is the mean of the background, or the mean in the model without a background.
 */
export const contributions: ContributionRules = {
  carry(call) {
    const shares = numbersOfShares(call);
    if (shares === undefined) return undefined;
    const numbers = (name: string) => (call.parameters[name] as { data: Float32Array } | undefined)?.data;
    const [components, mean, scale] = [numbers('components')!, numbers('mean'), numbers('scale')];
    const block = call.inputs[0] as SparseBlock | DenseBlock<'float32'>;
    const outputs = components.length / block.size;
    const weight = (column: number, output: number) =>
      components[column * outputs + output]! / (scale === undefined ? 1 : scale[output]!);
    const input = carrySums(shares, summedColumns(call, 0), weight);
    if (input === undefined) return undefined;
    const centered =
      mean === undefined ? input : shared(input, ({ slope }, column) => ({ slope, constant: -slope * mean[column]! }));
    return relativeToBackground(call, { inputs: [centered], base: baseOf(shares, () => 0) });
  },
};
