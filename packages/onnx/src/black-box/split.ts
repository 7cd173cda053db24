import type { BlackBox } from '@brezel/core';
import type { TensorResolver } from '@brezel/tensors';
import type { ImportBudget } from '../import-budget.js';
import { makeNode } from '../proto/make.js';
import type { GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto } from '../proto/schema.js';
import { customOf } from '../rows/strategies/mapping.js';
import { domainOf } from '../tensor-names.js';
import { modelBlackBox } from './box.js';
import { type BlackBoxSelector, BlackNodes, type IsCustom } from './choose.js';
import { withUndeclaredReaders } from './declared-rows.js';
import type { Group } from './group.js';
import { byLevels } from './levels.js';
import { readNames } from './uses.js';

/**
 * A model in which one node replaces the nodes of each black box, and the black boxes of these
 * nodes.
 */
export interface SplitModel {
  readonly model: ModelProto;
  readonly boxes: ReadonlyMap<NodeProto, BlackBox>;
}

/**
 * Groups the nodes that another runtime must run into black boxes. Returns a model without such
 * nodes unchanged. For a row program, the file must declare the types of the outputs of a box. Only
 * row programs contain custom operators.
 */
export function withBlackBoxes(
  model: ModelProto,
  resolvers: readonly TensorResolver[],
  selects: BlackBoxSelector,
  kind: 'rows' | 'tensors',
  budget: ImportBudget,
): SplitModel {
  const isCustom: IsCustom = (node) => kind === 'rows' && customOf(node) !== undefined;
  const nodesOf = (selector: BlackBoxSelector) => new BlackNodes(model, resolvers, selector, budget, isCustom);
  const search = nodesOf(selects);
  const found = search.find();
  if (found.size === 0) return { model, boxes: new Map() };
  const graph = model.graph!;
  const required = () => nodesOf(() => false).find();
  const isCustomNode = (node: NodeProto) => search.isCustom(node);
  const reasons = kind === 'rows' ? withUndeclaredReaders(graph, found, required, isCustomNode) : found;
  const around = surroundings(model);
  const boxes = new Map<NodeProto, BlackBox>();
  const nodes: NodeProto[] = [];
  for (const { white, black } of byLevels(graph.node, (node) => reasons.has(node))) {
    nodes.push(...white);
    const group = groupOf(black, around);
    if (group.outputs.length === 0) continue; // no node reads its outputs
    const node = makeNode('BlackBox', group.inputs, group.outputs);
    const number = boxes.size;
    nodes.push(node);
    boxes.set(node, modelBlackBox(model, number, { ...group, reasons, declared: around.declared }));
  }
  return { model: { ...model, graph: slimmed(graph, nodes, model.irVersion) }, boxes };
}

/** The data about the values of the graph from which a box is built, by the names of the values. */
interface Surroundings {
  /** Constant values of the graph. A box contains copies of the constants that it reads. */
  readonly initializers: ReadonlyMap<string, TensorProto>;
  readonly constants: ReadonlyMap<string, NodeProto>;
  readonly declared: ReadonlyMap<string, ValueInfoProto>;
  readonly readers: ReadonlyMap<string, readonly NodeProto[]>;
  readonly results: ReadonlySet<string>;
}

function surroundings({ graph, irVersion }: ModelProto): Surroundings {
  const { node: nodes, initializer, input, output, valueInfo } = graph!;
  const replaceable = new Set(irVersion < 4 ? [] : input.map(({ name }) => name));
  const readers = new Map<string, NodeProto[]>();
  for (const node of nodes)
    for (const name of readNames(node)) {
      const known = readers.get(name);
      if (known === undefined) readers.set(name, [node]);
      else known.push(node);
    }
  const isConstant = ({ opType, domain }: NodeProto) => opType === 'Constant' && domainOf(domain) === '';
  return {
    initializers: new Map(
      initializer.filter(({ name }) => !replaceable.has(name)).map((tensor) => [tensor.name, tensor]),
    ),
    constants: new Map(nodes.filter(isConstant).map((node) => [node.output[0] ?? '', node])),
    declared: new Map([...valueInfo, ...output, ...input].map((value) => [value.name, value])),
    readers,
    results: new Set(output.map(({ name }) => name)),
  };
}

function groupOf(black: readonly NodeProto[], around: Surroundings): Group {
  const inside = new Set(black);
  const written = new Set(black.flatMap(({ output }) => output));
  const read = new Set(black.flatMap((node) => [...readNames(node)]));
  const outer = [...read].filter((name) => !written.has(name));
  const constants = outer.flatMap((name) => around.constants.get(name) ?? []);
  const isOwn = (name: string) => around.initializers.has(name) || around.constants.has(name);
  const isAsked = (name: string) =>
    around.results.has(name) || (around.readers.get(name)?.some((reader) => !inside.has(reader)) ?? false);
  return {
    nodes: [...constants, ...black],
    initializers: outer.flatMap((name) => around.initializers.get(name) ?? []),
    inputs: outer.filter((name) => !isOwn(name)),
    outputs: [...written].filter((name) => name !== '' && isAsked(name)),
  };
}

/** Returns a graph with the given nodes and without the initializers that none of them reads. */
function slimmed(graph: GraphProto, nodes: readonly NodeProto[], irVersion: number): GraphProto {
  const needed = new Set(graph.output.map(({ name }) => name));
  for (const node of nodes) for (const name of readNames(node)) needed.add(name);
  const inputs = new Set(graph.input.map(({ name }) => name));
  const gone = new Set(
    graph.initializer
      .map(({ name }) => name)
      .filter((name) => !needed.has(name) && (irVersion < 4 || !inputs.has(name))),
  );
  return {
    ...graph,
    node: nodes,
    initializer: graph.initializer.filter(({ name }) => !gone.has(name)),
    input: graph.input.filter(({ name }) => !gone.has(name)),
  };
}
