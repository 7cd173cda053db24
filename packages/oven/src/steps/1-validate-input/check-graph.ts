import { ovenError } from '../../errors.js';
import { rule } from '../../rule.js';

/**
 * Rejects a graph without outputs, an operator without inputs, and a node that comes before its
 * inputs.
 */
export const checkGraph = rule({
  name: 'check-graph',
  summary: 'rejects a graph in which a node precedes its inputs',
  step: 'validate-input',
  over: 'plan',
  exact: true,
  required: true,
  apply(plan) {
    const seen = new Set<number>();
    for (const node of plan.nodes) {
      const missing = node.inputs.find((input) => !seen.has(input));
      if (missing !== undefined)
        throw ovenError('ERR_OVEN_GRAPH', {
          expected: 'inputs before their users',
          received: `node ${node.id} before node ${missing}`,
        });
      if (node.operator !== undefined && node.inputs.length === 0)
        throw ovenError('ERR_OVEN_GRAPH', { expected: 'an input', at: node.operator.name });
      seen.add(node.id);
    }
    if (plan.outputs.length === 0)
      throw ovenError('ERR_OVEN_GRAPH', { expected: 'at least one output', at: plan.name });
    return undefined;
  },
});
