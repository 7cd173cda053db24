import { type ParameterId, sizeOf } from '@brezel/core';
import { concat, linear } from '@brezel/flour';
import type { LogicalNode, LogicalPlan } from '../../logical-plan.js';
import { replaceNode } from '../../plan-changes.js';
import { nodeOf } from '../../plan-index.js';
import { type RuleContext, rule } from '../../rule.js';

/**
 * Splits a linear model that reads a concat: computes a sum for each input of the concat, and adds
 * the sums. The concatenated vector is then not needed.
 */
export const pushLinearThroughConcat = rule({
  name: 'push-linear-through-concat',
  summary: 'splits a linear model over a concat into one sum per branch, without building the long vector',
  step: 'optimize-stages',
  over: 'nodes',
  order: 'bottom-up',
  exact: false, // computes several sums instead of one
  targets: (node) => node.operator === linear,
  apply(node, plan, context) {
    const branchIndex = node.inputs.findIndex((input) => nodeOf(plan, input).operator === concat);
    if (branchIndex < 0) return undefined;
    return replaceNode(plan, node.id, [pushedThrough(node, branchIndex, plan, context)]);
  },
});

/**
 * Returns a linear model that reads the inputs of a concat instead of its input `branchIndex`,
 * which is this concat.
 */
export function pushedThrough(
  node: LogicalNode,
  branchIndex: number,
  plan: LogicalPlan,
  context: RuleContext,
): LogicalNode {
  const concatNode = nodeOf(plan, node.inputs[branchIndex]!);
  const sizes = concatNode.inputs.map((input) => sizeOf(nodeOf(plan, input).type));
  const weights = node.inputs.map((_, branch) => node.parameters[`weights${branch}`]!);
  const outputs = context.info(node.parameters.bias!).shape.reduce((product, size) => product * size, 1);
  weights.splice(branchIndex, 1, ...splitRows(weights[branchIndex]!, sizes, outputs, context));
  const inputs = node.inputs.flatMap((input, branch) => (branch === branchIndex ? concatNode.inputs : [input]));
  const parameters = Object.fromEntries(weights.map((id, branch) => [`weights${branch}`, id]));
  const others = Object.entries(node.parameters).filter(([name]) => !name.startsWith('weights'));
  return { ...node, inputs, parameters: { ...parameters, ...Object.fromEntries(others) } };
}

/**
 * Returns the weights for each input of the concat. The weights of a feature are adjacent, so the
 * weights of an input are a range.
 */
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
    // the store copies the range inside its memory
    return context.derive(`elements ${start}..${end}`, [weights], () => range);
  });
}
