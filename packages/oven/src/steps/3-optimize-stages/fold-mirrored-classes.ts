import { type NumericParameter, type ParameterId, vector } from '@brezel/core';
import { float32, linear, mirror } from '@brezel/flour';
import { freshId, type LogicalNode, replaceNode } from '../../logical-plan.js';
import { type RuleContext, rule } from '../../rule.js';

/**
 * Exporters write a two-class model as two rows of weights, one the negative of the other. One sum is enough, and half the memory: the other
 * score is its opposite.
 */
export const foldMirroredClasses = rule({
  name: 'fold-mirrored-classes',
  summary: 'keeps one of two score columns that are opposites: half the weights, half the sums',
  step: 'optimize-stages',
  over: 'nodes',
  order: 'bottom-up',
  exact: false, // one output keeps 16 partial sums where two keep 8 each
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
  for (let at = 0; at < data.length; at += 2) if (data[at] !== -data[at + 1]!) return false;
  return true;
}

function secondHalf(id: ParameterId, context: RuleContext): ParameterId {
  return context.derive('every second element', [id], () => {
    const data = numbers(id, context);
    return float32(Float32Array.from({ length: data.length / 2 }, (_, at) => data[2 * at + 1]!));
  });
}
