import { sizeOf, vector } from '@brezel/core';
import { densify, linear } from '@brezel/flour';
import { freshId, isOutput, type LogicalNode, type LogicalPlan, usersOf } from '../../logical-plan.js';
import { rule } from '../../rule.js';

/**
 * If at least this fraction of a vector's numbers is nonzero, a linear model reads the vector
 * faster in dense form. Reading all weights in order is then faster than gathering some of them.
 */
const DENSE_FROM = 0.25;

/**
 * Changes a sparse vector to a dense one if training statistics show few zeros and only linear
 * models read the vector. Without statistics, the rule changes nothing.
 */
export const markSparseDense = rule({
  name: 'mark-sparse-dense',
  summary: 'changes a sparse vector with few zeros to a dense one, in front of linear models',
  step: 'validate-output',
  over: 'nodes',
  order: 'top-down',
  exact: false, // adds terms in column order instead of order of first occurrence
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
    const nodes = plan.nodes.flatMap((other) => {
      if (other.id === node.id) return [node, dense];
      return users.includes(other)
        ? [{ ...other, inputs: other.inputs.map((input) => (input === node.id ? dense.id : input)) }]
        : [other];
    });
    return { ...plan, nodes };
  },
});
