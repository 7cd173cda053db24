import { sizeOf, vector } from '@brezel/core';
import { densify, linear } from '@brezel/flour';
import type { LogicalNode, LogicalPlan } from '../../logical-plan.js';
import { freshId } from '../../plan-changes.js';
import { feedsThresholds, isOutput, usersOf } from '../../plan-index.js';
import { rule } from '../../rule.js';

/**
 * If at least this fraction of a vector's numbers is nonzero, a linear model reads the vector
 * faster in dense form. Reading all weights in order is then faster than gathering some of them.
 */
const DENSE_FROM = 0.25;

/**
 * Changes a sparse vector to a dense one if only linear models read it and, in the training
 * statistics, at least a quarter of its numbers are nonzero. Without statistics, the rule changes
 * nothing. One change converts all such vectors.
 */
export const markSparseDense = rule({
  name: 'mark-sparse-dense',
  summary: 'changes a sparse vector with few zeros to a dense one, in front of linear models',
  step: 'validate-output',
  over: 'plan',
  exact: false, // adds terms in column order instead of order of first occurrence
  apply(plan): LogicalPlan | undefined {
    const first = freshId(plan);
    const converted = plan.nodes.filter((node) => isDenseEnough(node, plan));
    if (converted.length === 0) return undefined;
    const dense = new Map(converted.map((node, index) => [node.id, densified(node, first + index)]));
    const nodes = plan.nodes.flatMap((node) => {
      const isRead = node.inputs.some((input) => dense.has(input));
      const reader = isRead ? { ...node, inputs: node.inputs.map((input) => dense.get(input)?.id ?? input) } : node;
      const own = dense.get(node.id);
      return own === undefined ? [reader] : [reader, own];
    });
    return { ...plan, nodes };
  },
});

function isDenseEnough({ id, type, statistics }: LogicalNode, plan: LogicalPlan): boolean {
  if (type.kind !== 'sparse' || (statistics?.density ?? 0) < DENSE_FROM) return false;
  const users = usersOf(plan, id);
  if (users.length === 0 || isOutput(plan, id) || feedsThresholds(plan, id)) return false;
  return users.every((user) => user.operator === linear);
}

/**
 * Returns a node that converts the sparse vector of a node to a dense one. `id` is the id of the
 * new node.
 */
const densified = ({ id: from, type, statistics, stage }: LogicalNode, id: number): LogicalNode => ({
  id,
  operator: densify,
  inputs: [from],
  attributes: {},
  parameters: {},
  type: vector('float32', sizeOf(type)),
  ...(statistics && { statistics }),
  ...(stage !== undefined && { stage }),
});
