import { printType, sameType, type ValueType } from '@brezel/core';
import { ovenError } from './errors.js';
import { inferType } from './infer.js';
import type { LogicalNode, LogicalPlan } from './logical-plan.js';
import { nodeOf } from './plan-index.js';
import type { Rule, RuleContext } from './rule.js';

/**
 * Throws if a rule has made a plan invalid. The plan must have the same outputs as before. Every
 * node must have the type that its operator computes. Errors contain the name of the rule.
 *
 * Nodes are immutable, so nodes that the rule has not replaced are checked again only if one of
 * their inputs was replaced.
 */
export function checkTypes(rule: Rule, before: LogicalPlan, after: LogicalPlan, context: RuleContext): void {
  if (after.nodes === before.nodes && after.outputs === before.outputs) return;
  const fail = (expected: string, received: ValueType, at: string) =>
    ovenError('ERR_OVEN_SCHEMA', { expected, received: printType(received), at: `${at}, after rule ${rule.name}` });
  const names = (plan: LogicalPlan) => plan.outputs.map(({ name }) => name).join(', ');
  if (before.outputs !== after.outputs && names(before) !== names(after))
    throw ovenError('ERR_OVEN_SCHEMA', {
      expected: `outputs ${names(before)}`,
      received: names(after) || 'none',
      at: `the plan, after rule ${rule.name}`,
    });
  before.outputs.forEach((output, index) => {
    const [was, is] = [nodeOf(before, output.node).type, nodeOf(after, after.outputs[index]!.node).type];
    if (!sameType(was, is)) throw fail(printType(was), is, `output ${output.name}`);
  });
  if (after.nodes === before.nodes) return;
  checkOrder(rule, after);
  const known = new Set<LogicalNode>(before.nodes);
  for (const node of after.nodes) {
    if (known.has(node) && node.inputs.every((input) => known.has(nodeOf(after, input)))) continue;
    const type = inferType(node, after, context);
    if (!sameType(type, node.type)) throw fail(printType(type), node.type, node.operator?.name ?? node.name!);
  }
}

/**
 * Throws unless every node comes after its inputs. This also rejects cycles and references to
 * removed nodes.
 */
function checkOrder(rule: Rule, { nodes }: LogicalPlan): void {
  const seen = new Set<number>();
  for (const { id, operator, name, inputs } of nodes) {
    const missing = inputs.find((input) => !seen.has(input));
    if (missing !== undefined)
      throw ovenError('ERR_OVEN_SCHEMA', {
        expected: 'every node after its inputs',
        received: `${operator?.name ?? name}, which reads node ${missing}`,
        at: `the plan, after rule ${rule.name}`,
      });
    seen.add(id);
  }
}
