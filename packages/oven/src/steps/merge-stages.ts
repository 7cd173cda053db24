import type { Annotations } from '@brezel/flour';
import type { LogicalPlan, LogicalStage } from '../logical-plan.js';
import { assignStages } from '../plan-changes.js';
import { findStage, oncePer } from '../plan-index.js';
import { producersOf, stageOrder } from '../stage-order.js';

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
  const producer = producers.size === 1 ? findStage(plan, only!) : undefined;
  if (producer === undefined || isJavaScript(plan, producer) !== isJavaScript(plan, stage)) return undefined;
  return producer.role === stage.role ? producer : undefined;
}

/**
 * Ids of the stages with operators that run only in JavaScript, and of the stages with
 * compute-bound operators.
 */
const stageKinds = oncePer('nodes', ({ nodes }) => {
  const withOperator = (test: (annotations: Annotations) => unknown) =>
    new Set(nodes.filter(({ operator }) => operator && test(operator.annotations)).map(({ stage }) => stage));
  return {
    javascript: withOperator(({ javascript }) => javascript),
    computeBound: withOperator(({ bound }) => bound === 'compute'),
  };
});

/**
 * Returns whether a stage contains operators that run only in JavaScript. Such a stage contains no
 * other operators.
 */
export function isJavaScript(plan: LogicalPlan, stage: LogicalStage): boolean {
  return stageKinds(plan).javascript.has(stage.id);
}

export function isComputeBound(plan: LogicalPlan, stage: LogicalStage): boolean {
  return stageKinds(plan).computeBound.has(stage.id);
}
