import { type DenseBlock, dense, type ReferenceKernel, sigmoid, sizeOf } from '@brezel/core';

const floats = (parameter: unknown) => (parameter as { data: Float32Array }).data;

/**
 * Yields all pairs of classes in the order in which `pairScores` lists their scores: (0, 1), (0,
 * 2), ..., (1, 2), ...
 */
export function* pairsOf(classes: number): Generator<readonly [first: number, second: number]> {
  for (let first = 0; first < classes; first++)
    for (let second = first + 1; second < classes; second++) yield [first, second];
}

/**
 * Computes one score for each pair of classes. A support vector of one class has a coefficient for
 * each other class. The score is the sum of kernel value * coefficient over the support vectors of
 * both classes, plus `rho`.
 */
export const pairScores: ReferenceKernel = ({ rows, inputs, parameters, type }) => {
  const { values, size } = inputs[0] as DenseBlock<'float32'>;
  const [coefficients, rho] = [floats(parameters.coefficients), floats(parameters.rho)];
  const starts = (parameters.starts as { data: Int32Array }).data;
  const pairs = [...pairsOf(starts.length - 1)];
  const out = new Float32Array(rows * sizeOf(type));
  for (let row = 0; row < rows; row++) {
    const near = values.subarray(row * size, (row + 1) * size);
    pairs.forEach(([first, second], pair) => {
      let sum = 0;
      for (const [own, other] of [
        [first, second - 1],
        [second, first],
      ] as const) {
        for (let at = starts[own]!; at < starts[own + 1]!; at++)
          sum += Math.fround(coefficients[other * size + at]! * near[at]!);
      }
      out[row * pairs.length + pair] = sum + rho[pair]!;
    });
  }
  return dense('float32', rows, pairs.length, out);
};

/**
 * Returns the index of the class that wins the most pairs. If several classes win equally many
 * pairs, returns the first of them.
 */
export const pairVotes: ReferenceKernel = ({ rows, inputs, attributes }) => {
  const { values, size } = inputs[0] as DenseBlock<'float32'>;
  const pairs = [...pairsOf(attributes.classes as number)];
  const winners = BigInt64Array.from({ length: rows }, (_, row) => {
    const votes = new Array<number>(attributes.classes as number).fill(0);
    pairs.forEach(([first, second], pair) => {
      votes[values[row * size + pair]! > 0 ? first : second]!++;
    });
    return BigInt(votes.indexOf(Math.max(...votes)));
  });
  return dense('int64', rows, 1, winners);
};

/**
 * The probability of a pair is limited to LEAST and 1 - LEAST. If it were 0 or 1, the other pairs
 * would have no effect.
 */
const LEAST = 1e-7;
const ROUNDS = 100;

export const pairwiseProbabilities: ReferenceKernel = ({ rows, inputs, attributes, parameters }) => {
  const { values, size } = inputs[0] as DenseBlock<'float32'>;
  const [slope, offset] = [floats(parameters.slope), floats(parameters.offset)];
  const classes = attributes.classes as number;
  const out = new Float32Array(rows * classes);
  for (let row = 0; row < rows; row++) {
    // `wins[i][j]` is the probability that class i wins against class j.
    const wins = Array.from({ length: classes }, () => new Float64Array(classes));
    let pair = 0;
    for (const [first, second] of pairsOf(classes)) {
      const score = values[row * size + pair]! * slope[pair]! + offset[pair]!;
      const probability = sigmoid(-score);
      wins[first]![second] = probability < LEAST ? LEAST : probability > 1 - LEAST ? 1 - LEAST : probability;
      wins[second]![first] = 1 - wins[first]![second]!;
      pair++;
    }
    out.set(coupled(wins), row * classes);
  }
  return dense('float32', rows, classes, out);
};

/**
 * Combines the probabilities of pairs to the probabilities of classes, as libsvm does.
 *
 * @see Source: Wu, Lin, Weng: Probability estimates for multi-class classification by pairwise
 * coupling (2004), algorithm 2.
 */
function coupled(wins: readonly Float64Array[]): Float64Array {
  const classes = wins.length;
  const q = wins.map((_, i) => {
    const row = new Float64Array(classes);
    for (let j = 0; j < classes; j++) {
      if (j === i) continue;
      row[i] = row[i]! + wins[j]![i]! * wins[j]![i]!;
      row[j] = -wins[j]![i]! * wins[i]![j]!;
    }
    return row;
  });
  const p = new Float64Array(classes).fill(1 / classes);
  const qp = new Float64Array(classes);
  for (let round = 0; round < ROUNDS; round++) {
    let pqp = 0;
    for (let i = 0; i < classes; i++) {
      qp[i] = 0;
      for (let j = 0; j < classes; j++) qp[i] = qp[i]! + q[i]![j]! * p[j]!;
      pqp += p[i]! * qp[i]!;
    }
    let error = 0;
    for (let i = 0; i < classes; i++) error = Math.abs(qp[i]! - pqp) > error ? Math.abs(qp[i]! - pqp) : error;
    if (error < 0.005 / classes) break;
    for (let i = 0; i < classes; i++) {
      const step = (pqp - qp[i]!) / q[i]![i]!;
      p[i] = p[i]! + step;
      pqp = (pqp + step * (step * q[i]![i]! + 2 * qp[i]!)) / (1 + step) / (1 + step);
      for (let j = 0; j < classes; j++) {
        qp[j] = (qp[j]! + step * q[i]![j]!) / (1 + step);
        p[j] = p[j]! / (1 + step);
      }
    }
  }
  return p;
}
