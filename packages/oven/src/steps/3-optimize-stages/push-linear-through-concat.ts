import { type ParameterId, sizeOf } from '@brezel/core';
import { concat, linear } from '@brezel/flour';
import { type LogicalNode, nodeOf, replaceNode } from '../../logical-plan.js';
import { type RuleContext, rule } from '../../rule.js';

/** Splits a linear model that reads a concat into one sum a branch: the concatenated vector is never built. */
export const pushLinearThroughConcat = rule({
  name: 'push-linear-through-concat',
  summary: 'gives a linear model the branches of a concat, one sum each: the long vector is never built',
  step: 'optimize-stages',
  over: 'nodes',
  order: 'bottom-up',
  exact: false, // one sum becomes several
  targets: (node) => node.operator === linear,
  apply(node, plan, context) {
    const at = node.inputs.findIndex((input) => nodeOf(plan, input).operator === concat);
    if (at < 0) return undefined;
    const concatNode = nodeOf(plan, node.inputs[at]!);
    const sizes = concatNode.inputs.map((input) => sizeOf(nodeOf(plan, input).type));
    const weights = node.inputs.map((_, branch) => node.parameters[`weights${branch}`]!);
    const outputs = context.info(node.parameters.bias!).shape.reduce((product, size) => product * size, 1);
    weights.splice(at, 1, ...splitRows(weights[at]!, sizes, outputs, context));
    const inputs = node.inputs.flatMap((input, branch) => (branch === at ? concatNode.inputs : [input]));
    const parameters = Object.fromEntries(weights.map((id, branch) => [`weights${branch}`, id]));
    const pushed: LogicalNode = { ...node, inputs, parameters: { ...parameters, bias: node.parameters.bias! } };
    return replaceNode(plan, node.id, [pushed]);
  },
});

/** Weights lie feature after feature, so that each branch owns a contiguous piece. */
function splitRows(
  weights: ParameterId,
  sizes: readonly number[],
  outputs: number,
  context: RuleContext,
): ParameterId[] {
  let from = 0;
  return sizes.map((size) => {
    const [start, end] = [from * outputs, (from + size) * outputs];
    from += size;
    const range = { of: weights, from: start, shape: [size, outputs] };
    return context.derive(`elements ${start}..${end}`, [weights], () => range); // copied where they lie
  });
}
