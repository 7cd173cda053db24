import { rule } from '../../rule.js';
import { isComputeBound, mergeStages, onlyProducer } from '../merge-stages.js';

/**
 * Joins a memory-bound stage to the stage whose result it reads. The joined stage then processes a
 * row while the row is in the CPU cache. Compute-bound stages stay separate, as in section 4.1.2 of
 * the PRETZEL paper.
 */
export const groupByBound = rule({
  name: 'group-by-bound',
  summary: 'joins a memory-bound stage to the stage that it reads, so that the row stays in the CPU cache',
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
