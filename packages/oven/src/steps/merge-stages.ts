import {
  assignStages,
  type LogicalPlan,
  type LogicalStage,
  nodesOfStage,
  producersOf,
  stageOrder,
} from '../logical-plan.js';

/**
 * Returns a plan in which all nodes of the stage `from` are in the stage `into`. Returns undefined
 * if the stages would then form a cycle.
 */
export function mergeStages(plan: LogicalPlan, from: LogicalStage, into: LogicalStage): LogicalPlan | undefined {
  const merged = assignStages(
    plan,
    (node) => (node.stage === from.id ? into.id : undefined),
    plan.stages.filter((stage) => stage !== from),
  );
  return stageOrder(merged) === undefined ? undefined : merged;
}

/**
 * Returns the stage from which `stage` reads, if it is the only one and has the same role and
 * engine. Otherwise returns undefined.
 */
export function onlyProducer(plan: LogicalPlan, stage: LogicalStage): LogicalStage | undefined {
  const producers = producersOf(plan, stage.id);
  const [only] = producers;
  const producer = producers.size === 1 ? plan.stages.find((other) => other.id === only) : undefined;
  if (producer === undefined || isJavaScript(plan, producer) !== isJavaScript(plan, stage)) return undefined;
  return producer.role === stage.role ? producer : undefined;
}

/**
 * Returns whether a stage contains operators that run only in JavaScript. Such a stage contains no
 * other operators.
 */
export function isJavaScript(plan: LogicalPlan, stage: LogicalStage): boolean {
  return nodesOfStage(plan, stage.id).some((node) => node.operator?.annotations.javascript);
}

export function isComputeBound(plan: LogicalPlan, stage: LogicalStage): boolean {
  return nodesOfStage(plan, stage.id).some((node) => node.operator?.annotations.bound === 'compute');
}
