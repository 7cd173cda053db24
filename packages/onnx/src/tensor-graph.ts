import { type BlackBox, InternalError, type TensorPort } from '@brezel/core';
import {
  allTensorOperators,
  controlOperators,
  type NodeFacts,
  resolveNode,
  type TensorExecutable,
  type TensorGraph,
  type TensorResolver,
} from '@brezel/tensors';
import { checkArity } from './arity/index.js';
import { checkAttributeTypes } from './attribute-types/index.js';
import { onnxError } from './errors.js';
import type { ImportBudget } from './import-budget.js';
import { withLoopCounters } from './loop-counters.js';
import type { AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto } from './proto/schema.js';
import {
  boundAttributes,
  constantOf,
  type FunctionAttributes,
  readNodeAttributes,
  readOnce,
} from './tensor-attributes.js';
import { GraphFrame, Scope } from './tensor-frame.js';
import { checkOpset, domainOf, functionKey, MAX_NESTING, opsetOf, opsetsOf } from './tensor-names.js';
import { declaredPort, inputPort } from './tensor-ports.js';
import { unreadInputs } from './unread-inputs.js';
import { withPlace } from './with-place.js';

/**
 * This many inputs, outputs, constants or attributes of a node count as one further node in the
 * import budget.
 */
const ENTRIES_A_NODE = 64;

/**
 * The surroundings of a node: the versions of its operator sets, and the functions whose bodies
 * contain the node.
 */
interface ReadContext {
  readonly opsets: ReadonlyMap<string, number>;
  readonly attributes: FunctionAttributes;
  readonly functions: readonly FunctionProto[];
  readonly nesting: number;
}

/**
 * The function of a node that stands for a black box. It never runs, because the program calls the
 * black box instead.
 */
const inBlackBox: TensorExecutable = () => {
  throw new InternalError('a black box was run as an operator');
};

/**
 * Converts the graph of a model to the graph of a tensor program. Replaces calls of functions by
 * their nodes; subgraphs become separate graphs.
 */
export class TensorGraphReader {
  readonly #model: ModelProto;
  readonly #functions: ReadonlyMap<string, FunctionProto>;
  readonly #opsets: ReadonlyMap<string, number>;
  readonly #resolvers: readonly TensorResolver[];
  readonly #boxes: ReadonlyMap<NodeProto, BlackBox>;
  readonly #budget: ImportBudget;

  /** @param boxes the nodes of the graph that stand for black boxes. */
  constructor(
    model: ModelProto,
    resolvers: readonly TensorResolver[],
    budget: ImportBudget,
    boxes: ReadonlyMap<NodeProto, BlackBox> = new Map(),
  ) {
    this.#boxes = boxes;
    this.#budget = budget;
    this.#model = model;
    this.#opsets = opsetsOf(model.opsetImport);
    this.#functions = new Map(
      model.functions.map((called) => [functionKey(called.domain, called.name, called.overload), called]),
    );
    this.#resolvers = resolvers;
  }

  /**
   * Converts the graph.
   * @throws ERR_ONNX_UNSUPPORTED with node, operator, domain and version;
   * ERR_ONNX_GRAPH, ERR_ONNX_ATTRIBUTE, ERR_ONNX_TENSOR, ERR_ONNX_LIMIT.
   */
  read(): { readonly graph: TensorGraph; readonly inputs: readonly TensorPort[] } {
    const graph = this.#model.graph!;
    const scope = new Scope(new GraphFrame());
    const inputs = this.#readInputs(graph, scope);
    if (graph.output.length === 0) {
      throw onnxError('ERR_ONNX_GRAPH', { expected: 'at least one output', received: 'none' });
    }
    const context = { opsets: this.#opsets, attributes: undefined, functions: [], nesting: 0 };
    return { graph: this.#finish(graph, scope, context), inputs };
  }

  /**
   * Defines the inputs of the program. Up to IR version 3, a graph also lists its initializers as
   * inputs; the program does not have these inputs. In later versions, an input with an initializer
   * is optional.
   */
  #readInputs(graph: GraphProto, scope: Scope): TensorPort[] {
    this.#readInitializers(graph, scope);
    const inputs: TensorPort[] = [];
    const names = new Set<string>();
    const unread = unreadInputs(graph);
    for (const input of graph.input) {
      if (names.size === names.add(input.name).size)
        throw onnxError('ERR_ONNX_GRAPH', { received: `"${input.name}" is defined twice`, at: 'input' });
      const optional = scope.has(input.name);
      if (optional && this.#model.irVersion < 4) continue;
      if (optional) scope.frame.inputs.push(scope.slotOf(input.name, 'input')!);
      else this.#defineInput(input.name, scope);
      const free = unread.has(input.name) && { shape: undefined };
      inputs.push({ ...inputPort(input), ...(optional && { optional }), ...free });
    }
    return inputs;
  }

  #readInitializers(graph: GraphProto, scope: Scope): void {
    for (const tensor of graph.initializer)
      scope.define(tensor.name, scope.frame.constant(readOnce(tensor, this.#budget)), 'initializer');
  }

  #defineInput(name: string, scope: Scope): void {
    const slot = scope.frame.slot();
    scope.frame.inputs.push(slot);
    scope.define(name, slot, 'input');
  }

  #finish(graph: GraphProto, scope: Scope, context: ReadContext): TensorGraph {
    for (const node of graph.node) this.#readNode(node, scope, context);
    const outputs = graph.output.map(({ name }) => this.#needed(name, scope, `output "${name}"`));
    return scope.frame.finish(outputs, graph.output.map(declaredPort));
  }

  #needed(name: string, scope: Scope, at: string): number {
    const slot = scope.slotOf(name, at);
    if (slot !== undefined) return slot;
    throw onnxError('ERR_ONNX_GRAPH', { expected: `value "${name}"`, received: 'an input that was left out', at });
  }

  #readBody(graph: GraphProto, outer: Scope, context: ReadContext, at: string): TensorGraph {
    this.#count(at, graph.initializer, graph.input, graph.output);
    const scope = new Scope(new GraphFrame(), outer);
    this.#readInitializers(graph, scope);
    for (const { name } of graph.input) this.#defineInput(name, scope);
    return this.#finish(graph, scope, this.#deeper(context, at));
  }

  #deeper(context: ReadContext, at: string): ReadContext {
    const nesting = context.nesting + 1;
    if (nesting <= MAX_NESTING) return { ...context, nesting };
    throw onnxError('ERR_ONNX_LIMIT', {
      expected: `subgraphs and functions nested ${MAX_NESTING} deep`,
      received: 'more',
      at,
    });
  }

  #readNode(node: NodeProto, scope: Scope, context: ReadContext): void {
    const box = this.#boxes.get(node);
    if (box !== undefined) return this.#addBox(box, node, scope);
    const domain = domainOf(node.domain);
    const called = this.#functions.get(functionKey(domain, node.opType, node.overload));
    const opset = called === undefined ? opsetOf(domain, node.opType, context.opsets, this.#model.irVersion) : 0;
    const kind = called === undefined ? `opset ${opset}` : 'function';
    const within = context.functions.length === 0 ? '' : ` in function ${context.functions.at(-1)!.name}`;
    const at = `node "${node.name || node.output[0] || '?'}" (${domain || 'ai.onnx'}.${node.opType}, ${kind})${within}`;
    if (called === undefined) checkOpset(domain, opset, at);
    this.#count(at, node.input, node.output, node.attribute);
    const attributes = boundAttributes(node.attribute, context.attributes, at);
    const inputs = node.input.map((name) => (name === '' ? undefined : scope.slotOf(name, at)));
    if (called !== undefined) return this.#inline(called, node, inputs, attributes, scope, context, at);
    const { irVersion } = this.#model;
    checkAttributeTypes({ domain, operator: node.opType, opset, attributes, irVersion, at });
    if (domain === '' && node.opType === 'Constant') {
      checkArity({ domain, operator: node.opType, opset, inputs: node.input, outputs: node.output, at });
      const [name = ''] = node.output;
      const slot = scope.frame.constant(constantOf(attributes, at, this.#budget));
      return name === '' ? undefined : scope.define(name, slot, at);
    }
    this.#addNode({ domain, opset, node, attributes, inputs }, scope, context, at);
  }

  #addNode(
    use: {
      readonly domain: string;
      readonly opset: number;
      readonly node: NodeProto;
      readonly attributes: readonly AttributeProto[];
      readonly inputs: readonly (number | undefined)[];
    },
    scope: Scope,
    context: ReadContext,
    at: string,
  ): void {
    const { domain, opset, node, inputs } = use;
    const { attributes, graphs } = readNodeAttributes(use.attributes, at, this.#budget);
    const execute = this.#resolve(
      {
        domain,
        operator: node.opType,
        opset,
        attributes,
        inputs: inputs.length,
        outputs: node.output.length,
        bodies: Object.keys(graphs),
      },
      at,
    );
    checkArity({ domain, operator: node.opType, opset, inputs: node.input, outputs: node.output, at });
    const bodies = Object.fromEntries(
      Object.entries(graphs).map(([name, graph]) => {
        const body = domain === '' && node.opType === 'Loop' ? withLoopCounters(graph) : graph;
        return [name, this.#readBody(body, scope, context, at)];
      }),
    );
    const outputs = node.output.map((name) => (name === '' ? undefined : scope.frame.slot()));
    scope.frame.add({ at, execute, opset, attributes, inputs, outputs, bodies });
    node.output.forEach((name, index) => {
      if (name !== '') scope.define(name, outputs[index], at);
    });
  }

  #addBox(blackBox: BlackBox, node: NodeProto, scope: Scope): void {
    const at = blackBox.name;
    this.#count(at, node.input, node.output, blackBox.nodes);
    const inputs = node.input.map((name) => scope.slotOf(name, at));
    const outputs = node.output.map(() => scope.frame.slot());
    scope.frame.add({ at, execute: inBlackBox, blackBox, opset: 0, attributes: {}, inputs, outputs, bodies: {} });
    node.output.forEach((name, index) => {
      scope.define(name, outputs[index], at);
    });
  }

  /**
   * Subtracts a node and the entries of its lists from the budget. The budget limits graphs of
   * short files that call the same functions many times.
   */
  #count(at: string, ...lists: readonly (readonly unknown[])[]): void {
    const entries = lists.reduce((sum, list) => sum + list.length, 0);
    this.#budget.nodes(1 + Math.floor(entries / ENTRIES_A_NODE), at);
  }

  #resolve(facts: NodeFacts, at: string): TensorExecutable {
    const found = withPlace(at, () => resolveNode(facts, this.#resolvers));
    if (found !== undefined) return found;
    const { domain, operator, opset } = facts;
    const known = [...allTensorOperators(), ...controlOperators.map((control) => ({ ...control, domain: '' }))].some(
      (candidate) => candidate.domain === domain && candidate.operator === operator,
    );
    const received = known ? `version ${opset} of ${operator}` : `${domain || 'ai.onnx'}.${operator}`;
    throw onnxError('ERR_ONNX_UNSUPPORTED', { received, at });
  }

  /**
   * Replaces the call of a function by the nodes of the function. The values of these nodes get
   * slots in the calling graph. Their names are visible only in the function.
   */
  #inline(
    called: FunctionProto,
    node: NodeProto,
    inputs: readonly (number | undefined)[],
    attributes: readonly AttributeProto[],
    scope: Scope,
    context: ReadContext,
    at: string,
  ): void {
    if (context.functions.includes(called)) {
      throw onnxError('ERR_ONNX_GRAPH', { received: `function ${called.name} calls itself`, at });
    }
    if (inputs.length > called.input.length || node.output.length > called.output.length) {
      const expected = `at most ${called.input.length} inputs and ${called.output.length} outputs`;
      throw onnxError('ERR_ONNX_GRAPH', { expected, received: `${inputs.length} and ${node.output.length}`, at });
    }
    this.#count(at, called.input, called.output, called.attributeProto, called.opsetImport);
    const body = new Scope(scope.frame);
    called.input.forEach((name, index) => {
      body.define(name, inputs[index], at);
    });
    this.#budget.steps(this.#opsets.size, at);
    const inner: ReadContext = {
      ...this.#deeper(context, at),
      opsets: new Map([...this.#opsets, ...opsetsOf(called.opsetImport)]),
      attributes: new Map([...called.attributeProto, ...attributes].map((attribute) => [attribute.name, attribute])),
      functions: [...context.functions, called],
    };
    for (const step of called.node) this.#readNode(step, body, inner);
    node.output.forEach((name, index) => {
      if (name !== '') scope.define(name, this.#needed(called.output[index]!, body, at), at);
    });
  }
}
