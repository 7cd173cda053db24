import type { LogicalNode } from '../../logical-plan.js';
import { assignStages } from '../../plan-changes.js';
import { nodeOf, usersOf } from '../../plan-index.js';
import { rule } from '../../rule.js';

/**
 * Divides the graph into stages that are chains of operators. A node joins the stage of its input,
 * except in four cases: it reads several values; other nodes also read its input; its input is a
 * pipeline breaker; or exactly one of the two operators runs only in JavaScript.
 *
 * A pipeline breaker (concat, norms) needs its whole input before it can return anything.
 */
export const splitAtPipelineBreakers = rule({
  name: 'split-at-pipeline-breakers',
  summary: 'splits the program into stages, at branches and where an operator needs a whole vector first',
  step: 'build-stages',
  over: 'plan',
  exact: true,
  required: true,
  apply(plan) {
    if (plan.stages.length > 0 || plan.nodes.every((node) => node.operator === undefined)) return undefined;
    const stageOf = new Map<number, number>();
    let stages = 0;
    const continues = (node: LogicalNode): boolean => {
      if (node.inputs.length !== 1) return false;
      const input = nodeOf(plan, node.inputs[0]!);
      return (
        input.operator !== undefined &&
        input.operator.annotations.breaker !== true &&
        input.operator.annotations.javascript === node.operator!.annotations.javascript &&
        usersOf(plan, input.id).length === 1
      );
    };
    for (const node of plan.nodes) {
      if (node.operator === undefined) continue;
      stageOf.set(node.id, continues(node) ? stageOf.get(node.inputs[0]!)! : stages++);
    }
    const list = Array.from({ length: stages }, (_, id) => ({ id, role: 'featurizer' as const }));
    return assignStages(plan, (node) => stageOf.get(node.id), list);
  },
});
