import type { ContributionRules, DenseBlock, SparseBlock } from '@brezel/core';
import { baseOf, carrySums, numbersOfShares, storedNumbers } from '../../contributions.js';

/**
 * In each branch, the contribution of a feature is its value times its weight. The bias is part of
 * the base.
 */
export const contributions: ContributionRules = {
  carry(call) {
    const shares = numbersOfShares(call);
    if (shares === undefined) return undefined;
    const bias = (call.parameters.bias as { data: Float32Array }).data;
    const inputs = call.inputs.map((input, branch) => {
      const weights = (call.parameters[`weights${branch}`] as { data: Float32Array }).data;
      return carrySums(
        shares,
        columnsOf(input as SparseBlock | DenseBlock),
        (column, output) => weights[column * bias.length + output]!,
      );
    });
    if (inputs.includes(undefined)) return undefined;
    return { inputs, base: baseOf(shares, (output) => bias[output]!) };
  },
};

/** Returns the columns of a row whose number is not an implicit zero. */
export const columnsOf = (block: SparseBlock | DenseBlock): number[] =>
  Array.from(storedNumbers(block), ([column]) => column);
