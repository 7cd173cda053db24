import type { LogicalNode, LogicalPlan, LogicalStage } from './logical-plan.js';

/**
 * Returns a function that computes a property of a plan once for each list of nodes, outputs or
 * stages, or once for each plan. The property may depend only on this list. Lists and plans never
 * change.
 */
export function oncePer<Property>(
  list: 'nodes' | 'outputs' | 'stages' | 'plan',
  compute: (plan: LogicalPlan) => Property,
): (plan: LogicalPlan) => Property {
  const computed = new WeakMap<object, { readonly property: Property }>();
  return (plan) => {
    const key = list === 'plan' ? plan : plan[list];
    const known = computed.get(key);
    if (known !== undefined) return known.property;
    const property = compute(plan);
    computed.set(key, { property });
    return property;
  };
}

// Each index of a list of nodes is computed only if a rule needs it, because every change of a plan
// makes a new list.

/** The nodes of a plan by id. */
export const nodesById = oncePer('nodes', ({ nodes }) => new Map(nodes.map((node) => [node.id, node])));

const positionsById = oncePer('nodes', ({ nodes }) => new Map(nodes.map(({ id }, position) => [id, position])));

const usersById = oncePer('nodes', ({ nodes }) => {
  const users = new Map<number, LogicalNode[]>();
  for (const node of nodes)
    for (const input of node.inputs.length > 1 ? new Set(node.inputs) : node.inputs) append(users, input, node);
  return users;
});

const nodesByStage = oncePer('nodes', ({ nodes }) => {
  const ofStage = new Map<number | undefined, LogicalNode[]>();
  for (const node of nodes) append(ofStage, node.stage, node);
  return ofStage;
});

function append<Key>(lists: Map<Key, LogicalNode[]>, key: Key, node: LogicalNode): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [node]);
  else list.push(node);
}

export function nodeOf(plan: LogicalPlan, id: number): LogicalNode {
  const node = findNode(plan, id);
  if (node === undefined) throw new RangeError(`node ${id} is not in the plan`);
  return node;
}

/** Returns the node with an id, or undefined if a rule has removed it. */
export function findNode(plan: LogicalPlan, id: number): LogicalNode | undefined {
  return nodesById(plan).get(id);
}

/** Returns the position of a node in the list `plan.nodes`. */
export function positionOf(plan: LogicalPlan, id: number): number {
  return positionsById(plan).get(id)!;
}

/** Returns the nodes of a stage, in plan order. */
export function nodesOfStage(plan: LogicalPlan, stage: number): readonly LogicalNode[] {
  return nodesByStage(plan).get(stage) ?? [];
}

/** Returns the nodes that read the result of node `id`. */
export function usersOf(plan: LogicalPlan, id: number): readonly LogicalNode[] {
  return usersById(plan).get(id) ?? [];
}

/** Returns the ids that a node reads more than once. */
export function repeatedInputs({ inputs }: LogicalNode): ReadonlySet<number> {
  const seen = new Set<number>();
  return new Set(inputs.filter((input) => seen.size === seen.add(input).size));
}

/** Ids of the values on which nodes with thresholds depend. */
const thresholdSources = oncePer('nodes', ({ nodes }): ReadonlySet<number> => {
  const found = new Set<number>();
  for (const node of nodes.toReversed())
    if (found.has(node.id) || node.operator?.annotations.discontinuous)
      for (const input of node.inputs) found.add(input);
  return found;
});

/**
 * Returns whether a node that compares with thresholds, such as a forest, depends on this value.
 * Rules must then preserve the value bit for bit.
 */
export function feedsThresholds(plan: LogicalPlan, id: number): boolean {
  return thresholdSources(plan).has(id);
}

const outputIds = oncePer('outputs', ({ outputs }) => new Set(outputs.map((output) => output.node)));

export function isOutput(plan: LogicalPlan, id: number): boolean {
  return outputIds(plan).has(id);
}

const stagesById = oncePer('stages', ({ stages }) => new Map(stages.map((stage) => [stage.id, stage])));

/** Returns the stage with an id, or undefined if a rule has removed it. */
export function findStage(plan: LogicalPlan, id: number): LogicalStage | undefined {
  return stagesById(plan).get(id);
}
