import { type NumericParameter, type ParameterId, vector } from '@brezel/core';
import { float32, linear, mirror } from '@brezel/flour';
import { freshId, type LogicalNode, replaceNode } from '../../logical-plan.js';
import { type RuleContext, rule } from '../../rule.js';

/**
 * Computes one score instead of two, if the two rows of a linear model's weights are negatives of
 * each other. Exporters write two-class models like this. The second score is the negative of the
 * first. This halves the weights and the sums.
 */
export const foldMirroredClasses = rule({
  name: 'fold-mirrored-classes',
  summary: 'computes one of two scores that are negatives of each other: half the weights, half the sums',
  step: 'optimize-stages',
  over: 'nodes',
  order: 'bottom-up',
  exact: false, // one output has 16 partial sums, but two outputs have 8 each
  targets: (node) => node.operator === linear && node.type.kind === 'vector' && node.type.size === 2,
  apply(node, plan, context) {
    const ids = Object.entries(node.parameters);
    if (!ids.every(([, id]) => isMirrored(id, context))) return undefined;
    const parameters = Object.fromEntries(ids.map(([name, id]) => [name, secondHalf(id, context)]));
    const folded: LogicalNode = { ...node, parameters, type: vector('float32', 1) };
    const both: LogicalNode = {
      id: freshId(plan),
      operator: mirror,
      inputs: [node.id],
      attributes: {},
      parameters: {},
      type: node.type,
      ...(node.stage !== undefined && { stage: node.stage }),
    };
    return replaceNode(plan, node.id, [folded, both]);
  },
});

const numbers = (id: ParameterId, context: RuleContext) =>
  (context.parameter(id) as NumericParameter & { data: Float32Array }).data;

function isMirrored(id: ParameterId, context: RuleContext): boolean {
  const data = numbers(id, context);
  for (let index = 0; index < data.length; index += 2) if (data[index] !== -data[index + 1]!) return false;
  return true;
}

function secondHalf(id: ParameterId, context: RuleContext): ParameterId {
  return context.derive('every second element', [id], () => {
    const data = numbers(id, context);
    const half = new Float32Array(data.length / 2);
    for (let index = 0; index < half.length; index++) half[index] = data[2 * index + 1]!;
    return float32(half);
  });
}
