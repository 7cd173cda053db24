import type { GraphProto, NodeProto } from '../proto/schema.js';
import type { GraphValue } from './value.js';

/**
 * The functions of the importer that convert the body of a Scan or Loop once for each iteration.
 */
export interface BodyHost {
  /** Whether the file declares that the first axis has the size 1. */
  readonly isFixed: boolean;
  value(name: string): GraphValue | undefined;
  define(name: string, value: GraphValue): void;
  /** Adds the initializers of the body to the graph, under the names that `rename` returns. */
  defineInitializers(body: GraphProto, rename: (name: string) => string): void;
  /**
   * Converts a node of an iteration, and counts it towards the limit of nodes in all iterations.
   * @throws ERR_ONNX_UNSUPPORTED if the limit is exceeded.
   */
  convert(node: NodeProto): void;
  /**
   * Counts other work of an iteration as this number of nodes.
   * @throws ERR_ONNX_UNSUPPORTED if the limit is exceeded.
   */
  unroll(nodes: number): void;
  /**
   * Throws if `nodes` more nodes would exceed the limit. Counts none of them.
   * @throws ERR_ONNX_UNSUPPORTED
   */
  requireRoom(nodes: number): void;
  refuse(why: string): Error;
}

/**
 * Each iteration renames the values of the body, and a hundred names count as one node. This also
 * limits bodies whose nodes have many inputs.
 */
const NAMES_PER_NODE = 100;

/**
 * Converts the body of a Scan or Loop once for each iteration. Each iteration has separate names
 * for its values. Nodes that do not depend on the iteration are converted only once.
 */
export class UnrolledBody {
  readonly #body: GraphProto;
  readonly #host: BodyHost;
  readonly #prefix: string;
  /** For each name in the body, the name of the value in the graph. */
  readonly #names = new Map<string, string>();
  /** The nodes that depend on the iteration. */
  readonly #varying: readonly NodeProto[];
  /** The work of renaming the values of an iteration, counted in nodes. */
  readonly #work: number;
  #copies = 0;

  constructor(body: GraphProto, prefix: string, host: BodyHost) {
    this.#body = body;
    this.#host = host;
    this.#prefix = prefix;
    for (const { name } of body.initializer) this.#names.set(name, `${prefix} ${name}`);
    host.defineInitializers(body, this.#rename);
    this.#varying = varyingNodes(body);
    this.#work = 1 + Math.floor(namesOf(body) / NAMES_PER_NODE); // 1 limits a body without nodes
  }

  /**
   * Throws if this number of iterations would exceed the limit of nodes. Call this method before
   * the first iteration.
   * @param others the number of nodes that the caller converts in each iteration, in addition to
   * the body.
   * @throws ERR_ONNX_UNSUPPORTED if the iterations would exceed the limit.
   */
  requireRoom(iterations: number, others: number): void {
    this.#host.requireRoom(iterations * (this.#work + this.#varying.length + others));
  }

  /**
   * Converts one iteration.
   * @param inputs names of the values that this iteration passes to the inputs of the body.
   * @returns the names of the values that the body returns.
   */
  iterate(inputs: readonly string[]): string[] {
    const nodes = this.#copies === 0 ? this.#body.node : this.#varying;
    this.#host.unroll(this.#work);
    this.#body.input.forEach(({ name }, at) => this.#names.set(name, inputs[at]!));
    const copy = `${this.#prefix} ${this.#copies++}`;
    for (const node of nodes) {
      const output = node.output.map((name) => (name === '' ? '' : `${copy} ${name}`));
      const renamed = { ...withNames(node, this.#rename), output };
      node.output.forEach((name, at) => this.#names.set(name, output[at]!));
      this.#host.convert(renamed);
    }
    return this.#body.output.map(({ name }) => this.#rename(name));
  }

  readonly #rename = (name: string): string => this.#names.get(name) ?? name;
}

/**
 * Returns the nodes that depend on the inputs of the body. They include all nodes with a subgraph,
 * because a subgraph may read any value.
 */
function varyingNodes(body: GraphProto): NodeProto[] {
  const varying = new Set(body.input.map(({ name }) => name));
  return body.node.filter(({ input, output, attribute }) => {
    const varies = input.some((name) => varying.has(name)) || attribute.some(({ g }) => g !== undefined);
    if (varies) for (const name of output) varying.add(name);
    return varies;
  });
}

/** Returns the number of names in a graph and in its subgraphs. */
function namesOf({ input, output, node }: GraphProto): number {
  let names = input.length + output.length;
  for (const one of node) {
    names += one.input.length + one.output.length;
    for (const { g } of one.attribute) if (g !== undefined) names += namesOf(g);
  }
  return names;
}

/** Renames the inputs of a node, and the values of outer graphs that its subgraphs read. */
function withNames(node: NodeProto, rename: (name: string) => string): NodeProto {
  const input = node.input.map((name) => (name === '' ? '' : rename(name)));
  const attribute = node.attribute.map((one) => (one.g === undefined ? one : { ...one, g: within(one.g, rename) }));
  return { ...node, input, attribute };
}

function within(graph: GraphProto, rename: (name: string) => string): GraphProto {
  const local = new Set([
    ...[...graph.input, ...graph.initializer].map(({ name }) => name),
    ...graph.node.flatMap(({ output }) => output),
  ]);
  const outer = (name: string) => (local.has(name) ? name : rename(name));
  return {
    ...graph,
    node: graph.node.map((node) => withNames(node, outer)),
    output: graph.output.map((output) => ({ ...output, name: outer(output.name) })),
  };
}
