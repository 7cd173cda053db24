import { concat, countLinearFor, type InputSource, linear } from '@brezel/flour';
import type { LogicalNode, LogicalPlan } from '../../logical-plan.js';
import { nodeOf } from '../../plan-index.js';
import { type RuleContext, rule } from '../../rule.js';

/**
 * Rounds the weights of a linear model to integer multiples of a power of two, because sums of
 * integers are exact in any order. The rule applies to models that read only counts of n-grams,
 * after other rules have folded idf weights into them.
 */
export const roundCountWeights = rule({
  name: 'round-count-weights',
  summary: 'rounds the weights of a linear model of counts to integers, whose sums are exact in any order',
  step: 'optimize-stages',
  over: 'nodes',
  order: 'bottom-up',
  exact: false, // rounds the weights instead of the sums
  targets: (node) => node.operator === linear,
  apply(node, plan, context) {
    const rounded = countLinearFor(
      node.inputs.map((input) => sourceOf(input, plan)),
      (name) => context.parameter(node.parameters[name]!),
    );
    return rounded && withRounded(node, rounded, plan, context);
  },
});

function sourceOf(id: number, plan: LogicalPlan): InputSource {
  const { operator, attributes, inputs } = nodeOf(plan, id);
  return { operator, attributes, inputs: operator === concat ? inputs.map((input) => sourceOf(input, plan)) : [] };
}

function withRounded(
  node: LogicalNode,
  { operator, attributes, parameters }: NonNullable<ReturnType<typeof countLinearFor>>,
  plan: LogicalPlan,
  context: RuleContext,
): LogicalPlan {
  // A weight of one input can change the integers of all inputs.
  const from = node.inputs.map((_, branch) => node.parameters[`weights${branch}`]!);
  const derived = from.map((id, branch) => {
    const name = `weights${branch}`;
    const others = from.filter((other) => other !== id);
    return [name, context.derive('integer weights', [id, ...others], () => parameters[name]!)] as const;
  });
  const scale = context.derive('scale of integer weights', from, () => parameters.scale!);
  const rounded = {
    ...node,
    operator,
    attributes,
    parameters: { ...Object.fromEntries(derived), scale, bias: node.parameters.bias! },
  };
  return { ...plan, nodes: plan.nodes.map((other) => (other === node ? rounded : other)) };
}
