export { bake, withLogicalPlan } from './bake.js';
export { PlanComparison } from './compile/compare-plan.js';
export { ALIAS } from './compile/select-kernel.js';
export { stageIdentity } from './compile/stage-key.js';
export { type OvenOptions, optimize } from './driver.js';
export * from './errors.js';
export * from './explain/index.js';
export type { LogicalNode, LogicalPlan, LogicalStage } from './logical-plan.js';
export { printPlan } from './print-plan.js';
export {
  type Direction,
  type NodeRule,
  type PlanRule,
  type Rule,
  type RuleContext,
  rule,
  type StageRule,
  type StepName,
  stepNames,
} from './rule.js';
export { MOST_CHANGED_NODES, RuleBudget } from './rule-budget.js';
export { rules } from './rules.js';
export type { RuleEvent } from './step-run.js';
