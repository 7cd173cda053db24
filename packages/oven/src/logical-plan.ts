import {
  type Attributes,
  type ParameterId,
  printType,
  type StageMarks,
  type StageRole,
  type ValueType,
} from '@brezel/core';
import type { OperatorDefinition, Program, ProgramNode, Statistics } from '@brezel/flour';

/**
 * Statistics of a node's result. The frequencies of entries are a parameter, because the list may
 * be long.
 */
export interface NodeStatistics extends Omit<Statistics, 'frequency'> {
  readonly frequency?: ParameterId;
}

/**
 * An operator or an input of a logical plan. Nodes are immutable. A plan input is a node with a
 * name but without an operator.
 */
export interface LogicalNode {
  readonly id: number;
  readonly operator: OperatorDefinition | undefined;
  readonly name?: string;
  readonly inputs: readonly number[];
  readonly attributes: Attributes;
  readonly parameters: Readonly<Record<string, ParameterId>>;
  readonly type: ValueType;
  readonly statistics?: NodeStatistics;
  /** Id of the node's stage. Undefined before the step 'build-stages'. */
  readonly stage?: number;
}

/** A stage of a logical plan. A node refers to its stage by id. */
export interface LogicalStage {
  /** The id that `LogicalNode.stage` refers to. */
  readonly id: number;
  /** Whether the stage computes inputs of a model, or contains weights of a model. */
  readonly role: StageRole;
  /**
   * Types of the stage's inputs and outputs. Undefined until the rule `stage-schemas` sets them.
   */
  readonly schema?: { readonly inputs: readonly ValueType[]; readonly outputs: readonly ValueType[] };
  /**
   * Properties of the stage that rules of the step 'validate-output' derive. A property is
   * undefined if its rule is disabled or has not run yet.
   */
  readonly marks?: Partial<Omit<StageMarks, 'nanosPerRow'>>;
}

/**
 * A graph of operators that is divided into stages. Rules never change a plan; they return a new
 * plan.
 */
export interface LogicalPlan {
  readonly name: string;
  /** The nodes. Every node comes after its inputs. */
  readonly nodes: readonly LogicalNode[];
  readonly inputs: readonly number[];
  readonly outputs: readonly { readonly name: string; readonly node: number }[];
  readonly stages: readonly LogicalStage[];
}

export function fromProgram(program: Program): LogicalPlan {
  const all = [...new Set([...program.inputs, ...program.nodes()])];
  const ids = new Map(all.map((node, id) => [node, id]));
  const nodes = all.map((node, id): LogicalNode => {
    const parameters = Object.entries(node.parameters).map(([name, lease]) => [name, lease.id] as const);
    return {
      id,
      operator: node.operator,
      ...(node.name !== undefined && { name: node.name }),
      inputs: node.inputs.map((input) => ids.get(input)!),
      attributes: node.attributes,
      parameters: Object.fromEntries(parameters),
      type: node.type,
      ...(node.statistics && { statistics: statisticsOf(node.statistics) }),
    };
  });
  const outputs = program.outputs.map(({ name, node }) => ({ name, node: ids.get(node)! }));
  return { name: program.name, nodes, inputs: program.inputs.map((input) => ids.get(input)!), outputs, stages: [] };
}

function statisticsOf({ frequency, ...statistics }: NonNullable<ProgramNode['statistics']>): NodeStatistics {
  return frequency === undefined ? statistics : { ...statistics, frequency: frequency.id };
}

interface PlanIndex {
  readonly byId: Map<number, LogicalNode>;
  readonly positions: Map<number, number>;
  readonly users: Map<number, LogicalNode[]>;
  readonly ofStage: Map<number | undefined, LogicalNode[]>;
}

/**
 * The index of each list of nodes, which answers queries about nodes quickly. It is built at the
 * first query, and lists of nodes never change.
 */
const indexes = new WeakMap<LogicalPlan['nodes'], PlanIndex>();

function indexOf(plan: LogicalPlan): PlanIndex {
  const known = indexes.get(plan.nodes);
  if (known !== undefined) return known;
  const index: PlanIndex = { byId: new Map(), positions: new Map(), users: new Map(), ofStage: new Map() };
  for (const [position, node] of plan.nodes.entries()) {
    index.byId.set(node.id, node);
    index.positions.set(node.id, position);
    for (const input of new Set(node.inputs)) append(index.users, input, node);
    append(index.ofStage, node.stage, node);
  }
  indexes.set(plan.nodes, index);
  return index;
}

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
  return indexOf(plan).byId.get(id);
}

/** Returns the position of a node in the list `plan.nodes`. */
export function positionOf(plan: LogicalPlan, id: number): number {
  return indexOf(plan).positions.get(id)!;
}

/** Returns the nodes of a stage, in plan order. */
export function nodesOfStage(plan: LogicalPlan, stage: number): readonly LogicalNode[] {
  return indexOf(plan).ofStage.get(stage) ?? [];
}

/** Returns the nodes that read the result of node `id`. */
export function usersOf(plan: LogicalPlan, id: number): readonly LogicalNode[] {
  return indexOf(plan).users.get(id) ?? [];
}

const sensitive = new WeakMap<LogicalPlan['nodes'], ReadonlySet<number>>();

/**
 * Returns whether a node that compares with thresholds, such as a forest, depends on this value.
 * Rules must then preserve the value bit for bit.
 */
export function feedsThresholds(plan: LogicalPlan, id: number): boolean {
  let known = sensitive.get(plan.nodes);
  if (known === undefined) {
    const found = new Set<number>();
    for (const node of [...plan.nodes].reverse())
      if (found.has(node.id) || node.operator?.annotations.discontinuous)
        for (const input of node.inputs) found.add(input);
    known = found;
    sensitive.set(plan.nodes, known);
  }
  return known.has(id);
}

export function isOutput(plan: LogicalPlan, id: number): boolean {
  return plan.outputs.some((output) => output.node === id);
}

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
  if (from === to) return plan;
  const change = (id: number) => (id === from ? to : id);
  return {
    ...plan,
    nodes: plan.nodes.map((node) =>
      node.inputs.includes(from) && node.id !== to ? { ...node, inputs: node.inputs.map(change) } : node,
    ),
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

/** Returns a plan in which a stage has further derived properties. */
export function markStage(plan: LogicalPlan, stage: LogicalStage, marks: LogicalStage['marks']): LogicalPlan {
  const marked = { ...stage, marks: { ...stage.marks, ...marks } };
  return { ...plan, stages: plan.stages.map((other) => (other === stage ? marked : other)) };
}

/** Returns the other stages whose results a stage reads. */
export function producersOf(plan: LogicalPlan, stage: number): Set<number> {
  const read = nodesOfStage(plan, stage).flatMap((node) => node.inputs.map((input) => nodeOf(plan, input).stage));
  return new Set(read.filter((other): other is number => other !== undefined && other !== stage));
}

/**
 * Returns the stages in execution order: each stage comes after the stages whose results it reads.
 * Where several orders are possible, keeps the order of the list `plan.stages`. Returns undefined
 * if the stages form a cycle.
 */
export function stageOrder(plan: LogicalPlan): LogicalStage[] | undefined {
  const producers = new Map(plan.stages.map((stage) => [stage.id, producersOf(plan, stage.id)]));
  const placed = new Set<number>();
  const order: LogicalStage[] = [];
  let waiting = plan.stages;
  while (waiting.length > 0) {
    const left: LogicalStage[] = [];
    for (const stage of waiting) {
      if ([...producers.get(stage.id)!].every((other) => placed.has(other))) {
        order.push(stage);
        placed.add(stage.id);
      } else left.push(stage);
    }
    if (left.length === waiting.length) return undefined;
    waiting = left;
  }
  return order;
}

/**
 * Formats a plan for people: stage by stage, one line for each node. Ids are renumbered in order,
 * so that equal plans print equal texts.
 */
export function printPlan(plan: LogicalPlan): string {
  const names = new Map<number, string>();
  for (const node of plan.nodes)
    names.set(node.id, node.name ?? `v${[...names.values()].filter((name) => /^v\d+$/.test(name)).length}`);
  const line = (node: LogicalNode) =>
    `${names.get(node.id)} = ${printOperator(node)}(${node.inputs.map((input) => names.get(input)).join(', ')}) : ${printType(node.type)}`;
  const inputs = plan.inputs.map((id) => `${names.get(id)} : ${printType(nodeOf(plan, id).type)}`);
  const operators = plan.nodes.filter((node) => node.operator !== undefined);
  const blocks = plan.stages.map((stage, index) => {
    const lines = operators.filter((node) => node.stage === stage.id).map((node) => `  ${line(node)}`);
    return [`stage ${index + 1} (${[stage.role, ...printMarks(stage)].join('; ')})`, ...lines].join('\n');
  });
  const loose = operators.filter((node) => node.stage === undefined).map(line);
  const outputs = plan.outputs.map(({ name, node }) => `${name} <- ${names.get(node)}`);
  return [`input ${inputs.join(', ')}`, ...loose, ...blocks, `output ${outputs.join(', ')}`].join('\n');
}

/**
 * Formats what the step "Validate output" has derived about a stage: the types of its inputs and
 * outputs, the largest number of entries of its vectors, and whether the stage is vectorizable and
 * materializable. Omits what is not derived yet.
 */
export function printMarks({ schema, marks = {} }: LogicalStage): string[] {
  const types = (list: readonly ValueType[]) => list.map(printType).join(', ');
  return [
    ...(schema ? [`${types(schema.inputs)} -> ${types(schema.outputs)}`] : []),
    ...(marks.maxVectorSizes ? [`most entries: ${marks.maxVectorSizes.map(printBound).join(', ')}`] : []),
    ...printFlag(marks.vectorizable, 'vectorizable'),
    ...printFlag(marks.materializable, 'materializable'),
  ];
}

/**
 * Formats the largest number of entries of a value. The number is infinite for texts and tokens.
 */
const printBound = (entries: number) => (entries === Number.POSITIVE_INFINITY ? 'unbounded' : `${entries}`);

const printFlag = (flag: boolean | undefined, name: string): string[] =>
  flag === undefined ? [] : [flag ? name : `not ${name}`];

/** Formats an operator with the attributes that distinguish this use from other uses. */
export function printOperator(node: Pick<LogicalNode, 'operator' | 'attributes'>): string {
  const shown = Object.entries(node.attributes)
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ');
  return `${node.operator!.name}${shown === '' ? '' : `[${shown.length > 80 ? `${shown.slice(0, 77)}...` : shown}]`}`;
}
