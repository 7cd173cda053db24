import type { ValueType } from '@brezel/core';
import { isOutput, type LogicalPlan, nodeOf, nodesOfStage, placeOf, usersOf } from '../../logical-plan.js';
import { rule } from '../../rule.js';

/** Writes down what each stage reads and writes: the runtime takes its slots from this. */
export const stageSchemas = rule({
  name: 'stage-schemas',
  summary: 'writes down what each stage reads and writes',
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

/** Nodes outside the stage that it reads, in the order of the plan. */
export function stageInputs(plan: LogicalPlan, stage: number): number[] {
  const read = new Set(nodesOfStage(plan, stage).flatMap((node) => node.inputs));
  return [...read].filter((id) => nodeOf(plan, id).stage !== stage).sort((a, b) => placeOf(plan, a) - placeOf(plan, b));
}

/** Nodes of the stage that other stages or the caller read, in the order of the plan. */
export function stageOutputs(plan: LogicalPlan, stage: number): number[] {
  return nodesOfStage(plan, stage)
    .filter((node) => isOutput(plan, node.id) || usersOf(plan, node.id).some((user) => user.stage !== stage))
    .map((node) => node.id);
}
