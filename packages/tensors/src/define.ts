import type { AttributeValue, TensorKernels } from '@brezel/core';
import type { Tensor, TensorValue } from './tensor.js';

/** Attributes of one use: plain data, so that a plan can hold them. Integers are numbers; a tensor stands for itself. */
export type TensorAttributes = Readonly<Record<string, AttributeValue | Tensor>>;

/** Elements a request may still make: every result is counted before it is allocated. */
export interface Budget {
  /** @throws ERR_FLOUR_LIMIT when fewer than `elements` are left. */
  take(elements: number): void;
}

/** All that an operator sees of one use. */
export interface TensorCall {
  /** Inputs in order; undefined where an optional one is left out. */
  readonly inputs: readonly (TensorValue | undefined)[];
  readonly attributes: TensorAttributes;
  /** Operator-set version of the model. */
  readonly opset: number;
  /** Outputs that the node names, in order. */
  readonly outputs: number;
  readonly budget: Budget;
  /** Fast kernels, with the bits of the definitions. Undefined: the definition is asked for, or there is no addon. */
  readonly kernels?: TensorKernels | undefined;
  /** Only types and shapes of the results are asked for: what costs time may leave their elements zero. */
  readonly onlyShapes?: true;
  /** An error that names the node. `received` tells what does not fit, e.g. `axis 4 of 3`. */
  fault(received: string, hint?: string): Error;
}

/**
 * One ONNX operator over whole tensors, as a pure function: the definition of its answer. Shapes are known at run time only, and checked there:
 * tensors come from files and callers.
 */
export interface TensorOperator {
  readonly domain: '' | 'ai.onnx.ml' | 'ai.onnx.preview.training' | 'com.microsoft';
  readonly operator: string;
  /** Operator-set versions it reads, both ends included. */
  readonly versions: readonly [number, number];
  /** @returns the outputs in order. Throws `call.fault` where inputs and attributes do not fit together. */
  run(call: TensorCall): readonly (TensorValue | undefined)[];
}

/** Declares operators; only types are checked here. */
export const tensorOperators = (...operators: readonly TensorOperator[]): readonly TensorOperator[] => operators;
