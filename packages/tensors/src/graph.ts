import type { BlackBox, TensorPort } from '@brezel/core';
import type { TensorAttributes } from './define.js';
import type { TensorExecutable } from './executable.js';
import type { Tensor } from './tensor.js';

/** One node of a graph. Values are slots of the graph's frame. */
export interface TensorNode {
  /** Node, operator, domain and version, for errors. */
  readonly at: string;
  readonly execute: TensorExecutable;
  /** Runs it instead of `execute`, asynchronously. Never in subgraphs. */
  readonly blackBox?: BlackBox;
  readonly opset: number;
  readonly attributes: TensorAttributes;
  /** Undefined where an optional input is left out. */
  readonly inputs: readonly (number | undefined)[];
  /** Undefined where nobody asks for the output. */
  readonly outputs: readonly (number | undefined)[];
  readonly bodies: Readonly<Record<string, TensorGraph>>;
  /** Slots that no later node reads: their values are let go after this one. */
  readonly releases: readonly number[];
}

/** A graph or subgraph: nodes in order of use over a frame of values. */
export interface TensorGraph {
  /** Slots of its frame. */
  readonly slots: number;
  readonly inputs: readonly number[];
  readonly constants: readonly { readonly slot: number; readonly tensor: Tensor }[];
  /** Values of the graph around it that it reads. */
  readonly captures: readonly { readonly outer: number; readonly inner: number }[];
  readonly nodes: readonly TensorNode[];
  readonly outputs: readonly number[];
  readonly results: readonly TensorPort[];
}
