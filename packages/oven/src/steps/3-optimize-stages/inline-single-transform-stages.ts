import { nodesOfStage } from '../../logical-plan.js';
import { rule } from '../../rule.js';
import { isComputeBound, mergeStages, onlyProducer } from '../merge-stages.js';

/** A stage of one cheap operator joins the only stage it reads, even a compute-bound one: it is not worth an event of its own. */
export const inlineSingleTransformStages = rule({
  name: 'inline-single-transform-stages',
  summary: 'joins a stage of one cheap operator to the stage it reads',
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
