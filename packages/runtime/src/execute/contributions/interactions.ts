import { type ColumnInteractions, type InputPort, numberShares } from '@brezel/core';
import { rulesOf } from './answer-target.js';
import { type Contribution, featureKey, listed } from './contribution-list.js';
import { cannotCarry, type DividedOperator, type Dividing, divideShares } from './divide-score.js';
import { explainError, inRules } from './errors.js';
import { FeaturePairs } from './feature-pairs.js';
import type { PlanNode, PlanValues, RowBlocks } from './plan-values.js';

/** An interaction matrix has at most this many rows and columns. The largest matrix takes 8 MB. */
const MAX_FEATURES = 1024;

/** The interactions between the numbers in one value of a row. */
interface InteractionsOfValue {
  readonly value: number;
  readonly found: ColumnInteractions;
}

/** The interactions between the values of one row. */
export interface InteractionMatrix {
  /**
   * The contributions of the row, including values whose contribution is 0 because their
   * interactions cancel out.
   */
  readonly contributions: readonly Contribution[];
  /**
   * Returns the matrix with the interactions between some contributions, in their order.
   * @throws ERR_EXPLAIN_LIMIT for more than `MAX_FEATURES` contributions.
   */
  among(contributions: readonly Contribution[]): number[][];
}

/**
 * Collects interactions while operators divide a score. A forest computes interactions between the
 * columns of its input; this class converts them to interactions between values of the row.
 */
export class InteractionsOfRows {
  readonly #plan: PlanValues;
  readonly #dividing: Dividing;
  readonly #inputs: readonly InputPort[];
  readonly #rows = new Map<number, InteractionsOfValue[]>();

  constructor(plan: PlanValues, dividing: Dividing, inputs: readonly InputPort[]) {
    this.#plan = plan;
    this.#dividing = dividing;
    this.#inputs = inputs;
  }

  /**
   * Collects the interactions that an operator computes for a row.
   * @throws ERR_EXPLAIN_OPERATOR if the operator cannot compute interactions; ERR_EXPLAIN_LIMIT if
   * it has too many.
   */
  readonly onDivided: DividedOperator = (node, call, row) => {
    const found = inRules(node, () => rulesOf(this.#dividing.kernels, node)?.interactions?.(call));
    if (found === undefined) return;
    if ('cannot' in found) throw found.cannot === 'size' ? tooMany(node, found.received) : cannotCarry(node, found);
    const [value] = node.inputs;
    const before = this.#rows.get(row);
    if (before === undefined) this.#rows.set(row, [{ value: value!, found }]);
    else before.push({ value: value!, found });
  };

  /** Returns the interactions in one row. `contributions` are the contributions of the row. */
  ofRow(row: number, values: RowBlocks, contributions: readonly Contribution[]): InteractionMatrix {
    const pairs = new FeaturePairs();
    for (const one of this.#rows.get(row) ?? []) this.#addPairs(values, one, pairs);
    const all = new Map(contributions.map((each) => [featureKey(each), each]));
    for (const [key, feature] of pairs.interacting()) if (!all.has(key)) all.set(key, { ...feature, value: 0 });
    return { contributions: [...all.values()], among: (some) => matrixOf(some, pairs) };
  }

  /**
   * Converts a matrix of interactions between columns to interactions between values of the row,
   * and adds them to `pairs`. The operators that computed the columns divide each row of the matrix
   * among the values of the row. Then they divide each column of the result.
   */
  #addPairs(
    values: RowBlocks,
    { value, found: { columns, values: matrix } }: InteractionsOfValue,
    pairs: FeaturePairs,
  ) {
    const size = columns.length;
    const rows = Array.from(columns, (_, row) => matrix.subarray(row * size, (row + 1) * size));
    /** For each value of the row: its interaction with each column. */
    const sums = new Map<string, { feature: Contribution; numbers: Float64Array }>();
    this.#divided(values, value, columns, rows).forEach((contributions, row) => {
      for (const feature of contributions) {
        const key = featureKey(feature);
        const known = sums.get(key) ?? { feature, numbers: new Float64Array(size) };
        sums.set(key, known);
        known.numbers[row]! += feature.value;
      }
    });
    const indexes = Array.from(sums, ([key, { feature }]) => pairs.indexOf(key, feature));
    const lists = Array.from(sums.values(), ({ numbers }) => numbers);
    this.#divided(values, value, columns, lists).forEach((contributions, at) => {
      for (const second of contributions) {
        const other = pairs.indexOf(featureKey(second), second);
        // The division returns each pair in both orders. This code uses one of them.
        if (indexes[at]! < other) pairs.add(indexes[at]!, other, second.value);
      }
    });
  }

  /**
   * Divides the numbers of each list among the values of the row. A list has one number for each of
   * `columns`, which are columns of the value `value`: the share of this column.
   */
  #divided(values: RowBlocks, value: number, columns: Int32Array, lists: readonly Float64Array[]): Contribution[][] {
    const starts = lists.map((constants) => {
      const entries = Array.from(columns, (column, at) => [column, { slope: 0, constant: constants[at]! }] as const);
      return { values, value, shares: numberShares(entries, true) };
    });
    return divideShares(this.#plan, this.#dividing, starts).map((one) => listed(this.#inputs, values, one));
  }
}

const tooMany = ({ step, stage }: PlanNode, received: string): Error =>
  explainError('ERR_EXPLAIN_LIMIT', { received, at: `stage ${stage}, ${step.operator}` });

/**
 * Returns the interaction matrix of some contributions. A diagonal element is the contribution of a
 * value minus all interactions of this value.
 */
function matrixOf(contributions: readonly Contribution[], pairs: FeaturePairs): number[][] {
  if (contributions.length > MAX_FEATURES)
    throw explainError('ERR_EXPLAIN_LIMIT', {
      expected: `at most ${MAX_FEATURES} contributions with interactions`,
      received: `${contributions.length}`,
    });
  const indexes = contributions.map((each) => pairs.indexOf(featureKey(each), each));
  return contributions.map(({ value }, row) => {
    const one = indexes[row]!;
    const alone = value - pairs.sumOf(one);
    return indexes.map((other) => (other === one ? alone : pairs.between(one, other)));
  });
}
