import type { DType, ValueType } from '@brezel/core';
import type { OperatorUse, PlannedUse } from '@brezel/flour';
import { type LogicalNode, type LogicalPlan, nodeOf } from './logical-plan.js';
import type { RuleContext } from './rule.js';

/**
 * Returns the description of a node that its operator reads: types, attributes, and shapes of
 * parameters. It does not contain the values of parameters.
 */
export function useOf(node: LogicalNode, plan: LogicalPlan, context: Pick<RuleContext, 'info'>): OperatorUse {
  const shapes = Object.entries(node.parameters).map(([name, id]) => {
    const { dtype, shape } = context.info(id);
    return [name, { dtype: dtype as DType, shape }] as const;
  });
  return {
    inputs: node.inputs.map((input) => nodeOf(plan, input).type),
    attributes: node.attributes,
    parameters: Object.fromEntries(shapes),
  };
}

export function inferType(node: LogicalNode, plan: LogicalPlan, context: Pick<RuleContext, 'info'>): ValueType {
  return node.operator === undefined ? node.type : node.operator.infer(useOf(node, plan, context));
}

/**
 * Returns the description of a node that its operator reads, with a function that returns the
 * values of parameters. Rules and kernel selection need these values.
 */
export function plannedUse(
  node: LogicalNode,
  plan: LogicalPlan,
  context: Pick<RuleContext, 'info' | 'parameter'>,
): PlannedUse {
  return {
    ...useOf(node, plan, context),
    type: node.type,
    parameter: (name) => context.parameter(node.parameters[name]!),
  };
}
