import { rule } from '../../rule.js';
import { isComputeBound, mergeStages, onlyProducer } from '../merge-stages.js';

/** A stage of one cheap operator joins the only stage it reads, even a compute-bound one: it is not worth an event of its own. */
export const inlineSingleTransformStages = rule({
  name: 'inline-single-transform-stages',
  step: 'optimize-stages',
  order: 'whole-plan',
  exact: true,
  apply(plan) {
    for (const stage of plan.stages) {
      const single = plan.nodes.filter((node) => node.stage === stage.id).length === 1;
      const producer = onlyProducer(plan, stage);
      if (!single || producer === undefined || isComputeBound(plan, stage)) continue;
      const merged = mergeStages(plan, stage, producer);
      if (merged !== undefined) return merged;
    }
    return undefined;
  },
});
