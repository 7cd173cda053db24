import type { BlackBox, TensorKernelName, TensorPort } from '@brezel/core';
import type { TensorCall } from './define.js';
import type { TensorValue } from './tensor.js';

type Values = readonly (TensorValue | undefined)[];

/**
 * A running graph. At a black box it yields the box and its inputs, and continues when it receives
 * the results. When the slice of time is over, it yields undefined.
 */
export type TensorSteps = Generator<{ readonly box: BlackBox; readonly inputs: Values } | undefined, Values, Values>;

/** A subgraph of a node, ready to run. It already has the values of outer graphs that it reads. */
export interface TensorBody {
  /** Number of inputs. */
  readonly inputs: number;
  /** Declared types of the outputs. */
  readonly results: readonly TensorPort[];
  /**
   * Runs the subgraph once, with pauses (see `TensorSteps`).
   *
   * @throws ERR_FLOUR_LIMIT if the request exceeds its limit `maxSteps`.
   */
  steps(inputs: Values): TensorSteps;
}

/**
 * One call of an executable: the fields of `TensorCall`, and the node's subgraphs by attribute
 * name.
 */
export interface NodeCall extends TensorCall {
  readonly bodies: Readonly<Record<string, TensorBody>>;
}

/** A pure function that runs a node, such as the `run` of an operator. */
export interface TensorExecutable {
  (call: NodeCall): Values;
  /** The kernel that the executable tries first if the addon is loaded. EXPLAIN shows it. */
  readonly kernel?: TensorKernelName | undefined;
  /**
   * Runs the node with pauses (see `TensorSteps`). Nodes with subgraphs have this function, and
   * operators whose work can be long.
   */
  readonly steps?: ((call: NodeCall) => TensorSteps) | undefined;
}
