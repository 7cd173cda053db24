import type { BlackBox } from '@brezel/core';
import { type FlourContext, type Flow, Program, repeatRow } from '@brezel/flour';
import { checkArity } from './arity/index.js';
import { checkAttributeTypes } from './attribute-types/index.js';
import { readAttributes } from './attributes.js';
import type { SplitModel } from './black-box/split.js';
import { onnxError, RowCountError } from './errors.js';
import { checkRowCounts, inputRow, isOneRow } from './graph-input.js';
import type { ImportBudget } from './import-budget.js';
import type { ImportProgress, OutputLayout } from './import-options.js';
import type { GraphProto, NodeProto, ValueInfoProto } from './proto/schema.js';
import { convertBlackBox } from './rows/black-box.js';
import { fileConstant, parameterOf } from './rows/constant.js';
import { type DistanceHost, measuredPoints, writeDistances } from './rows/distances.js';
import { unrollLoop } from './rows/loop.js';
import { type NodeConversion, NodeConverter } from './rows/node-converter.js';
import type { RowNode } from './rows/row-node.js';
import { convertScan, type ScanHost } from './rows/scan.js';
import { type ConstantValue, checkRank, type GraphValue, product, reshapedFlow, rowShape } from './rows/value.js';
import { readNodeAttributes } from './tensor-attributes.js';
import { checkOpset, domainOf, opsetOf, opsetsOf } from './tensor-names.js';
import { withPlace } from './with-place.js';

/**
 * The importer converts the body of a Scan or Loop once for each iteration. All iterations together
 * may add at most this many nodes, including nodes that select entries and stack results. Importing
 * and compiling 500 nodes takes about 0.2 s.
 */
const MAX_UNROLLED = 500;

/**
 * Operators that combine their inputs one after another. Each input after the first is one step.
 */
const chained = new Set(['Sum', 'Mean', 'Max', 'Min', 'Einsum']);

/**
 * Returns the number of steps that a node becomes in a row program. Each step counts as a node.
 * Otherwise, a small file could create very many steps, because an input needs only three bytes.
 */
function stepsOf(domain: string, operator: string, inputs: number, outputs: number): number {
  if (domain !== '') return 1;
  if (operator === 'Split') return outputs;
  return chained.has(operator) ? inputs - 1 : 1;
}

/** Converts the nodes of a graph, one after another, to a row program. */
export class GraphImporter {
  readonly warnings: string[] = [];
  get conversions(): readonly NodeConversion[] {
    return this.#converter.conversions;
  }
  readonly outputLayouts: Record<string, OutputLayout> = {};
  readonly #graph: GraphProto;
  /** The nodes that stand for black boxes, with these boxes. */
  readonly #boxes: SplitModel['boxes'];
  readonly #irVersion: number;
  readonly #flour: FlourContext;
  readonly #opsets: ReadonlyMap<string, number>;
  readonly #values = new Map<string, GraphValue>();
  /**
   * Names of values that the conversion skips, because row programs do not support them, for
   * example masks. A node that reads one is an error.
   */
  readonly #left = new Set<string>();
  /** Whether the file declares that the first axis has the size 1. */
  readonly #isFixed: boolean;
  /**
   * Any flow that depends on the row. A constant output needs it, because an answer repeats the
   * constant for each row.
   */
  #anyRow: Flow | undefined;
  readonly #converter: NodeConverter;
  readonly #progress: ImportProgress | undefined;
  readonly #budget: ImportBudget;
  /** The number of nodes that iterations of Scan and Loop nodes have added so far. */
  #unrolled = 0;
  /** True while the importer converts the nodes of an iteration of a Scan or Loop. */
  #isInIteration = false;
  /**
   * The types that the file declares for values, by name. The importer reads the types of the
   * outputs of black boxes from this map.
   */
  readonly #declared: ReadonlyMap<string, ValueInfoProto>;

  constructor(
    { model, boxes }: SplitModel,
    flour: FlourContext,
    budget: ImportBudget,
    repairNgrams: boolean,
    progress?: ImportProgress,
  ) {
    this.#boxes = boxes;
    this.#budget = budget;
    this.#converter = new NodeConverter({
      flour,
      repairNgrams,
      budget,
      anyRow: () => this.#anyRow!,
      warn: (message) => void this.warnings.push(message),
      users: usersOf(model.graph!, budget),
    });
    this.#progress = progress;
    this.#graph = model.graph!;
    const { output, valueInfo } = this.#graph;
    this.#declared = new Map([...valueInfo, ...output].map((declared) => [declared.name, declared]));
    this.#irVersion = model.irVersion;
    this.#flour = flour;
    const names = new Set(this.#graph.initializer.map(({ name }) => name));
    this.#isFixed = this.#graph.input.filter(({ name }) => !names.has(name)).every(isOneRow);
    this.#opsets = opsetsOf(model.opsetImport);
  }

  run(name: string | undefined): Program {
    const nodes = this.#graph.node.length;
    if (nodes > 0) this.#budget.nodes(nodes, 'graph');
    for (const tensor of this.#graph.initializer)
      this.#define(tensor.name, fileConstant(tensor, this.#budget), 'initializer');
    // Graphs of IR version 3 list their initializers among the inputs.
    const given = this.#graph.input.filter((input) => !this.#values.has(input.name));
    checkRowCounts(given);
    const inputs = given.map((input) => {
      const { given, value } = inputRow(this.#flour, input, this.#budget);
      this.#define(input.name, value, 'input');
      return given;
    });
    this.#anyRow = inputs[0];
    const isTold = (done: number) => Math.floor((done * 100) / nodes) > Math.floor(((done - 1) * 100) / nodes);
    this.#graph.node.forEach((node, at) => {
      this.#convert(node);
      if (isTold(at + 1)) this.#progress?.(at + 1, nodes, 'convert');
    });
    const outputs = this.#graph.output.map((output) => ({ name: output.name, node: this.#output(output.name).node }));
    if (outputs.length === 0) throw onnxError('ERR_ONNX_GRAPH', { expected: 'at least one output', received: 'none' });
    return new Program(
      this.#flour,
      name ?? (this.#graph.name || 'model'),
      outputs,
      inputs.map((flow) => flow.node),
      this.#budget.maxNodes,
    );
  }

  #convert(proto: NodeProto): void {
    const box = this.#boxes.get(proto);
    if (box !== undefined) return this.#convertBox(box);
    const node = this.#node(proto);
    if (node.domain === '' && (node.operator === 'Scan' || node.operator === 'Loop'))
      return this.#convertIterations(proto, node);
    const measured = measuredPoints(node);
    if (measured !== undefined) {
      this.#converter.conversions.push({ node: node.at, strategy: 'distances to constant points', tried: [] });
      return withPlace(node.at, () => writeDistances(proto, measured, this.#host(node)));
    }
    const values = withPlace(node.at, () => this.#converter.convert(node));
    proto.output.forEach((output, index) => {
      const value = values[index];
      if (value === undefined) this.#left.add(output);
      else if (output !== '') this.#define(output, value, node.at);
    });
  }

  /**
   * Converts a Scan or Loop node: converts the nodes of its body once for each iteration, or a Scan
   * as a whole if possible.
   */
  #convertIterations(proto: NodeProto, node: RowNode): void {
    const host = this.#bodyHost(node, true);
    const ofAll = this.#isInIteration ? host : this.#bodyHost(node, false);
    let strategy = 'unrolled loop';
    withPlace(node.at, () => {
      if (node.operator === 'Loop') unrollLoop(proto, host);
      else strategy = convertScan(proto, host, ofAll);
    });
    this.#converter.conversions.push({ node: node.at, strategy, tried: [] });
  }

  #convertInIteration(node: NodeProto): void {
    const isNested = this.#isInIteration;
    this.#isInIteration = true;
    try {
      this.#convert(node);
    } finally {
      this.#isInIteration = isNested;
    }
  }

  #convertBox(box: BlackBox): void {
    const around = {
      value: (name: string) => this.#converter.repeated(this.#values.get(name)),
      declared: (name: string) => this.#declared.get(name),
      budget: this.#budget,
      isFixed: this.#isFixed,
      opset: this.#opsets.get('') ?? 0,
    };
    this.#converter.conversions.push({ node: box.name, strategy: 'black box', tried: [] });
    const converted = withPlace(box.name, () => convertBlackBox(box, around));
    for (const [name, value] of converted) this.#define(name, value, box.name);
  }

  #node({ domain: domainName, opType: operator, name, attribute, input, output: outputs }: NodeProto): RowNode {
    const domain = domainOf(domainName);
    const opset = opsetOf(domain, operator, this.#opsets, this.#irVersion);
    const at = `node "${name || outputs[0] || '?'}" (${domain || 'ai.onnx'}.${operator}, opset ${opset})`;
    checkOpset(domain, opset, at);
    checkArity({ domain, operator, opset, inputs: input, outputs, at });
    const steps = stepsOf(domain, operator, input.length, outputs.length);
    if (steps > 1) this.#budget.nodes(steps - 1, at);
    checkAttributeTypes({ domain, operator, opset, attributes: attribute, irVersion: this.#irVersion, at });
    const attributes = readAttributes(attribute, at, this.#flour.store);
    const inputs = input.map((name) => (name === '' ? undefined : this.#input(name, at)));
    const options = () => readNodeAttributes(attribute, at, this.#budget).attributes;
    return {
      flour: this.#flour,
      domain,
      operator,
      opset,
      attributes,
      protos: attribute,
      options,
      inputs,
      outputs,
      isFixed: this.#isFixed,
      at,
      budget: this.#budget,
    };
  }

  #host({ at }: RowNode): DistanceHost {
    return { define: (name, value) => this.#define(name, value, at), convert: (node) => this.#convert(node) };
  }

  /** @param isCounted whether the nodes that the host converts count towards `MAX_UNROLLED`. */
  #bodyHost({ operator, opset, at }: RowNode, isCounted: boolean): ScanHost {
    const value = (name: string) => this.#values.get(name);
    const refuse = (why: string) => onnxError('ERR_ONNX_UNSUPPORTED', { received: `a ${operator} with ${why}`, at });
    const rankOf = (found: GraphValue | undefined) =>
      (found?.kind === 'row' ? found.dims : found?.tensor.shape)?.length;
    const requireRoom = (nodes: number) => {
      if (this.#unrolled + nodes > MAX_UNROLLED) throw refuse(`more than ${MAX_UNROLLED} nodes in all its iterations`);
    };
    const unroll = (nodes: number) => {
      this.#budget.nodes(nodes, at);
      requireRoom(nodes);
      this.#unrolled += nodes;
    };
    return {
      opset,
      isFixed: this.#isFixed,
      value,
      define: (name, found) => this.#define(name, found, at),
      requireRoom,
      unroll,
      rank: (name) => rankOf(value(name)),
      constantRank: (name) => (value(name)?.kind === 'constant' ? rankOf(value(name)) : undefined),
      integers: (name) => {
        const found = name === undefined ? undefined : value(name);
        return found?.kind === 'constant' ? Array.from(found.tensor.data as ArrayLike<number | bigint>, Number) : [];
      },
      defineInitializers: (body, rename) => {
        this.#budget.nodes(body.node.length, at);
        for (const tensor of body.initializer)
          this.#define(rename(tensor.name), fileConstant(tensor, this.#budget), at);
      },
      convert: (node) => {
        if (!isCounted) return this.#convert(node);
        unroll(1);
        this.#convertInIteration(node);
      },
      refuse,
    };
  }

  #input(name: string, at: string): GraphValue {
    const value = this.#values.get(name);
    if (value !== undefined) return value;
    this.#checkLeft(name, at);
    throw onnxError('ERR_ONNX_GRAPH', { expected: `value "${name}" before its user`, received: 'none', at });
  }

  #define(name: string, value: GraphValue, at: string): void {
    if (this.#values.has(name)) throw onnxError('ERR_ONNX_GRAPH', { received: `"${name}" is defined twice`, at });
    checkRank(value.kind === 'row' ? value.dims : value.tensor.shape, at);
    this.#values.set(name, value);
  }

  #checkLeft(name: string, at: string): void {
    if (!this.#left.has(name)) return;
    throw onnxError('ERR_ONNX_SHAPE', { received: `"${name}", which its node gives over whole tensors only`, at });
  }

  #output(name: string): Flow {
    const value = this.#converter.repeated(this.#values.get(name));
    const at = `output "${name}"`;
    this.#checkLeft(name, at);
    if (value === undefined)
      throw onnxError('ERR_ONNX_GRAPH', { expected: 'a value of the row', received: 'nothing that gives it', at });
    if (value.kind === 'constant') return this.#sameForAllRows(name, value, at);
    const { batch, dims, element } = value;
    if (dims !== undefined) this.outputLayouts[name] = { shape: dims, axis: batch.axis, element };
    // Exporters write labels with shape [1, N]: one entry per row.
    const isWhole = batch.before === 1 && (batch.axis > 0 || batch.after === 1);
    const isFirst = isWhole && (dims ?? []).slice(0, batch.axis).every((size) => size === 1);
    if (isFirst)
      return dims === undefined ? value.flow : reshapedFlow(value.flow, rowShape(dims, batch).slice(batch.axis));
    if (this.#isFixed && dims![0] === 1) return reshapedFlow(value.flow, dims!.slice(1));
    const expected = 'rows along the first axis';
    if (isWhole || dims === undefined || batch.axis > 0)
      throw onnxError('ERR_ONNX_SHAPE', { expected, received: `axis ${batch.axis} of [${dims}]`, at });
    const rows = batch.before * batch.after;
    throw new RowCountError(name, { expected, received: `${rows} rows for each row of the inputs`, at });
  }

  /**
   * Returns a flow with the value of a constant output. All rows have this value in their answers.
   */
  #sameForAllRows(name: string, { tensor, element, byRows }: ConstantValue, at: string): Flow {
    const row = this.#anyRow;
    if (byRows !== undefined || row === undefined || row.kind === 'dictionary' || product(tensor.shape) === 0)
      throw onnxError('ERR_ONNX_SHAPE', { expected: 'a value of the row', received: 'a constant', at });
    this.outputLayouts[name] = { shape: tensor.shape, axis: undefined, element };
    return reshapedFlow(repeatRow(row, { ...parameterOf(tensor), shape: [product(tensor.shape)] }), tensor.shape);
  }
}

/**
 * Returns a function that lists the operators of all nodes that read an output of a node. The list
 * contains `output` for each output that is an output of the graph.
 */
function usersOf(
  { node: nodes, output: outputs }: GraphProto,
  budget: ImportBudget,
): (node: RowNode) => readonly string[] {
  const users = new Map<string, string[]>();
  const add = (name: string, user: string) => {
    const known = users.get(name);
    if (known === undefined) users.set(name, [user]);
    else known.push(user);
  };
  for (const { input, opType } of nodes) for (const name of input) add(name, opType);
  for (const { name } of outputs) add(name, 'output');
  return (node) => {
    const found = node.outputs.flatMap((name) => users.get(name) ?? []);
    budget.steps(found.length, node.at);
    return found;
  };
}
