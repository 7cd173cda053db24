import type { LogicalNode, LogicalPlan, LogicalStage } from './logical-plan.js';

// Functions of rules that return a changed plan. Rules never change a plan in place.

export function freshId(plan: LogicalPlan): number {
  return plan.nodes.reduce((most, node) => Math.max(most, node.id), -1) + 1;
}

/**
 * Returns a plan in which the nodes `by` replace a node. Nodes and outputs that read the old node
 * now read the last node of `by`.
 */
export function replaceNode(plan: LogicalPlan, id: number, by: readonly LogicalNode[]): LogicalPlan {
  const nodes = plan.nodes.flatMap((node) => (node.id === id ? by : [node]));
  return by.length === 0 ? { ...plan, nodes } : redirect({ ...plan, nodes }, id, by.at(-1)!.id);
}

/** Returns a plan in which every node and output that reads `from` reads `to` instead. */
export function redirect(plan: LogicalPlan, from: number, to: number): LogicalPlan {
  return from === to ? plan : redirectAll(plan, new Map([[from, to]]));
}

/**
 * Returns a plan in which nodes and outputs read other nodes: `to` maps the id of a node to the id
 * of the node that they read instead. A node never reads itself afterwards.
 */
export function redirectAll(plan: LogicalPlan, to: ReadonlyMap<number, number>): LogicalPlan {
  const change = (id: number) => to.get(id) ?? id;
  return {
    ...plan,
    nodes: plan.nodes.map((node) => {
      const isChanged = (input: number) => to.has(input) && to.get(input) !== node.id;
      if (!node.inputs.some(isChanged)) return node;
      return { ...node, inputs: node.inputs.map((input) => (isChanged(input) ? change(input) : input)) };
    }),
    outputs: plan.outputs.map((output) => ({ ...output, node: change(output.node) })),
  };
}

/**
 * Returns a plan in which each node is in the stage that `stageOf` returns. If `stageOf` returns
 * undefined, the node stays in its stage. Stages without nodes remain until the rule
 * `remove-empty-stages` runs.
 */
export function assignStages(
  plan: LogicalPlan,
  stageOf: (node: LogicalNode) => number | undefined,
  stages = plan.stages,
): LogicalPlan {
  const nodes = plan.nodes.map((node) => {
    const stage = stageOf(node);
    return stage === node.stage || stage === undefined ? node : { ...node, stage };
  });
  return { ...plan, nodes, stages };
}

/**
 * Returns a plan in which every stage has the property `name`. `markOf` returns the property of a
 * stage that does not have it yet. Returns undefined if every stage already has the property.
 *
 * One change sets the property of all stages. A change for each stage would copy the list of stages
 * each time. The time to compile would then grow with the square of the number of stages.
 */
export function markStages<Name extends keyof NonNullable<LogicalStage['marks']>>(
  plan: LogicalPlan,
  name: Name,
  markOf: (stage: LogicalStage) => NonNullable<LogicalStage['marks']>[Name],
): LogicalPlan | undefined {
  if (plan.stages.every(({ marks }) => marks?.[name] !== undefined)) return undefined;
  const stages = plan.stages.map((stage) =>
    stage.marks?.[name] === undefined ? { ...stage, marks: { ...stage.marks, [name]: markOf(stage) } } : stage,
  );
  return { ...plan, stages };
}
