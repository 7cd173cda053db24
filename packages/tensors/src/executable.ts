import type { BlackBox, TensorKernelName, TensorPort } from '@brezel/core';
import type { TensorCall } from './define.js';
import type { TensorValue } from './tensor.js';

type Values = readonly (TensorValue | undefined)[];

/**
 * A running graph. It yields at a black box, and continues with the results of this box. It yields
 * undefined where the slice of time is over.
 */
export type TensorSteps = Generator<{ readonly box: BlackBox; readonly inputs: Values } | undefined, Values, Values>;

/** A subgraph of a node, ready to run. Values of outer graphs are bound. */
export interface TensorBody {
  /** Number of inputs. */
  readonly inputs: number;
  /** Declared types of the outputs. */
  readonly results: readonly TensorPort[];
  /**
   * Runs the subgraph once.
   *
   * @throws ERR_FLOUR_LIMIT if the request exceeds its steps.
   */
  run(inputs: Values): Values;
  /** Runs the subgraph once, as `run` does, with pauses. */
  steps(inputs: Values): TensorSteps;
}

/**
 * What an executable sees of one use: the fields of `TensorCall`, and the node's subgraphs by
 * attribute.
 */
export interface NodeCall extends TensorCall {
  readonly bodies: Readonly<Record<string, TensorBody>>;
}

/** A pure function that runs a node. Every operator's `run` is one. */
export interface TensorExecutable {
  (call: NodeCall): Values;
  /** The kernel that the executable tries first if there is an addon. For display only. */
  readonly kernel?: TensorKernelName | undefined;
  /** Runs the node with pauses. Nodes that repeat a subgraph have it. */
  readonly steps?: ((call: NodeCall) => TensorSteps) | undefined;
}
