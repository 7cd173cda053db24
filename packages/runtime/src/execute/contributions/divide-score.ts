import { addShares, type Block, type KernelTable, numberShares, type Shares } from '@brezel/core';
import { rulesOf, type ScoreTarget } from './answer-target.js';
import { explainError } from './errors.js';
import type { PlanNode, PlanValues } from './plan-values.js';

/** A score, divided among the inputs of a plan. */
export interface DividedScore {
  /** The part of the score that does not depend on any input. */
  readonly base: number;
  /** The shares of each input that contributes, by the index of the input. */
  readonly inputs: ReadonlyMap<number, Shares>;
}

/**
 * Divides a score among the inputs of the plan, from the last operator to the first.
 *
 * @throws ERR_EXPLAIN_OPERATOR, ERR_EXPLAIN_COVERS
 */
export function divideScore(
  plan: PlanValues,
  kernels: KernelTable,
  values: ReadonlyMap<number, Block>,
  { value, element, sign }: ScoreTarget,
): DividedScore {
  const waiting = new Map<number, Shares[]>();
  const give = (to: number, shares: Shares) => waiting.set(to, [...(waiting.get(to) ?? []), shares]);
  give(value, numberShares([[element, { slope: sign, constant: 0 }]], false));
  let base = 0;
  for (const node of plan.nodes.toReversed()) {
    const given = waiting.get(node.value);
    if (given === undefined) continue;
    waiting.delete(node.value);
    const shares = addShares(given);
    if (shares.kind === 'numbers' && shares.entries.size === 0) continue;
    const carried = rulesOf(kernels, node)?.carry?.({ ...plan.call(node, values), shares });
    if (carried === undefined || 'cannot' in carried) throw cannotCarry(node, carried);
    base += carried.base ?? 0;
    node.inputs.forEach((input, at) => {
      const part = carried.inputs[at];
      if (part !== undefined) give(input, part);
    });
  }
  return { base, inputs: new Map(Array.from(waiting, ([input, shares]) => [input, addShares(shares)])) };
}

function cannotCarry({ step, stage }: PlanNode, why: { cannot: string; received: string } | undefined): Error {
  const code = why?.cannot === 'covers' ? 'ERR_EXPLAIN_COVERS' : 'ERR_EXPLAIN_OPERATOR';
  return explainError(code, { received: why?.received ?? step.operator, at: `stage ${stage}, ${step.operator}` });
}
