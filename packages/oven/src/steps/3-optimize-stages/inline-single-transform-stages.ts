import { nodesOfStage } from '../../plan-index.js';
import { rule } from '../../rule.js';
import { isComputeBound, mergeStages, onlyProducer } from '../merge-stages.js';

/**
 * Joins a stage that has a single memory-bound operator to the stage from which it reads, even if
 * that stage is compute-bound. It takes longer to call a separate stage than to run such an
 * operator. The stage must read from only one stage, which has the same role and engine.
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
