import type { Attributes, NumericParameter, ParameterValue, ValueType } from '@brezel/core';
import type { Writer } from '../writer.js';

/**
 * How trees become tensors, after Hummingbird (OSDI'20, section 4.2). `gemm`: every comparison of every tree at once, and products that tell which leaf
 * all of them mean; much arithmetic, no step waits for another. `traversal`: all trees step from node to node side by side, as often as the
 * deepest is deep.
 */
export type ForestStrategy = 'gemm' | 'traversal';

/** A step on its way into an ONNX graph: what it computes, and the names of its inputs there. Every value is `[rows, size]`. */
export interface StepUse {
  readonly writer: Writer;
  readonly inputs: readonly string[];
  readonly inputTypes: readonly ValueType[];
  readonly type: ValueType;
  readonly attributes: Attributes;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  readonly forest: ForestStrategy | 'auto';
}

/** How an operator is written as tensors. */
export interface Lowering {
  /** Writes the nodes, and gives the name of the answer. */
  write(use: StepUse): string;
  /** Why a use of the operator cannot be written; undefined where it can. */
  refuse?(use: Pick<StepUse, 'attributes' | 'parameters' | 'inputTypes'>): string | undefined;
  /** The same bits as the reference for the same input; others differ in the order of sums and in functions like exp. */
  readonly exact: boolean;
  /** A small difference of the input may give quite another answer. */
  readonly jumps?: true;
}

/** Numbers of a parameter. */
export const floatsOf = (use: Pick<StepUse, 'parameters'>, name: string): Float32Array =>
  (use.parameters[name] as NumericParameter & { dtype: 'float32' }).data;

export const integersOf = (use: Pick<StepUse, 'parameters'>, name: string): Int32Array =>
  (use.parameters[name] as NumericParameter & { dtype: 'int32' }).data;
