import { assignStages } from '../../plan-changes.js';
import { rule } from '../../rule.js';
import { producersOf, stageOrder } from '../../stage-order.js';
import { isComputeBound, isJavaScript } from '../merge-stages.js';

/**
 * Joins a memory-bound stage to the memory-bound stage from which it reads, so that the joined
 * stage processes a row while the row is in the CPU cache. The stage must read from only one stage,
 * which has the same role and engine. Compute-bound stages stay separate, as in section 4.1.2 of
 * the PRETZEL paper.
 *
 * One change joins all stages. A change for each stage would copy the plan each time. The time to
 * compile a long chain would then grow with the square of its length.
 */
export const groupByBound = rule({
  name: 'group-by-bound',
  summary: 'joins memory-bound stages to the stage that they read, so that the row stays in the CPU cache',
  step: 'build-stages',
  over: 'plan',
  exact: true,
  apply(plan) {
    const alone = new Map(plan.stages.map((stage) => [stage.id, isComputeBound(plan, stage)]));
    const kinds = new Map(plan.stages.map((stage) => [stage.id, `${stage.role} ${isJavaScript(plan, stage)}`]));
    /** For each stage in execution order, the first stage of its group. */
    const groups = new Map<number, number>();
    for (const { id } of stageOrder(plan) ?? []) {
      const producers = new Set([...producersOf(plan, id)].map((other) => groups.get(other)!));
      const [first] = producers;
      const joins = producers.size === 1 && !alone.get(id) && !alone.get(first!) && kinds.get(id) === kinds.get(first!);
      groups.set(id, joins ? first! : id);
    }
    const stages = plan.stages.filter(({ id }) => (groups.get(id) ?? id) === id);
    if (stages.length === plan.stages.length) return undefined;
    return assignStages(plan, ({ stage }) => (stage === undefined ? undefined : groups.get(stage)), stages);
  },
});
