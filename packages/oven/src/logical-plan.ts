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

const nodesById = oncePer('nodes', ({ nodes }) => new Map(nodes.map((node) => [node.id, node])));

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

/** For each stage, the other stages whose results it reads. */
const producersByStage = oncePer('nodes', (plan): ReadonlyMap<number, ReadonlySet<number>> => {
  const byId = nodesById(plan);
  const producers = new Map<number, Set<number>>();
  for (const { stage, inputs } of plan.nodes) {
    if (stage === undefined) continue;
    for (let at = 0; at < inputs.length; at++) {
      const other = byId.get(inputs[at]!)!.stage;
      if (other === undefined || other === stage) continue;
      const known = producers.get(stage);
      if (known === undefined) producers.set(stage, new Set([other]));
      else known.add(other);
    }
  }
  return producers;
});

const NONE: ReadonlySet<number> = new Set();

/** Returns the other stages whose results a stage reads. */
export function producersOf(plan: LogicalPlan, stage: number): ReadonlySet<number> {
  return producersByStage(plan).get(stage) ?? NONE;
}

/**
 * Returns the stages in execution order: each stage comes after the stages whose results it reads.
 * Where several orders are possible, keeps the order of the list `plan.stages`. Returns undefined
 * if the stages form a cycle.
 *
 * The order is defined by repeated passes over the list: a pass takes each stage whose producers
 * are already taken. The function does not run the passes, because a list in reverse order would
 * need as many passes as it has stages. Instead it computes, for each stage, the number of the pass
 * that takes it.
 */
export function stageOrder(plan: LogicalPlan): LogicalStage[] | undefined {
  const positions = new Map(plan.stages.map(({ id }, position) => [id, position]));
  const waitsFor: number[] = [];
  const readers: number[][] = plan.stages.map(() => []);
  for (const [position, { id }] of plan.stages.entries()) {
    const producers = producersOf(plan, id);
    waitsFor.push(producers.size);
    for (const producer of producers) {
      const from = positions.get(producer);
      if (from === undefined) return undefined;
      readers[from]!.push(position);
    }
  }
  const passes = new Array<number>(plan.stages.length).fill(0);
  const ready = [...waitsFor.keys()].filter((position) => waitsFor[position] === 0);
  for (const position of ready) {
    for (const reader of readers[position]!) {
      const pass = passes[position]! + (position < reader ? 0 : 1);
      passes[reader] = Math.max(passes[reader]!, pass);
      if (--waitsFor[reader]! === 0) ready.push(reader);
    }
  }
  if (ready.length < plan.stages.length) return undefined;
  const order = [...passes.keys()].sort((a, b) => passes[a]! - passes[b]! || a - b);
  return order.map((position) => plan.stages[position]!);
}

/**
 * Formats a plan for people: stage by stage, one line for each node. Ids are renumbered in order,
 * so that equal plans print equal texts.
 */
export function printPlan(plan: LogicalPlan): string {
  const names = new Map<number, string>();
  let numbered = 0;
  for (const node of plan.nodes) {
    const name = node.name ?? `v${numbered}`;
    if (/^v\d+$/.test(name)) numbered++;
    names.set(node.id, name);
  }
  const line = (node: LogicalNode) =>
    `${names.get(node.id)} = ${printOperator(node)}(${node.inputs.map((input) => names.get(input)).join(', ')}) : ${printType(node.type)}`;
  const inputs = plan.inputs.map((id) => `${names.get(id)} : ${printType(nodeOf(plan, id).type)}`);
  const operators = plan.nodes.filter((node) => node.operator !== undefined);
  const blocks = plan.stages.map((stage, index) => {
    const own = nodesOfStage(plan, stage.id).filter((node) => node.operator !== undefined);
    const lines = own.map((node) => `  ${line(node)}`);
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
