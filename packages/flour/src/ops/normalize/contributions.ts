import type { ContributionRules, DenseBlock, SparseBlock } from '@brezel/core';
import { type Norm, normOf } from '@brezel/tensors';
import { numbersOfShares, shared } from '../../contributions.js';

/**
 * Divides shares as if the norm were a constant, although it depends on all numbers of the row. For
 * an answer of normalized probabilities (`l1`), an explanation explains the number before the
 * division.
 */
export const contributions: ContributionRules = {
  link({ element, attributes, inputs }) {
    if (attributes.norm !== 'l1') return undefined;
    const norm = normOf((inputs[0] as SparseBlock | DenseBlock<'float32'>).values, 'l1');
    // Probabilities that add up to 1 stay as they are.
    return { element, sign: 1, isLoose: true, ...(Math.abs(norm - 1) > 1e-6 && { name: 'normalized' }) };
  },
  carry(call) {
    const shares = numbersOfShares(call);
    if (shares === undefined) return undefined;
    const { values } = call.inputs[0] as SparseBlock | DenseBlock<'float32'>;
    const length = normOf(values, call.attributes.norm as Norm);
    const norm = length === 0 ? 1 : length;
    return { inputs: [shared(shares, ({ slope, constant }) => ({ slope: slope / norm, constant }))] };
  },
};
