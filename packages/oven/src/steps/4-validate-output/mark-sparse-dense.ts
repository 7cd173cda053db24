import { sizeOf, vector } from '@brezel/core';
import { densify, linear } from '@brezel/flour';
import { freshId, isOutput, type LogicalNode, type LogicalPlan, usersOf } from '../../logical-plan.js';
import { rule } from '../../rule.js';

/** From this share of entries on, reading all columns in order is cheaper than gathering the weights of some. */
const DENSE_FROM = 0.25;

/**
 * Hands a vector on with its zeros written out, where training statistics say that it is hardly sparse and only linear models read it. Without
 * statistics everything stays as its operator made it.
 */
export const markSparseDense = rule({
  name: 'mark-sparse-dense',
  summary: 'writes the zeros of a vector that is hardly sparse, before linear models',
  step: 'validate-output',
  over: 'nodes',
  order: 'top-down',
  exact: false, // terms come in the order of columns, not of first occurrence
  targets: ({ type, statistics }) => type.kind === 'sparse' && (statistics?.density ?? 0) >= DENSE_FROM,
  apply(node, plan): LogicalPlan | undefined {
    const users = usersOf(plan, node.id);
    const linearOnly = users.length > 0 && users.every((user) => user.operator === linear);
    if (!linearOnly || isOutput(plan, node.id)) return undefined;
    const dense: LogicalNode = {
      id: freshId(plan),
      operator: densify,
      inputs: [node.id],
      attributes: {},
      parameters: {},
      type: vector('float32', sizeOf(node.type)),
      ...(node.statistics && { statistics: node.statistics }),
      ...(node.stage !== undefined && { stage: node.stage }),
    };
    const nodes = plan.nodes.flatMap((one) => {
      if (one.id === node.id) return [node, dense];
      return users.includes(one)
        ? [{ ...one, inputs: one.inputs.map((input) => (input === node.id ? dense.id : input)) }]
        : [one];
    });
    return { ...plan, nodes };
  },
});
