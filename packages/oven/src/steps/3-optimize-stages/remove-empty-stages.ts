import { rule } from '../../rule.js';

/** Removes stages without operators, which remain when other rules move or fold operators. */
export const removeEmptyStages = rule({
  name: 'remove-empty-stages',
  summary: 'removes empty stages',
  step: 'optimize-stages',
  over: 'plan',
  exact: true,
  apply(plan) {
    const used = new Set(plan.nodes.map((node) => node.stage));
    const stages = plan.stages.filter((stage) => used.has(stage.id));
    return stages.length === plan.stages.length ? undefined : { ...plan, stages };
  },
});
