import { type NumericParameter, type ParameterId, vector } from '@brezel/core';
import { countLinear, float32, int32, linear, mirror } from '@brezel/flour';
import type { LogicalNode } from '../../logical-plan.js';
import { freshId, replaceNode } from '../../plan-changes.js';
import { type RuleContext, rule } from '../../rule.js';

/**
 * Computes one score of a linear model instead of two, if the weights of the two classes are
 * negatives of each other. Exporters write two-class models in this way. The rule computes only the
 * score s of the second class, with half the weights and half the sums. `mirror` then returns [-s,
 * s].
 */
export const foldMirroredClasses = rule({
  name: 'fold-mirrored-classes',
  summary: 'computes one of two scores that are negatives of each other: half the weights, half the sums',
  step: 'optimize-stages',
  over: 'nodes',
  order: 'bottom-up',
  exact: false, // one output has 16 partial sums, but two outputs have 8 each
  targets: (node) =>
    (node.operator === linear || node.operator === countLinear) && node.type.kind === 'vector' && node.type.size === 2,
  apply(node, plan, context) {
    const ids = Object.entries(node.parameters).filter(([name]) => name !== 'scale');
    const halves = ids.map(([, id]) => mirroredHalf(id, context));
    if (!halves.every((half) => half !== undefined)) return undefined;
    const derived = ids.map(([name, id], index) => {
      const half = halves[index]!;
      return [
        name,
        context.derive('every second element', [id], () => (half instanceof Int32Array ? int32 : float32)(half)),
      ];
    });
    const parameters = { ...node.parameters, ...Object.fromEntries(derived) };
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

/**
 * Returns the second number of each pair if, in all pairs, the first number is the negative of the
 * second. Otherwise returns undefined.
 */
function mirroredHalf(id: ParameterId, context: RuleContext): Float32Array | Int32Array | undefined {
  const { data } = context.parameter(id) as NumericParameter & { data: Float32Array | Int32Array };
  const isInteger = data instanceof Int32Array;
  if (context.numbers !== undefined && !isInteger) return context.numbers.mirroredHalf(data);
  const half = new (isInteger ? Int32Array : Float32Array)(data.length / 2);
  for (let index = 0; index < half.length; index++) {
    half[index] = data[2 * index + 1]!;
    if (data[2 * index] !== -half[index]!) return undefined;
  }
  return half;
}
