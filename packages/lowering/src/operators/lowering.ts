import type { Attributes, NumericParameter, ParameterValue, ValueType } from '@brezel/core';
import type { Writer } from '../writer.js';

/**
 * How trees become tensors, after Hummingbird (OSDI'20, section 4.2).
 *
 * `gemm` evaluates every comparison of every tree at once, and finds the leaves by matrix products:
 * much arithmetic, but no step waits for another. `traversal` moves all trees from node to node in
 * parallel, as often as the deepest tree requires.
 */
export type ForestStrategy = 'gemm' | 'traversal';

/**
 * A step that is being written into an ONNX graph: what it computes, and the names of its inputs
 * there. Every value has shape `[rows, size]`.
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
  /** Writes the nodes and returns the name of the result. */
  write(use: StepUse): string;
  /** Returns why a use of the operator is unsupported; undefined if it is supported. */
  whyUnsupported?(use: Pick<StepUse, 'attributes' | 'parameters' | 'inputTypes'>): string | undefined;
  /**
   * True if the bits equal those of the reference for equal inputs. Others differ in the order of
   * sums and in functions such as exp.
   */
  readonly exact: boolean;
  /** True if a small difference of the input can change the answer completely. */
  readonly jumps?: true;
}

/** Returns the numbers of a parameter. */
export const floatsOf = (use: Pick<StepUse, 'parameters'>, name: string): Float32Array =>
  (use.parameters[name] as NumericParameter & { dtype: 'float32' }).data;

export const integersOf = (use: Pick<StepUse, 'parameters'>, name: string): Int32Array =>
  (use.parameters[name] as NumericParameter & { dtype: 'int32' }).data;
