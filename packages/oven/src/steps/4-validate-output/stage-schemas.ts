import type { ValueType } from '@brezel/core';
import type { LogicalPlan } from '../../logical-plan.js';
import { isOutput, nodeOf, nodesOfStage, oncePer, positionOf, usersOf } from '../../plan-index.js';
import { rule } from '../../rule.js';

/** Records the input and output types of each stage. The runtime allocates slots of these types. */
export const stageSchemas = rule({
  name: 'stage-schemas',
  summary: 'records the input and output types of each stage',
  step: 'validate-output',
  over: 'plan',
  exact: true,
  required: true,
  apply(plan) {
    if (plan.stages.every((stage) => stage.schema !== undefined)) return undefined;
    return { ...plan, stages: plan.stages.map((stage) => ({ ...stage, schema: schemaOf(plan, stage.id) })) };
  },
});

function schemaOf(plan: LogicalPlan, stage: number): { inputs: ValueType[]; outputs: ValueType[] } {
  return {
    inputs: stageInputs(plan, stage).map((id) => nodeOf(plan, id).type),
    outputs: stageOutputs(plan, stage).map((id) => nodeOf(plan, id).type),
  };
}

const inputsByStage = oncePer('nodes', () => new Map<number, readonly number[]>());

/** Returns the nodes outside a stage whose results the stage reads, in the order of the plan. */
export function stageInputs(plan: LogicalPlan, stage: number): readonly number[] {
  const known = inputsByStage(plan).get(stage);
  if (known !== undefined) return known;
  const read = new Set(nodesOfStage(plan, stage).flatMap((node) => node.inputs));
  const inputs = [...read]
    .filter((id) => nodeOf(plan, id).stage !== stage)
    .sort((a, b) => positionOf(plan, a) - positionOf(plan, b));
  inputsByStage(plan).set(stage, inputs);
  return inputs;
}

/**
 * Returns the nodes of a stage whose results other stages or plan outputs read, in the order of the
 * plan.
 */
export function stageOutputs(plan: LogicalPlan, stage: number): number[] {
  return nodesOfStage(plan, stage)
    .filter((node) => isOutput(plan, node.id) || usersOf(plan, node.id).some((user) => user.stage !== stage))
    .map((node) => node.id);
}
