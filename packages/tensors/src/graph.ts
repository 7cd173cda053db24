import type { BlackBox, TensorPort } from '@brezel/core';
import type { TensorAttributes } from './define.js';
import type { TensorExecutable } from './executable.js';
import type { Tensor } from './tensor.js';

/**
 * One node of a graph. Its inputs and outputs are numbers of slots. A slot holds one value of a run
 * of the graph.
 */
export interface TensorNode {
  /** Describes the node in errors: its name, operator, domain and version. */
  readonly at: string;
  readonly execute: TensorExecutable;
  /**
   * If set, this black box runs asynchronously instead of `execute`. Nodes of subgraphs have no
   * black box.
   */
  readonly blackBox?: BlackBox;
  readonly opset: number;
  readonly attributes: TensorAttributes;
  /** The slot of each input, or undefined for a missing optional input. */
  readonly inputs: readonly (number | undefined)[];
  /** The slot of each output, or undefined for an unused output. */
  readonly outputs: readonly (number | undefined)[];
  readonly bodies: Readonly<Record<string, TensorGraph>>;
  /** Slots that no later node reads. Their values are released after this node. */
  readonly releases: readonly number[];
}

/**
 * A graph or subgraph: its nodes in execution order. A run of the graph stores its values in
 * numbered slots.
 */
export interface TensorGraph {
  /** The number of slots that a run of the graph needs. */
  readonly slots: number;
  readonly inputs: readonly number[];
  readonly constants: readonly { readonly slot: number; readonly tensor: Tensor }[];
  /**
   * Slots of the outer graph that this graph reads, and its own slots that receive their values.
   */
  readonly captures: readonly { readonly outer: number; readonly inner: number }[];
  readonly nodes: readonly TensorNode[];
  readonly outputs: readonly number[];
  readonly results: readonly TensorPort[];
}
