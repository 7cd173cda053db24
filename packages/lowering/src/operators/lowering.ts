import type { Attributes, NumericParameter, ParameterValue, ValueType } from '@brezel/core';
import type { Writer } from '../writer.js';

/**
 * Two ways to compute trees with tensor operators, from Hummingbird (OSDI'20, section 4.2).
 *
 * `gemm` evaluates every comparison of every tree together, and finds the leaves with matrix
 * products. It does more arithmetic than necessary, but no comparison waits for another.
 * `traversal` moves from node to node in all trees in parallel, as many times as the deepest tree
 * has levels.
 */
export type ForestStrategy = 'gemm' | 'traversal';

/**
 * An operator of a stage that is written to an ONNX graph. `inputs` are the names of its inputs in
 * the graph. Every value has the shape `[rows, size]`.
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

/** How an operator is written as nodes of an ONNX graph. */
export interface Lowering {
  /** Writes the nodes of the operator. Returns the name of the result. */
  write(use: StepUse): string;
  /**
   * The attributes that `write` supports. A use with any other attribute stays on the CPU, unless
   * the attribute is false or has its value in `defaults`. Default: none.
   */
  readonly attributes?: readonly string[];
  /** Values of attributes that have the same effect as a missing attribute. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** Returns why a use of the operator is unsupported, or undefined if it is supported. */
  whyUnsupported?(use: Pick<StepUse, 'attributes' | 'parameters' | 'inputTypes'>): string | undefined;
  /**
   * Whether the device computes the same bits as the reference. Other operators add in another
   * order, or use functions such as exp, which differ between backends.
   */
  readonly exact: boolean;
  /**
   * True if a small difference of the input can change the result completely, as in a forest or
   * argmax.
   */
  readonly jumps?: true;
}

/** Returns the numbers of a float32 parameter. */
export const floatsOf = (use: Pick<StepUse, 'parameters'>, name: string): Float32Array =>
  (use.parameters[name] as NumericParameter & { dtype: 'float32' }).data;

export const integersOf = (use: Pick<StepUse, 'parameters'>, name: string): Int32Array =>
  (use.parameters[name] as NumericParameter & { dtype: 'int32' }).data;
