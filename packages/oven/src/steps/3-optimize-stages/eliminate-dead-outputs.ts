import { rule } from '../../rule.js';

/** Removes operators whose result no operator and no plan output reads. */
export const eliminateDeadOutputs = rule({
  name: 'eliminate-dead-outputs',
  summary: 'removes operators whose result is not read',
  step: 'optimize-stages',
  over: 'plan',
  exact: true,
  apply(plan) {
    const live = new Set([...plan.outputs.map((output) => output.node), ...plan.inputs]);
    for (const node of [...plan.nodes].reverse())
      if (live.has(node.id)) for (const input of node.inputs) live.add(input);
    const nodes = plan.nodes.filter((node) => live.has(node.id));
    return nodes.length === plan.nodes.length ? undefined : { ...plan, nodes };
  },
});
