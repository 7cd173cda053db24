import type { ContributionRules, DenseBlock, SparseBlock } from '@brezel/core';
import { baseOf, carrySums, numbersOfShares, storedNumbers } from '../../contributions.js';

/**
 * Gives each feature its value times its weight as contribution. The bias becomes part of the base.
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

/**
 * Returns the columns that a row stores: all columns of a dense row, or the entries of a sparse
 * row.
 */
export const columnsOf = (block: SparseBlock | DenseBlock): number[] =>
  Array.from(storedNumbers(block), ([column]) => column);
