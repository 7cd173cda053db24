import type { StageRole } from '@brezel/core';
import type { LogicalPlan } from '../../logical-plan.js';
import { assignStages } from '../../plan-changes.js';
import { nodesOfStage } from '../../plan-index.js';
import { rule } from '../../rule.js';

/**
 * Divides a stage into a featurizer and a model. The model starts at the first operator with the
 * annotation `state: 'model'`, which means that it contains weights of a single model. Plans of a
 * family then share whole featurizer stages.
 */
export const splitAtSharingFrontier = rule({
  name: 'split-at-sharing-frontier',
  summary: "separates featurizers, which pipelines can share, from operators with a model's own weights",
  step: 'build-stages',
  over: 'plan',
  exact: true,
  apply(plan) {
    const roles = rolesOf(plan);
    const parts = new Map<string, number>();
    const stages = plan.stages.flatMap(({ id }) => {
      const present = new Set(nodesOfStage(plan, id).map((node) => roles.get(node.id)!));
      return [...present].map((role) => {
        parts.set(`${id} ${role}`, parts.size);
        return { id: parts.size - 1, role };
      });
    });
    const unchanged =
      stages.length === plan.stages.length && stages.every((stage, index) => stage.role === plan.stages[index]!.role);
    if (unchanged) return undefined;
    return assignStages(
      plan,
      (node) => (node.stage === undefined ? undefined : parts.get(`${node.stage} ${roles.get(node.id)}`)),
      stages,
    );
  },
});

function rolesOf(plan: LogicalPlan): Map<number, StageRole> {
  const roles = new Map<number, StageRole>();
  for (const node of plan.nodes) {
    const model =
      node.operator?.annotations.state === 'model' || node.inputs.some((input) => roles.get(input) === 'model');
    roles.set(node.id, model ? 'model' : 'featurizer');
  }
  return roles;
}
