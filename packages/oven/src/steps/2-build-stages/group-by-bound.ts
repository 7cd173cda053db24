import { rule } from '../../rule.js';
import { isComputeBound, mergeStages, onlyProducer } from '../merge-stages.js';

/** Memory-bound stages join the stage they read, so that a row is worked on while it lies in the cache; compute-bound ones stay alone (paper 4.1.2). */
export const groupByBound = rule({
  name: 'group-by-bound',
  summary: 'joins a memory-bound stage to the one it reads, while the row still lies in the cache',
  step: 'build-stages',
  over: 'stages',
  order: 'top-down',
  exact: true,
  targets: (stage, plan) => !isComputeBound(plan, stage),
  apply(stage, plan) {
    const producer = onlyProducer(plan, stage);
    return producer === undefined || isComputeBound(plan, producer) ? undefined : mergeStages(plan, stage, producer);
  },
});
