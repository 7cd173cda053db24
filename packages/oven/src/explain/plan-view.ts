import { printType } from '@brezel/core';
import type { Explanation } from './explanation.js';
import { type StageView, viewStage } from './stage-view.js';

/** A plan in words. */
export interface PlanView {
  readonly name: string;
  readonly inputs: readonly { readonly name: string; readonly type: string }[];
  readonly stages: readonly StageView[];
  readonly outputs: readonly { readonly name: string; readonly type: string; readonly value: string }[];
  readonly parameterBytes: number;
}

export function viewPlan({ program, plan }: Explanation): PlanView {
  const { store } = program.context;
  const names: string[] = plan.inputs.map((input) => input.name);
  const stages = plan.stages.map(({ stage, inputs, outputs }, index) => {
    const view = viewStage(
      stage,
      index + 1,
      inputs.map((slot) => names[slot]!),
      `s${index + 1}.`,
      store,
    );
    outputs.forEach((slot, at) => {
      names[slot] = view.outputs[at]!;
    });
    return view;
  });
  return {
    name: plan.name,
    inputs: plan.inputs.map(({ name, type }) => ({ name, type: printType(type) })),
    stages,
    outputs: plan.outputs.map(({ name, type, slot }) => ({ name, type: printType(type), value: names[slot]! })),
    parameterBytes: plan.parameters.reduce((sum, id) => sum + store.info(id).bytes, 0),
  };
}
