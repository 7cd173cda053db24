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
import { explainError } from './errors.js';
import type { PlanNode, PlanValues, RowBlocks } from './plan-values.js';

/** A score, divided among the inputs of a plan. */
export interface DividedScore {
  /** The part of the score that does not depend on any input. */
  readonly base: number;
  /** The shares of each input that contributes, by the index of the input. */
  readonly inputs: ReadonlyMap<number, Shares>;
}

/** The score of one row, with the values of the row. */
export interface ScoreOfRow {
  readonly values: RowBlocks;
  readonly target: ScoreTarget;
}

/**
 * The functions that divide scores: the rules of operators, and the kernels of the addon if it is
 * loaded.
 */
export interface Dividing {
  readonly kernels: KernelTable;
  readonly tensorKernels: TensorKernels | undefined;
}

/**
 * Divides the scores of rows among the inputs of the plan, from the last operator to the first.
 *
 * @throws ERR_EXPLAIN_OPERATOR, ERR_EXPLAIN_COVERS
 */
export function divideScores(plan: PlanValues, dividing: Dividing, scores: readonly ScoreOfRow[]): DividedScore[] {
  const rows = scores.map((score) => new RowShares(score));
  for (const node of plan.nodes.toReversed()) {
    const calls: CarryCall[] = [];
    const waiting = rows.filter((row) => {
      const shares = row.take(node.value);
      if (shares !== undefined) calls.push({ ...plan.call(node, row.values), shares, kernels: dividing.tensorKernels });
      return shares !== undefined;
    });
    const carried = carryAll(dividing.kernels, node, calls);
    waiting.forEach((row, at) => {
      const one = carried[at];
      if (one === undefined || 'cannot' in one) throw cannotCarry(node, one);
      row.give(node, one);
    });
  }
  return rows.map((row) => row.divided());
}

function carryAll(
  kernels: KernelTable,
  node: PlanNode,
  calls: readonly CarryCall[],
): readonly (Carried | CannotCarry | undefined)[] {
  if (calls.length === 0) return [];
  const rules = rulesOf(kernels, node);
  return rules?.carryRows?.(calls) ?? calls.map((call) => rules?.carry?.(call));
}

/**
 * The shares of one row that no operator has divided yet. They wait for the operator that computed
 * their value.
 */
class RowShares {
  readonly values: RowBlocks;
  readonly #waiting = new Map<number, Shares[]>();
  #base = 0;

  constructor({ values, target: { value, element, sign } }: ScoreOfRow) {
    this.values = values;
    this.#give(value, numberShares([[element, { slope: sign, constant: 0 }]], false));
  }

  /** Removes and returns the shares of a value; undefined if nothing contributes. */
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
  divided(): DividedScore {
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

function cannotCarry({ step, stage }: PlanNode, why: { cannot: string; received: string } | undefined): Error {
  const code = why?.cannot === 'covers' ? 'ERR_EXPLAIN_COVERS' : 'ERR_EXPLAIN_OPERATOR';
  return explainError(code, { received: why?.received ?? step.operator, at: `stage ${stage}, ${step.operator}` });
}
