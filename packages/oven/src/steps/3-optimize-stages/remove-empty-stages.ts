import { rule } from '../../rule.js';

/** Stages whose operators were all pushed or folded away. */
export const removeEmptyStages = rule({
  name: 'remove-empty-stages',
  summary: 'drops stages that have lost all their operators',
  step: 'optimize-stages',
  over: 'plan',
  exact: true,
  apply(plan) {
    const used = new Set(plan.nodes.map((node) => node.stage));
    const stages = plan.stages.filter((stage) => used.has(stage.id));
    return stages.length === plan.stages.length ? undefined : { ...plan, stages };
  },
});
