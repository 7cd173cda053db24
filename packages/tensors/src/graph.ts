import type { BlackBox, TensorPort } from '@brezel/core';
import type { TensorAttributes } from './define.js';
import type { TensorExecutable } from './executable.js';
import type { Tensor } from './tensor.js';

/** One node of a graph. Values are slots of the graph's frame. */
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
  /** A missing optional input is undefined. */
  readonly inputs: readonly (number | undefined)[];
  /** An unused output is undefined. */
  readonly outputs: readonly (number | undefined)[];
  readonly bodies: Readonly<Record<string, TensorGraph>>;
  /** Slots that no later node reads. Their values are released after this node. */
  readonly releases: readonly number[];
}

/** A graph or subgraph: nodes in execution order over a frame of values. */
export interface TensorGraph {
  /** Number of slots of its frame. */
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
