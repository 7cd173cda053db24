import type { TensorKernelName, TensorPort } from '@brezel/core';
import type { TensorCall } from './define.js';
import type { TensorValue } from './tensor.js';

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
  run(inputs: readonly (TensorValue | undefined)[]): readonly (TensorValue | undefined)[];
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
  (call: NodeCall): readonly (TensorValue | undefined)[];
  /** The kernel that the executable tries first if there is an addon. For display only. */
  readonly kernel?: TensorKernelName | undefined;
}
