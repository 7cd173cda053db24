import { type NodeFacts, resolveNode, type TensorResolver } from '@brezel/tensors';
import { OnnxError } from '../errors.js';
import type { ImportBudget } from '../import-budget.js';
import { sharedElementOf } from '../proto/element-tensor.js';
import {
  AttributeType,
  dataTypeName,
  type FunctionProto,
  type GraphProto,
  type ModelProto,
  type NodeProto,
  type TensorProto,
} from '../proto/schema.js';
import { readNodeAttributes } from '../tensor-attributes.js';
import { domainOf, functionKey, MAX_NESTING, opsetsOf } from '../tensor-names.js';

// Finds the nodes of a graph that another runtime must run, with the reasons.

/**
 * A function of the caller that returns whether the other runtime should run a node, even if Brezel
 * supports its operator.
 */
export type BlackBoxSelector = (node: NodeFacts) => boolean;

/** A function that returns whether a node becomes a custom operator. */
export type IsCustom = (node: Pick<NodeFacts, 'domain' | 'operator' | 'opset'>) => boolean;

/**
 * Finds the nodes of a graph that another runtime must run (black nodes). A node is black if Brezel
 * does not support its operator or an element type of its values, or if the caller selects it. It
 * is also black if this holds for any node in its function or subgraphs.
 */
export class BlackNodes {
  readonly #model: ModelProto;
  readonly #resolvers: readonly TensorResolver[];
  readonly #selects: BlackBoxSelector;
  readonly #budget: ImportBudget;
  readonly #isCustom: IsCustom;
  readonly #opsetsOfModel: ReadonlyMap<string, number>;
  readonly #functions: ReadonlyMap<string, FunctionProto>;
  readonly #known = new Map<FunctionProto, string | undefined>();
  /** Names of the values whose element type tensor programs do not support. */
  readonly #foreign = new Set<string>();

  constructor(
    model: ModelProto,
    resolvers: readonly TensorResolver[],
    selects: BlackBoxSelector,
    budget: ImportBudget,
    isCustom: IsCustom,
  ) {
    this.#budget = budget;
    this.#isCustom = isCustom;
    this.#model = model;
    this.#resolvers = resolvers;
    this.#selects = selects;
    this.#opsetsOfModel = opsetsOf(model.opsetImport);
    this.#functions = new Map(
      model.functions.map((called) => [functionKey(called.domain, called.name, called.overload), called]),
    );
  }

  /**
   * Returns the nodes that another runtime must run, each with its reason, in the order of the
   * graph.
   */
  find(): Map<NodeProto, string> {
    const graph = this.#model.graph!;
    for (const { name, type } of graph.valueInfo)
      if (type?.tensorType !== undefined && sharedElementOf(type.tensorType.elemType) === undefined)
        this.#foreign.add(name);
    for (const tensor of graph.initializer) if (isForeign(tensor)) this.#foreign.add(tensor.name);
    const opsets = this.#opsetsOfModel;
    const found = new Map<NodeProto, string>();
    for (const node of graph.node) {
      const foreign = this.isCustom(node) ? undefined : this.#foreignInput(node);
      const why = foreign ?? this.#why(node, opsets, 0);
      if (why === undefined) continue;
      found.set(node, why);
      if (isForeignCast(node)) this.#foreign.add(node.output[0]!);
    }
    return found;
  }

  /** Returns whether a node of the graph becomes a custom operator. */
  isCustom(node: NodeProto): boolean {
    return this.#becomesCustom(node, this.#opsetsOfModel);
  }

  /**
   * Returns whether a node becomes a custom operator, even if the file has a function of this name.
   */
  #becomesCustom({ domain: name, opType: operator }: NodeProto, opsets: ReadonlyMap<string, number>): boolean {
    const domain = domainOf(name);
    const opset = this.#opset(domain, opsets);
    return opset !== undefined && this.#isCustom({ domain, operator, opset });
  }

  #opset(domain: string, opsets: ReadonlyMap<string, number>): number | undefined {
    return opsets.get(domain) ?? (this.#model.irVersion < 3 ? 1 : undefined);
  }

  #foreignInput(node: NodeProto): string | undefined {
    const name = node.input.find((input) => this.#foreign.has(input));
    return name === undefined ? undefined : `"${name}" is of an element type that Brezel does not have`;
  }

  #why(node: NodeProto, opsets: ReadonlyMap<string, number>, nesting: number): string | undefined {
    if (nesting > MAX_NESTING) return undefined; // the reader of the node reports the limit
    const domain = domainOf(node.domain);
    const isCustom = this.#becomesCustom(node, opsets);
    const called = isCustom ? undefined : this.#functions.get(functionKey(domain, node.opType, node.overload));
    if (called !== undefined) return this.#ofFunction(called, opsets, nesting + 1);
    const opset = this.#opset(domain, opsets);
    if (opset === undefined) return undefined; // the reader of the node reports the error
    if (isCustom) return this.#ofOperator(node, domain, opset);
    return foreignAttribute(node) ?? this.#ofOperator(node, domain, opset) ?? this.#ofBodies(node, opsets, nesting + 1);
  }

  #ofFunction(called: FunctionProto, outer: ReadonlyMap<string, number>, nesting: number): string | undefined {
    if (this.#known.has(called)) return this.#known.get(called);
    this.#known.set(called, undefined); // a function that calls itself is an error of the file
    const opsets = new Map([...outer, ...opsetsOf(called.opsetImport)]);
    const why = this.#first(called.node, opsets, nesting);
    this.#known.set(called, why && `function ${called.name}: ${why}`);
    return this.#known.get(called);
  }

  #first(nodes: readonly NodeProto[], opsets: ReadonlyMap<string, number>, nesting: number): string | undefined {
    for (const node of nodes) {
      const why = this.#why(node, opsets, nesting);
      if (why !== undefined) return why;
    }
    return undefined;
  }

  #ofBodies(node: NodeProto, opsets: ReadonlyMap<string, number>, nesting: number): string | undefined {
    for (const { g } of node.attribute) {
      const why = g && (this.#first(g.node, opsets, nesting) ?? foreignConstant(g));
      if (why !== undefined) return `its subgraph: ${why}`;
    }
    return undefined;
  }

  #ofOperator(node: NodeProto, domain: string, opset: number): string | undefined {
    const { opType: operator } = node;
    if (domain === '' && operator === 'Constant') return undefined;
    const facts = factsOf(node, domain, opset, this.#budget);
    if (facts === undefined) return undefined;
    if (resolveNode(facts, this.#resolvers) === undefined)
      return `Brezel does not have ${domain || 'ai.onnx'}:${operator}, opset ${opset}`;
    return this.#selects(facts) ? 'the option blackBox selects it' : undefined;
  }
}

/**
 * Returns the description of a node that resolvers and the caller's function `blackBox` receive.
 * Returns undefined for damaged attributes, because code that reads the node later reports the
 * error. Inside a function, omits attributes whose values the caller of the function supplies.
 */
function factsOf(node: NodeProto, domain: string, opset: number, budget: ImportBudget): NodeFacts | undefined {
  try {
    const { attributes, graphs } = readNodeAttributes(
      node.attribute.filter(({ refAttrName }) => refAttrName === ''),
      node.opType,
      budget,
    );
    const { input, output, opType: operator } = node;
    return {
      domain,
      operator,
      opset,
      attributes,
      inputs: input.length,
      outputs: output.length,
      bodies: Object.keys(graphs),
    };
  } catch (error) {
    if (error instanceof OnnxError && error.code !== 'ERR_ONNX_LIMIT') return undefined;
    throw error;
  }
}

const isForeign = (tensor: TensorProto): boolean => sharedElementOf(tensor.dataType) === undefined;

const isForeignCast = ({ opType, attribute }: NodeProto): boolean =>
  opType === 'Cast' && attribute.some(({ name, i }) => name === 'to' && sharedElementOf(Number(i)) === undefined);

/**
 * Returns why tensor programs do not support an attribute of the node, or undefined if they support
 * all.
 */
function foreignAttribute(node: NodeProto): string | undefined {
  if (isForeignCast(node)) return 'it casts to an element type that Brezel does not have';
  for (const { name, t, type } of node.attribute) {
    if (t !== undefined && isForeign(t)) return `attribute ${name} is a tensor of ${dataTypeName(t.dataType)}`;
    if (foreignTypes.has(type)) return `attribute ${name} is of a type that Brezel does not have`;
  }
  return undefined;
}

const foreignTypes: ReadonlySet<number> = new Set([
  AttributeType.TENSORS,
  AttributeType.GRAPHS,
  AttributeType.SPARSE_TENSOR,
  AttributeType.SPARSE_TENSORS,
  AttributeType.TYPE_PROTO,
  AttributeType.TYPE_PROTOS,
]);

function foreignConstant({ initializer }: GraphProto): string | undefined {
  const found = initializer.find(isForeign);
  return found && `"${found.name}" is of ${dataTypeName(found.dataType)}`;
}
