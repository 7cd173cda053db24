import type { Attributes, NumericParameter, ParameterValue, ValueType } from '@brezel/core';
import type { Writer } from '../writer.js';

/**
 * How trees become tensors, as in Hummingbird (OSDI'20, section 4.2).
 *
 * `gemm` evaluates every comparison of every tree together, and finds the leaves by matrix
 * products. It needs much arithmetic, but no step waits for another. `traversal` moves from node to
 * node in all trees in parallel, as many times as the deepest tree has levels.
 */
export type ForestStrategy = 'gemm' | 'traversal';

/**
 * A step that is being written into an ONNX graph: what it computes, and the names of its inputs in
 * the graph. Every value has shape `[rows, size]`.
 */
export interface StepUse {
  readonly writer: Writer;
  readonly inputs: readonly string[];
  readonly inputTypes: readonly ValueType[];
  readonly type: ValueType;
  readonly attributes: Attributes;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  readonly forest: ForestStrategy | 'auto';
}

/** Describes how an operator is written as tensors. */
export interface Lowering {
  /** Writes the nodes of the operator. Returns the name of the result. */
  write(use: StepUse): string;
  /** Returns why a use of the operator is unsupported, or undefined if it is supported. */
  whyUnsupported?(use: Pick<StepUse, 'attributes' | 'parameters' | 'inputTypes'>): string | undefined;
  /**
   * Whether the result has the bits of the reference for equal inputs. Inexact operators differ in
   * the order of sums, and in functions such as exp.
   */
  readonly exact: boolean;
  /** Whether a small difference of the input can change the answer completely. */
  readonly jumps?: true;
}

/** Returns the numbers in a parameter. */
export const floatsOf = (use: Pick<StepUse, 'parameters'>, name: string): Float32Array =>
  (use.parameters[name] as NumericParameter & { dtype: 'float32' }).data;

export const integersOf = (use: Pick<StepUse, 'parameters'>, name: string): Int32Array =>
  (use.parameters[name] as NumericParameter & { dtype: 'int32' }).data;
