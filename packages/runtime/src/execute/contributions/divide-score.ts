import {
  addShares,
  type CannotCarry,
  type Carried,
  type CarryCall,
  type KernelTable,
  numberShares,
  type Shares,
  type TensorKernels,
} from '@brezel/core';
import { rulesOf, type ScoreTarget } from './answer-target.js';
import type { Background } from './background.js';
import { explainError, forEachRow, inRules } from './errors.js';
import type { PlanNode, PlanValues, RowBlocks } from './plan-values.js';

/** The result of dividing a score among the inputs of a plan. */
export interface DividedShares {
  /** The part of the score that does not depend on any input. */
  readonly base: number;
  /** The shares of the inputs that contribute to the score. The key is the index of the input. */
  readonly inputs: ReadonlyMap<number, Shares>;
}

/** The shares of one value of a row. */
export interface SharesOfValue {
  readonly values: RowBlocks;
  readonly value: number;
  readonly shares: Shares;
  /** The index of the row in the request. If set, errors about the division name the row. */
  readonly row?: number | undefined;
  /** The part of the score that is not divided: the mean score of the background. Default 0. */
  readonly base?: number;
}

/**
 * The functions that divide scores: the explanation functions of operators, and the kernels of the
 * addon if it is loaded.
 */
export interface Dividing {
  readonly kernels: KernelTable;
  readonly tensorKernels: TensorKernels | undefined;
  /** The background of the explanation, if the caller has passed one. */
  readonly background?: Background | undefined;
}

/**
 * A function that runs after an operator has divided the shares of its result among its inputs,
 * once for each operator and row. `call` contains the arguments of the division. `row` is the index
 * of the row among the rows that are divided together.
 */
export type DividedOperator = (node: PlanNode, call: CarryCall, row: number) => void;

/**
 * Returns the shares of a score that is not yet divided: one share with the whole score, or with
 * its difference to the mean score of the background.
 */
export const sharesOfScore = ({ element, sign }: ScoreTarget, mean = 0): Shares =>
  numberShares([[element, { slope: sign, constant: -sign * mean }]], false);

/**
 * Divides the shares of several rows among the inputs of the plan. From the last operator to the
 * first, each operator divides the shares of its result among its inputs.
 *
 * @param onDivided runs for each operator and row after the operator has divided the shares.
 * @throws ERR_EXPLAIN_OPERATOR, ERR_EXPLAIN_COVERS, ERR_EXPLAIN_FAILED
 */
export function divideShares(
  plan: PlanValues,
  dividing: Dividing,
  start: readonly SharesOfValue[],
  onDivided?: DividedOperator,
): DividedShares[] {
  const rows = start.map((one) => new RowShares(one));
  const used = (node: PlanNode) => ({ kernels: dividing.tensorKernels, background: dividing.background?.use(node) });
  for (const node of plan.nodes.toReversed()) {
    const calls: CarryCall[] = [];
    const waiting = rows.filter((row) => {
      const shares = row.take(node.value);
      if (shares !== undefined) calls.push({ ...plan.call(node, row.values), ...used(node), shares });
      return shares !== undefined;
    });
    if (calls.length === 0) continue;
    const rowOf = (at: number) => waiting[at]!.row;
    const carried = carryAll(dividing.kernels, node, calls, rowOf);
    forEachRow(waiting.length, rowOf, (at) => {
      const row = waiting[at]!;
      const one = carried[at];
      if (one === undefined || 'cannot' in one) throw cannotCarry(node, one);
      row.give(node, one);
      onDivided?.(node, calls[at]!, rows.indexOf(row));
    });
  }
  return rows.map((row) => row.divided());
}

function carryAll(
  kernels: KernelTable,
  node: PlanNode,
  calls: readonly CarryCall[],
  rowOf: (index: number) => number | undefined,
): readonly (Carried | CannotCarry | undefined)[] {
  const rules = rulesOf(kernels, node);
  const together = inRules(node, () => rules?.carryRows?.(calls));
  if (together !== undefined) return together;
  const carried: (Carried | CannotCarry | undefined)[] = [];
  forEachRow(calls.length, rowOf, (at) => {
    carried.push(inRules(node, () => rules?.carry?.(calls[at]!)));
  });
  return carried;
}

/**
 * The shares of one row that no operator has divided yet. The shares of a value are divided when
 * `divideShares` reaches the operator that computed the value.
 */
class RowShares {
  readonly values: RowBlocks;
  /** The index of the row in the request. */
  readonly row: number | undefined;
  readonly #waiting = new Map<number, Shares[]>();
  #base: number;

  constructor({ values, value, shares, row, base = 0 }: SharesOfValue) {
    this.values = values;
    this.row = row;
    this.#base = base;
    this.#give(value, shares);
  }

  /** Removes and returns the shares of a value. Returns undefined if the value has no shares. */
  take(value: number): Shares | undefined {
    const given = this.#waiting.get(value);
    if (given === undefined) return undefined;
    this.#waiting.delete(value);
    const shares = addShares(given);
    return shares.kind === 'numbers' && shares.entries.size === 0 ? undefined : shares;
  }

  give(node: PlanNode, { base = 0, inputs }: Carried): void {
    this.#base += base;
    node.inputs.forEach((input, at) => {
      const part = inputs[at];
      if (part !== undefined) this.#give(input, part);
    });
  }

  /** Returns the shares of the plan's inputs, which no operator divides further. */
  divided(): DividedShares {
    return {
      base: this.#base,
      inputs: new Map(Array.from(this.#waiting, ([input, shares]) => [input, addShares(shares)])),
    };
  }

  #give(to: number, shares: Shares): void {
    const before = this.#waiting.get(to);
    if (before === undefined) this.#waiting.set(to, [shares]);
    else before.push(shares);
  }
}

/** Returns the error for an operator that cannot divide the shares of its result. */
export function cannotCarry({ step, stage }: PlanNode, why: CannotCarry | undefined): Error {
  return explainError(codeOf[why?.cannot ?? 'size'], {
    received: why?.received ?? step.operator,
    at: `stage ${stage}, ${step.operator}`,
  });
}

const codeOf = {
  covers: 'ERR_EXPLAIN_COVERS',
  size: 'ERR_EXPLAIN_OPERATOR',
  background: 'ERR_EXPLAIN_LIMIT',
  places: 'ERR_EXPLAIN_LIMIT',
} as const;
