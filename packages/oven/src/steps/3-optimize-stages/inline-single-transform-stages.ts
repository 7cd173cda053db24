import { nodesOfStage } from '../../logical-plan.js';
import { rule } from '../../rule.js';
import { isComputeBound, mergeStages, onlyProducer } from '../merge-stages.js';

/**
 * Joins a stage with one cheap operator to the only stage that it reads, even if that stage is
 * compute-bound. A stage takes longer to call than one cheap operator takes to run.
 */
export const inlineSingleTransformStages = rule({
  name: 'inline-single-transform-stages',
  summary: 'joins a stage of one cheap operator to the stage that it reads',
  step: 'optimize-stages',
  over: 'stages',
  order: 'top-down',
  exact: true,
  targets: (stage, plan) => nodesOfStage(plan, stage.id).length === 1 && !isComputeBound(plan, stage),
  apply(stage, plan) {
    const producer = onlyProducer(plan, stage);
    return producer === undefined ? undefined : mergeStages(plan, stage, producer);
  },
});
