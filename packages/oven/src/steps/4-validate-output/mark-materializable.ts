import { inJavaScript, operatorNanos } from '../../estimate.js';
import { isText } from '../../kinds.js';
import {
  type LogicalNode,
  type LogicalPlan,
  type LogicalStage,
  markStage,
  nodeOf,
  nodesOfStage,
} from '../../logical-plan.js';
import { type RuleContext, rule } from '../../rule.js';
import { stageOutputs } from './stage-schemas.js';

/** Hash of the input, a look into the table, a comparison with what is there; and a copy of what is not. */
const FINDING_NANOS = 500;

/**
 * Notes stages whose results are worth keeping for other plans that see the same row: featurizers, which several plans share, that take longer than it
 * takes to find a result again (paper 4.3, sub-plan materialization).
 */
export const markMaterializable = rule({
  name: 'mark-materializable',
  summary: 'notes stages whose results are worth keeping for other plans',
  step: 'validate-output',
  over: 'stages',
  order: 'top-down',
  exact: true,
  targets: ({ marks }) => marks?.materializable === undefined,
  apply: (stage, plan, context) => markStage(plan, stage, { materializable: isMaterializable(stage, plan, context) }),
});

function isMaterializable(stage: LogicalStage, plan: LogicalPlan, context: RuleContext): boolean {
  const kept = stageOutputs(plan, stage.id).map((id) => nodeOf(plan, id).type);
  if (
    stage.role !== 'featurizer' ||
    kept.some((type) => type.kind === 'tokens' || type.kind === 'dictionary' || isText(type))
  )
    return false;
  const nanos = nodesOfStage(plan, stage.id).reduce((sum, node) => sum + nanosOf(node, plan, context), 0);
  return nanos > FINDING_NANOS;
}

function nanosOf(node: LogicalNode, plan: LogicalPlan, context: RuleContext): number {
  const nanos = operatorNanos(node, plan, context);
  return node.operator?.annotations.javascript ? inJavaScript(nanos) : nanos;
}
