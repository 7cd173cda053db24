import { rule } from '../../rule.js';
import { isComputeBound, mergeStages, onlyProducer } from '../merge-stages.js';

/** Memory-bound stages join the stage they read, so that a row is worked on while it lies in the cache; compute-bound ones stay alone (paper 4.1.2). */
export const groupByBound = rule({
  name: 'group-by-bound',
  step: 'build-stages',
  order: 'whole-plan',
  exact: true,
  apply(plan) {
    for (const stage of plan.stages) {
      const producer = onlyProducer(plan, stage);
      if (producer === undefined || isComputeBound(plan, stage) || isComputeBound(plan, producer)) continue;
      const merged = mergeStages(plan, stage, producer);
      if (merged !== undefined) return merged;
    }
    return undefined;
  },
});
