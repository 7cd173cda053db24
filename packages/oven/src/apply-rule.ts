import { BrezelError } from '@brezel/core';
import { checkTypes } from './check-types.js';
import { ovenError } from './errors.js';
import type { LogicalNode, LogicalPlan, LogicalStage } from './logical-plan.js';
import { feedsThresholds, findNode, findStage } from './plan-index.js';
import type { Rule, RuleContext } from './rule.js';

/**
 * Returns the nodes or stages at which a rule is tried, in the order that the rule requests. Nodes
 * and stages that the rule adds come in the next round. For a rule over the plan, returns one
 * target that stands for the whole plan.
 */
export function targetsOf(rule: Rule, plan: LogicalPlan): readonly Target[] {
  if (rule.over === 'plan') return [{ id: 0 }];
  const targets: readonly Target[] = rule.over === 'nodes' ? plan.nodes : plan.stages;
  return rule.order === 'top-down' ? targets : targets.toReversed();
}

/** A node or a stage at which a rule is tried. The id 0 stands for the whole plan. */
export type Target = Pick<LogicalNode | LogicalStage, 'id'>;

/**
 * Returns whether a rule accepts a node or a stage of a plan.
 * @throws ERR_OVEN_RULE_FAILED
 */
export function isTarget(rule: Rule, target: Target, plan: LogicalPlan): boolean {
  try {
    if (rule.over === 'plan') return true;
    return rule.over === 'nodes' ? rule.targets(target as LogicalNode) : rule.targets(target as LogicalStage, plan);
  } catch (cause) {
    throw ruleError(rule, cause);
  }
}

/**
 * Applies a rule to a node, to a stage or to the plan, and checks the new plan. Returns undefined
 * if the rule changes nothing.
 *
 * @throws ERR_OVEN_RULE_FAILED
 */
export function changed(
  rule: Rule,
  target: number,
  plan: LogicalPlan,
  context: RuleContext,
  isAccepted: boolean,
): LogicalPlan | undefined {
  try {
    const after = applyAt(rule, target, plan, context, isAccepted);
    if (after !== undefined) checkTypes(rule, plan, after, context);
    return after;
  } catch (cause) {
    throw ruleError(rule, cause);
  }
}

/** Applies a rule as `changed` does, but does not check the new plan. */
export function applyAt(
  rule: Rule,
  target: number,
  plan: LogicalPlan,
  context: RuleContext,
  isAccepted: boolean,
): LogicalPlan | undefined {
  if (rule.over === 'plan') return rule.apply(plan, context);
  if (rule.over === 'nodes') {
    const node = findNode(plan, target);
    if (node === undefined || !(isAccepted || rule.targets(node))) return undefined;
    return rule.exact || !feedsThresholds(plan, target) ? rule.apply(node, plan, context) : undefined;
  }
  const stage = findStage(plan, target);
  if (stage === undefined || !(isAccepted || rule.targets(stage, plan))) return undefined;
  return rule.apply(stage, plan, context);
}

/**
 * Returns the error for an error that a rule has thrown. An error that is not a `BrezelError` gets
 * the name of the rule: custom rules may throw any error or return an inconsistent plan.
 */
export function ruleError(rule: Rule, cause: unknown): BrezelError {
  if (cause instanceof BrezelError) return cause;
  const received = cause instanceof Error ? cause.message : `a thrown ${typeof cause}`;
  return ovenError('ERR_OVEN_RULE_FAILED', { received, at: `rule ${rule.name}`, cause });
}
