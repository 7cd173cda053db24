import { inJavaScript, operatorNanos } from '../../estimate.js';
import { isText } from '../../kinds.js';
import type { LogicalNode, LogicalPlan, LogicalStage } from '../../logical-plan.js';
import { markStages } from '../../plan-changes.js';
import { nodeOf, nodesOfStage } from '../../plan-index.js';
import { type RuleContext, rule } from '../../rule.js';
import { stageOutputs } from './stage-schemas.js';

/**
 * Estimated time that the cache of stage results takes for one row, in nanoseconds: hashing the
 * input, looking up the entry, comparing it, and, after a miss, copying the new result.
 */
const FINDING_NANOS = 500;

/**
 * Marks stages whose results the runtime may cache for other plans that receive the same row
 * (sub-plan materialization in section 4.3 of the PRETZEL paper). These are featurizers that take
 * longer than a cache lookup and do not return texts, tokens or dictionaries.
 */
export const markMaterializable = rule({
  name: 'mark-materializable',
  summary: 'marks stages whose results are worth caching for other plans',
  step: 'validate-output',
  over: 'plan',
  exact: true,
  apply: (plan, context) => markStages(plan, 'materializable', (stage) => isMaterializable(stage, plan, context)),
});

function isMaterializable(stage: LogicalStage, plan: LogicalPlan, context: RuleContext): boolean {
  const outputTypes = stageOutputs(plan, stage.id).map((id) => nodeOf(plan, id).type);
  if (
    stage.role !== 'featurizer' ||
    outputTypes.some((type) => type.kind === 'tokens' || type.kind === 'dictionary' || isText(type))
  )
    return false;
  const nanos = nodesOfStage(plan, stage.id).reduce((sum, node) => sum + nanosOf(node, plan, context), 0);
  return nanos > FINDING_NANOS;
}

function nanosOf(node: LogicalNode, plan: LogicalPlan, context: RuleContext): number {
  const nanos = operatorNanos(node, plan, context);
  return node.operator?.annotations.javascript ? inJavaScript(nanos) : nanos;
}
