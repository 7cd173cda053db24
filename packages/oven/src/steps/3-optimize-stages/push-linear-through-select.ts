import { sizeOf } from '@brezel/core';
import { float32, linear, numbersOf, selectColumns } from '@brezel/flour';
import type { LogicalNode, LogicalPlan } from '../../logical-plan.js';
import { isOutput, nodeOf, usersOf } from '../../plan-index.js';
import { type RuleContext, rule } from '../../rule.js';

/**
 * Removes a selection of columns of a sparse vector before a linear model. The columns that were
 * not selected get the weight 0.
 */
export const pushLinearThroughSelect = rule({
  name: 'push-linear-through-select',
  summary: 'sets the weights of columns that are not selected to 0 and removes the selection',
  step: 'optimize-stages',
  over: 'nodes',
  order: 'bottom-up',
  // terms of unselected columns change the positions of other terms in the partial sums
  exact: false,
  targets: ({ operator }) => operator === linear,
  apply(node, plan, context) {
    const branch = node.inputs.findIndex((input) => isSparseSelection(nodeOf(plan, input), plan));
    if (branch < 0) return undefined;
    const select = nodeOf(plan, node.inputs[branch]!);
    const source = nodeOf(plan, select.inputs[0]!);
    const weights = spreadWeights(node, branch, select, sizeOf(source.type), context);
    const inputs = node.inputs.map((input, index) => (index === branch ? source.id : input));
    const parameters = { ...node.parameters, [`weights${branch}`]: weights };
    return { ...plan, nodes: plan.nodes.map((other) => (other === node ? { ...node, inputs, parameters } : other)) };
  },
});

function isSparseSelection({ id, operator, type }: LogicalNode, plan: LogicalPlan): boolean {
  const single = !isOutput(plan, id) && usersOf(plan, id).length === 1;
  return operator === selectColumns && type.kind === 'sparse' && single;
}

function spreadWeights(
  node: LogicalNode,
  branch: number,
  select: LogicalNode,
  features: number,
  context: RuleContext,
): string {
  const ids = [node.parameters[`weights${branch}`]!, select.parameters.columns!] as const;
  return context.derive(`weights of a selection out of ${features}`, ids, () => {
    const [weights, columns] = ids.map((id) => numbersOf(context.parameter(id))) as [Float32Array, Int32Array];
    const outputs = weights.length / columns.length;
    const spread = new Float32Array(features * outputs);
    columns.forEach((column, index) => {
      spread.set(weights.subarray(index * outputs, (index + 1) * outputs), column * outputs);
    });
    return float32(spread, [features, outputs]);
  });
}
