import { rule } from '../../rule.js';

/** Drops operators whose result nobody reads and that are no output of the plan. */
export const eliminateDeadOutputs = rule({
  name: 'eliminate-dead-outputs',
  summary: 'drops operators whose result nobody reads',
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
