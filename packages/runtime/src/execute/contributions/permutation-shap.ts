import type { Block } from '@brezel/core';
import type { MixedRows } from './mixed-rows.js';

// Shapley values of the fields in which a row differs from one background row. The value of a set
// of fields is the score of the mixture in which these fields have their value in the row.
//
// Permutation sampling (Castro et al., "Polynomial calculation of the Shapley value based on
// sampling", 2009): a random order of the fields leads from the background row to the row, one
// field after another. Each field gets the change of the score. The reversed order is also used,
// and the mean of both orders is one sample. If all subsets of the fields need no more runs of the
// plan than the samples, the values are computed exactly from all subsets.

/** The arguments of `pairContributions`. */
export interface PairCall {
  /** The score of the row. */
  readonly raw: number;
  /** The score of the background row. */
  readonly other: number;
  readonly samples: number;
  readonly random: () => number;
  /** Returns the scores of mixed rows. */
  readonly scores: (blocks: readonly Block[], rows: number) => ArrayLike<number>;
}

/** The Shapley values of the differing fields, and the variances of their estimates. */
export interface PairContributions {
  readonly values: Float64Array;
  readonly variances: Float64Array;
}

/**
 * At most this many mixed rows, and this many values, run together. Both limits bound the memory.
 */
const ROWS_AT_ONCE = 512;
const VALUES_AT_ONCE = 2 ** 20;

/** Returns the number of mixed rows for which the plan runs. */
export const pairEvaluations = (fields: number, samples: number): number =>
  fields < 2 ? 0 : isEnumerated(fields, samples) ? 2 ** fields - 2 : 2 * samples * (fields - 1);

const isEnumerated = (fields: number, samples: number) => 2 ** fields - 2 <= 2 * samples * (fields - 1);

/** Computes or estimates the Shapley values for a row and one background row. */
export function pairContributions(pair: MixedRows, call: PairCall): PairContributions {
  const fields = pair.differing.length;
  if (fields < 2) {
    const values = new Float64Array(fields).fill(call.raw - call.other);
    return { values, variances: new Float64Array(fields) };
  }
  return isEnumerated(fields, call.samples) ? fromSubsets(pair, call) : fromOrders(pair, call);
}

/**
 * Returns the scores of mixtures.
 *
 * @param isOfRow returns whether a field of a mixture has its value in the row
 */
function scoresOf(
  pair: MixedRows,
  { scores }: PairCall,
  mixtures: number,
  isOfRow: (mixture: number, field: number) => boolean,
): Float64Array {
  const found = new Float64Array(mixtures);
  const fields = pair.differing.length;
  const together = Math.max(1, Math.min(ROWS_AT_ONCE, Math.floor(VALUES_AT_ONCE / pair.fields)));
  for (let first = 0; first < mixtures; first += together) {
    const rows = Math.min(together, mixtures - first);
    const flags = new Uint8Array(rows * fields);
    for (let row = 0; row < rows; row++)
      for (let field = 0; field < fields; field++) flags[row * fields + field] = isOfRow(first + row, field) ? 1 : 0;
    found.set(scores(pair.blocks(flags), rows), first);
  }
  return found;
}

/** Computes Shapley values exactly, from the scores of all subsets of the fields. */
function fromSubsets(pair: MixedRows, call: PairCall): PairContributions {
  const fields = pair.differing.length;
  const sets = 2 ** fields;
  const mixed = scoresOf(pair, call, sets - 2, (mixture, field) => (((mixture + 1) >> field) & 1) === 1);
  const found = Float64Array.of(call.other, ...mixed, call.raw);
  const weights = subsetWeights(fields);
  const values = new Float64Array(fields);
  for (let set = 0; set < sets; set++) {
    const size = bitsOf(set);
    for (let field = 0; field < fields; field++)
      if (((set >> field) & 1) === 0) values[field]! += weights[size]! * (found[set | (1 << field)]! - found[set]!);
  }
  return { values, variances: new Float64Array(fields) };
}

/** Returns k! (fields - k - 1)! / fields! for each k: the weight of a set of k other fields. */
function subsetWeights(fields: number): Float64Array {
  const weights = new Float64Array(fields);
  weights[0] = 1 / fields;
  for (let size = 1; size < fields; size++) weights[size] = (weights[size - 1]! * size) / (fields - size);
  return weights;
}

function bitsOf(set: number): number {
  let count = 0;
  for (let bits = set; bits !== 0; bits &= bits - 1) count++;
  return count;
}

/** Estimates Shapley values from random orders of the fields. */
function fromOrders(pair: MixedRows, call: PairCall): PairContributions {
  const fields = pair.differing.length;
  const steps = fields - 1;
  // Each order is the list of the positions of the fields.
  const orders = Array.from({ length: call.samples }, () => randomOrder(fields, call.random));
  const mixed = scoresOf(pair, call, 2 * steps * call.samples, (mixture, field) => {
    const position = orders[Math.floor(mixture / (2 * steps))]![field]!;
    const step = mixture % (2 * steps);
    return step < steps ? position <= step : steps - position <= step - steps;
  });
  const [values, squares] = [new Float64Array(fields), new Float64Array(fields)];
  orders.forEach((order, at) => {
    const changes = changesOf(order, mixed.subarray(2 * steps * at, 2 * steps * (at + 1)), call);
    changes.forEach((change, field) => {
      // Welford's update of the mean and of the sum of squared differences.
      const before = change - values[field]!;
      values[field]! += before / (at + 1);
      squares[field]! += before * (change - values[field]!);
    });
  });
  return { values, variances: squares.map((sum) => sum / (call.samples - 1) / call.samples) };
}

/** Returns the numbers below `count` in random order (Fisher-Yates). */
function randomOrder(count: number, random: () => number): Int32Array {
  const order = Int32Array.from({ length: count }, (_, at) => at);
  for (let last = count - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  return order;
}

/**
 * Returns for each field the mean change of the score in an order and in the reversed order.
 *
 * @param order the position of each field
 * @param mixed the scores of the mixtures of the order, and then the scores of the mixtures of the
 * reversed order
 */
function changesOf(order: Int32Array, mixed: Float64Array, { raw, other }: PairCall): Float64Array {
  const steps = order.length - 1;
  const forward = Float64Array.of(other, ...mixed.subarray(0, steps), raw);
  const backward = Float64Array.of(other, ...mixed.subarray(steps), raw);
  return Float64Array.from(order, (position) => {
    const reversed = steps - position;
    return (forward[position + 1]! - forward[position]! + backward[reversed + 1]! - backward[reversed]!) / 2;
  });
}
