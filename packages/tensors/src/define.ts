import type { AttributeValue, TensorKernels } from '@brezel/core';
import type { Tensor, TensorValue } from './tensor.js';

/**
 * The attributes of one use of an operator, as plain data, so that a plan can hold them. An integer
 * attribute is a number, and a tensor attribute is a `Tensor`.
 */
export type TensorAttributes = Readonly<Record<string, AttributeValue | Tensor>>;

/**
 * The number of elements that a request may still allocate. Every result takes its elements from
 * the budget before it is allocated.
 */
export interface Budget {
  /**
   * Takes elements from the budget.
   * @throws ERR_FLOUR_LIMIT if fewer than `elements` are left.
   */
  take(elements: number): void;
}

/**
 * One call of an operator: its inputs, its attributes, the number of elements that it may allocate,
 * and the kernels that it may use.
 */
export interface TensorCall {
  /** Inputs in order. A missing optional input is undefined. */
  readonly inputs: readonly (TensorValue | undefined)[];
  readonly attributes: TensorAttributes;
  /** Operator-set version of the model. */
  readonly opset: number;
  /** Number of outputs that the node names. */
  readonly outputs: number;
  readonly budget: Budget;
  /**
   * Fast kernels, which return the same bits as the reference implementations. If undefined, the
   * reference implementations run.
   */
  readonly kernels?: TensorKernels | undefined;
  /**
   * True if the caller reads only types and shapes. The operator may then skip expensive elements,
   * which stay zero.
   */
  readonly onlyShapes?: true;
  /**
   * Returns whether the current slice of time is over. An operator with the function `steps` then
   * pauses. Undefined if the run must not pause.
   */
  readonly isOver?: (() => boolean) | undefined;
  /**
   * Returns an error that names the node: "expected an axis in [-3, 2] at node 'join' (Concat),
   * received axis 4".
   *
   * @param received the inputs or attributes that do not match, as a short noun phrase.
   * @param expected the inputs or attributes that the operator accepts, as a short noun phrase.
   * @param hint what to do. Default: compare the inputs with the exported model.
   */
  fault(received: string, expected: string, hint?: string): Error;
}

/**
 * The reference implementation of one ONNX operator over tensors, as a pure function. It checks
 * shapes at run time, because tensors come from files and callers.
 */
export interface TensorOperator {
  readonly domain: '' | 'ai.onnx.ml' | 'ai.onnx.preview.training' | 'com.microsoft';
  readonly operator: string;
  /** The first and the last operator-set version that `run` supports. */
  readonly versions: readonly [number, number];
  /** Computes the outputs in order. Throws `call.fault` if inputs and attributes do not match. */
  run(call: TensorCall): readonly (TensorValue | undefined)[];
  /**
   * Computes the outputs with pauses: the generator yields when the slice of time is over.
   * Operators whose work can be long have this function (see `interruptible`).
   */
  steps?(call: TensorCall): OperatorSteps;
}

/**
 * A running operator, or a part of its work. It yields when the slice of time is over, and
 * continues when the caller resumes it.
 */
export type OperatorSteps<Result = readonly (TensorValue | undefined)[]> = Generator<undefined, Result, unknown>;

/** Returns the operators unchanged. The call only checks their types. */
export const tensorOperators = (...operators: readonly TensorOperator[]): readonly TensorOperator[] => operators;
