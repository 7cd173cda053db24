import { type Attributes, type ParameterId, printType, type StageRole, type ValueType } from '@brezel/core';
import type { OperatorDefinition, Program, Statistics } from '@brezel/flour';

/** One operator in a plan that is being optimized. Immutable. Inputs of the plan have a name and no operator. */
export interface LogicalNode {
  readonly id: number;
  readonly operator: OperatorDefinition | undefined;
  readonly name?: string;
  readonly inputs: readonly number[];
  readonly attributes: Attributes;
  readonly parameters: Readonly<Record<string, ParameterId>>;
  readonly type: ValueType;
  readonly statistics?: Statistics;
  /** The stage it belongs to, once stages are built. */
  readonly stage?: number;
}

export interface LogicalStage {
  readonly id: number;
  readonly role: StageRole;
  /** Types of what it reads and writes; filled in by `stage-schemas`. */
  readonly schema?: { readonly inputs: readonly ValueType[]; readonly outputs: readonly ValueType[] };
}

/** A graph of operators, and its partition into stages. Rules take one and give another. */
export interface LogicalPlan {
  readonly name: string;
  /** In an order in which every node follows its inputs. */
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
      ...(node.statistics && { statistics: node.statistics }),
    };
  });
  const outputs = program.outputs.map(({ name, node }) => ({ name, node: ids.get(node)! }));
  return { name: program.name, nodes, inputs: program.inputs.map((input) => ids.get(input)!), outputs, stages: [] };
}

interface PlanIndex {
  readonly byId: Map<number, LogicalNode>;
  readonly users: Map<number, LogicalNode[]>;
}

/** Plans never change, so each is indexed once, when it is first asked. */
const indexes = new WeakMap<LogicalPlan, PlanIndex>();

function indexOf(plan: LogicalPlan): PlanIndex {
  const known = indexes.get(plan);
  if (known !== undefined) return known;
  const index: PlanIndex = { byId: new Map(), users: new Map() };
  for (const node of plan.nodes) {
    index.byId.set(node.id, node);
    for (const input of new Set(node.inputs)) {
      const users = index.users.get(input);
      if (users === undefined) index.users.set(input, [node]);
      else users.push(node);
    }
  }
  indexes.set(plan, index);
  return index;
}

export function nodeOf(plan: LogicalPlan, id: number): LogicalNode {
  const node = indexOf(plan).byId.get(id);
  if (node === undefined) throw new RangeError(`node ${id} is not in the plan`);
  return node;
}

/** Nodes that read `id`. */
export function usersOf(plan: LogicalPlan, id: number): readonly LogicalNode[] {
  return indexOf(plan).users.get(id) ?? [];
}

export function isOutput(plan: LogicalPlan, id: number): boolean {
  return plan.outputs.some((output) => output.node === id);
}

export function freshId(plan: LogicalPlan): number {
  return plan.nodes.reduce((most, node) => Math.max(most, node.id), -1) + 1;
}

/** The plan with one node replaced by others; the last of them takes over its users and outputs. */
export function replaceNode(plan: LogicalPlan, id: number, by: readonly LogicalNode[]): LogicalPlan {
  const nodes = plan.nodes.flatMap((node) => (node.id === id ? by : [node]));
  return by.length === 0 ? { ...plan, nodes } : redirect({ ...plan, nodes }, id, by.at(-1)!.id);
}

/** Everything that read `from` reads `to`. */
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

/** Moves nodes to stages; the stages' roles come with them. Stages that lose their nodes stay until `remove-empty-stages`. */
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

/** Stages that a stage reads from, without itself. */
export function producersOf(plan: LogicalPlan, stage: number): Set<number> {
  const stageOf = new Map(plan.nodes.map((node) => [node.id, node.stage]));
  const read = plan.nodes
    .filter((node) => node.stage === stage)
    .flatMap((node) => node.inputs.map((input) => stageOf.get(input)));
  return new Set(read.filter((one): one is number => one !== undefined && one !== stage));
}

/** Stages in an order in which each follows its producers; undefined when there is a cycle. */
export function stageOrder(plan: LogicalPlan): LogicalStage[] | undefined {
  const waiting = new Map(plan.stages.map((stage) => [stage, producersOf(plan, stage.id)]));
  const order: LogicalStage[] = [];
  while (waiting.size > 0) {
    const ready = [...waiting].find(([, producers]) =>
      [...producers].every((one) => order.some((stage) => stage.id === one)),
    );
    if (ready === undefined) return undefined;
    order.push(ready[0]);
    waiting.delete(ready[0]);
  }
  return order;
}

/** The plan as people read it: stage after stage, one line a node. Ids are renumbered in order, so that equal plans print alike. */
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
    return [`stage ${index + 1} (${stage.role})`, ...lines].join('\n');
  });
  const loose = operators.filter((node) => node.stage === undefined).map(line);
  const outputs = plan.outputs.map(({ name, node }) => `${name} <- ${names.get(node)}`);
  return [`input ${inputs.join(', ')}`, ...loose, ...blocks, `output ${outputs.join(', ')}`].join('\n');
}

/** Operator with the attributes that tell its uses apart. */
export function printOperator(node: Pick<LogicalNode, 'operator' | 'attributes'>): string {
  const shown = Object.entries(node.attributes)
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ');
  return `${node.operator!.name}${shown === '' ? '' : `[${shown.length > 80 ? `${shown.slice(0, 77)}...` : shown}]`}`;
}
