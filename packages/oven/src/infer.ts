import type { DType, ValueType } from '@brezel/core';
import type { OperatorUse, PlannedUse } from '@brezel/flour';
import type { LogicalNode, LogicalPlan } from './logical-plan.js';
import { nodeOf } from './plan-index.js';
import type { RuleContext } from './rule.js';

/**
 * Returns the description of a node that its operator receives (`OperatorUse`): types, attributes,
 * and shapes of parameters, but not the values of parameters.
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

/** The type of a node, and the types of the inputs from which it was computed. */
interface Inferred {
  readonly inputs: readonly ValueType[];
  readonly type: ValueType;
}

/** The computed types of nodes. Several rules need them, and nodes never change. */
const inferred = new WeakMap<LogicalNode, Inferred>();

export function inferType(node: LogicalNode, plan: LogicalPlan, context: Pick<RuleContext, 'info'>): ValueType {
  if (node.operator === undefined) return node.type;
  const known = inferred.get(node);
  if (known?.inputs.every((type, at) => type === nodeOf(plan, node.inputs[at]!).type)) return known.type;
  const use = useOf(node, plan, context);
  const type = node.operator.infer(use);
  inferred.set(node, { inputs: use.inputs, type });
  return type;
}

/**
 * Returns the description of a node that its operator receives, with a function that returns the
 * values of parameters (`PlannedUse`). Rules and kernel selection need these values.
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
