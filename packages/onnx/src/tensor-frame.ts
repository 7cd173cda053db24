import type { Tensor, TensorPort } from '@brezel/core';
import type { TensorGraph, TensorNode } from '@brezel/tensors';
import { onnxError } from './errors.js';

/** Collects the nodes of a graph in order, and assigns slots to its values. */
export class GraphFrame {
  readonly inputs: number[] = [];
  readonly #nodes: Omit<TensorNode, 'releases'>[] = [];
  readonly #constants: { slot: number; tensor: Tensor }[] = [];
  readonly #captures = new Map<number, number>();
  #slots = 0;

  slot(): number {
    return this.#slots++;
  }

  constant(tensor: Tensor): number {
    const slot = this.slot();
    this.#constants.push({ slot, tensor });
    return slot;
  }

  /** Returns the slot in this graph that receives the value of slot `outer` of the outer graph. */
  capture(outer: number): number {
    const known = this.#captures.get(outer) ?? this.slot();
    this.#captures.set(outer, known);
    return known;
  }

  add(node: Omit<TensorNode, 'releases'>): void {
    this.#nodes.push(node);
  }

  finish(outputs: readonly number[], results: readonly TensorPort[]): TensorGraph {
    return {
      slots: this.#slots,
      inputs: this.inputs,
      constants: this.#constants,
      captures: Array.from(this.#captures, ([outer, inner]) => ({ outer, inner })),
      nodes: withReleases(this.#nodes, outputs),
      outputs,
      results,
    };
  }
}

/**
 * Adds to each node the slots whose values the program can drop after the node: slots that no later
 * node and no output reads.
 */
function withReleases(nodes: readonly Omit<TensorNode, 'releases'>[], outputs: readonly number[]): TensorNode[] {
  const needed = new Set(outputs);
  return nodes
    .toReversed()
    .map((node) => {
      const releases: number[] = [];
      const captured = Object.values(node.bodies).flatMap(({ captures }) => captures.map(({ outer }) => outer));
      for (const slot of [...node.outputs, ...node.inputs, ...captured]) {
        if (slot === undefined || needed.has(slot)) continue;
        needed.add(slot);
        releases.push(slot);
      }
      return { ...node, releases };
    })
    .reverse();
}

/**
 * The names of values in a graph or in the body of a function, with their slots in a `GraphFrame`.
 */
export class Scope {
  readonly #names = new Map<string, number | undefined>();

  constructor(
    readonly frame: GraphFrame,
    /** The names of the outer graph, which this graph may also read. */
    readonly outer: Scope | undefined = undefined,
  ) {}

  /**
   * Defines a name. `slot` is undefined for an input of a function that the caller omits.
   * @throws ERR_ONNX_GRAPH if the graph already defines the name.
   */
  define(name: string, slot: number | undefined, at: string): void {
    if (this.#names.has(name)) throw onnxError('ERR_ONNX_GRAPH', { received: `"${name}" is defined twice`, at });
    this.#names.set(name, slot);
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /**
   * Returns the slot of a value of this graph or of an enclosing graph, or undefined for an input
   * that the caller of a function omits.
   * @throws ERR_ONNX_GRAPH if no earlier node defines the value.
   */
  slotOf(name: string, at: string): number | undefined {
    if (this.#names.has(name)) return this.#names.get(name);
    if (this.outer === undefined) {
      throw onnxError('ERR_ONNX_GRAPH', { expected: `value "${name}" before its user`, received: 'none', at });
    }
    const outer = this.outer.slotOf(name, at);
    return outer === undefined ? undefined : this.frame.capture(outer);
  }
}
