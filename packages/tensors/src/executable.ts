import type { TensorKernelName, TensorPort } from '@brezel/core';
import type { TensorCall } from './define.js';
import type { TensorValue } from './tensor.js';

/** A subgraph of a node, ready to run. Values of the graphs around it are bound. */
export interface TensorBody {
  /** How many inputs it takes. */
  readonly inputs: number;
  /** What its outputs are declared to be. */
  readonly results: readonly TensorPort[];
  /** Runs it once. @throws ERR_FLOUR_LIMIT when the request has run too many steps. */
  run(inputs: readonly (TensorValue | undefined)[]): readonly (TensorValue | undefined)[];
}

/** All that an executable sees of one use: what operators see, and the node's subgraphs by attribute. */
export interface NodeCall extends TensorCall {
  readonly bodies: Readonly<Record<string, TensorBody>>;
}

/** What runs a node: a pure function. Every operator's `run` is one. */
export interface TensorExecutable {
  (call: NodeCall): readonly (TensorValue | undefined)[];
  /** The kernel of the addon that it asks first, where there is an addon. For people: it changes no answer. */
  readonly kernel?: TensorKernelName | undefined;
}
