import type { DType, ValueType } from '@brezel/core';
import type { OperatorUse, PlannedUse } from '@brezel/flour';
import { type LogicalNode, type LogicalPlan, nodeOf } from './logical-plan.js';
import type { RuleContext } from './rule.js';

/** Returns what an operator may know about its use at this node. */
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

/** Returns the same as `useOf`, and access to parameters. Rules and kernel selection use it. */
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
