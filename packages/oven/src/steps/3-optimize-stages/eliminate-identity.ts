import { sameType } from '@brezel/core';
import { nodeOf, redirect } from '../../logical-plan.js';
import { rule } from '../../rule.js';

/** Skips operators that only re-type a value, where the type comes out as it went in, also over two of them (`[N] → [N, 1] → [N]`). */
export const eliminateIdentity = rule({
  name: 'eliminate-identity',
  step: 'optimize-stages',
  order: 'top-down',
  exact: true,
  targets: (node) => node.operator?.annotations.alias === true,
  apply(node, plan) {
    let source = nodeOf(plan, node.inputs[0]!);
    while (true) {
      if (sameType(source.type, node.type) && source.operator !== undefined)
        return redirect(removed(plan, node.id), node.id, source.id);
      if (source.operator?.annotations.alias !== true) return undefined;
      source = nodeOf(plan, source.inputs[0]!);
    }
  },
});

const removed = (plan: Parameters<typeof redirect>[0], id: number) => ({
  ...plan,
  nodes: plan.nodes.filter((node) => node.id !== id),
});
