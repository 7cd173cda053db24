import { sameType } from '@brezel/core';
import { plannedUse } from '../../infer.js';
import type { LogicalNode, LogicalPlan } from '../../logical-plan.js';
import { redirect } from '../../plan-changes.js';
import { isOutput, nodeOf } from '../../plan-index.js';
import { type RuleContext, rule } from '../../rule.js';

/**
 * Removes operators that return their input unchanged. Examples are a multiplication by one, a
 * selection of all columns in order, a concat of one input, and a change of type that cancels an
 * earlier change (`[N] → [N, 1] → [N]`).
 */
export const eliminateIdentity = rule({
  name: 'eliminate-identity',
  summary: 'removes operators that change nothing',
  step: 'optimize-stages',
  over: 'nodes',
  order: 'top-down',
  exact: true,
  targets: ({ operator }) => operator?.annotations.alias === true || operator?.identity !== undefined,
  apply(node, plan, context) {
    const source = unchangedSource(node, plan, context);
    if (source === undefined) return undefined;
    // If a plan output were a plan input, no stage would write it.
    if (source.operator === undefined && isOutput(plan, node.id)) return undefined;
    const without = { ...plan, nodes: plan.nodes.filter((other) => other.id !== node.id) };
    return redirect(without, node.id, source.id);
  },
});

function unchangedSource(node: LogicalNode, plan: LogicalPlan, context: RuleContext): LogicalNode | undefined {
  let source = nodeOf(plan, node.inputs[0]!);
  if (node.operator!.annotations.alias !== true) {
    const same = sameType(source.type, node.type) && node.operator!.identity!(plannedUse(node, plan, context));
    return same ? source : undefined;
  }
  while (!sameType(source.type, node.type)) {
    if (source.operator?.annotations.alias !== true) return undefined;
    source = nodeOf(plan, source.inputs[0]!);
  }
  return source;
}
