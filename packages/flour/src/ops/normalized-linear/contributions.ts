import type { ContributionRules, DenseBlock, SparseBlock } from '@brezel/core';
import { type Norm, normOf } from '@brezel/tensors';
import { baseOf, carrySums, numbersOfShares } from '../../contributions.js';
import { columnsOf } from '../linear/contributions.js';

/**
 * Gives each feature its value times its weight, divided by the norm, as contribution. Treats the
 * norm as a constant, although it depends on all numbers of the row.
 */
export const contributions: ContributionRules = {
  carry(call) {
    const shares = numbersOfShares(call);
    if (shares === undefined) return undefined;
    const block = call.inputs[0] as SparseBlock | DenseBlock<'float32'>;
    const [weights, bias] = ['weights', 'bias'].map((name) => (call.parameters[name] as { data: Float32Array }).data);
    const length = normOf(block.values, call.attributes.norm as Norm);
    const norm = length === 0 ? 1 : length;
    const weight = (column: number, output: number) => weights![column * bias!.length + output]! / norm;
    const input = carrySums(shares, columnsOf(block), weight);
    return input && { inputs: [input], base: baseOf(shares, (output) => bias![output]!) };
  },
};
