import { type CarryCall, type ContributionRules, columnMeans, type DenseBlock, type SparseBlock } from '@brezel/core';
import { type Norm, normOf } from '@brezel/tensors';
import { baseOf, carrySums, numbersOfShares, relativeToBackground, summedColumns } from '../../contributions.js';

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
    const norm = divisorOf(block.values, call);
    const means = normalizedMeans(call);
    const weight = (column: number, output: number) => weights![column * bias!.length + output]! / norm;
    const input = carrySums(shares, summedColumns(call, 0, means), weight);
    if (input === undefined) return undefined;
    const carried = { inputs: [input], base: baseOf(shares, (output) => bias![output]!) };
    // A slope includes the norm of the row, so the mean is multiplied by this norm.
    return relativeToBackground(
      call,
      carried,
      () => new Map(Array.from(means!, ([column, mean]) => [column, mean * norm])),
    );
  },
};

/** Returns the number by which the operator divides a row: its norm, or 1 for a norm of 0. */
function divisorOf(values: Float32Array, { attributes }: CarryCall): number {
  const length = normOf(values, attributes.norm as Norm);
  return length === 0 ? 1 : length;
}

const known = new WeakMap<object, ReadonlyMap<number, number>>();

/** Returns the means of the normalized background numbers. Undefined without a background. */
function normalizedMeans(call: CarryCall): ReadonlyMap<number, number> | undefined {
  const { background } = call;
  if (background === undefined) return undefined;
  let means = known.get(background);
  if (means === undefined) {
    const block = background.inputs[0] as SparseBlock | DenseBlock<'float32'>;
    const startOf = (row: number) => (block.kind === 'sparse' ? block.offsets[row]! : row * block.size);
    const rows = Array.from({ length: block.rows }, (_, row) => block.values.subarray(startOf(row), startOf(row + 1)));
    means = columnMeans(
      block,
      rows.map((values) => divisorOf(values, call)),
    );
    known.set(background, means);
  }
  return means;
}
