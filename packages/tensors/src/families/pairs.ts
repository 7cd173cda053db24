import { type Broadcast, broadcastPair } from '../broadcast.js';
import type { OperatorSteps, TensorCall, TensorOperator } from '../define.js';
import {
  type BigIntData,
  computedAsSteps,
  computedSteps,
  type NumberData,
  type Numeric,
  sameInputs,
} from '../inputs.js';
import { combinedByKernel, type KernelOperation } from '../kernels.js';
import { interruptible } from '../pauses.js';
import type { NumericElement, Tensor } from '../tensor.js';

/** A function of two elements of one type. */
export interface PairFunction {
  /** The equivalent kernel of the addon, for floats. */
  readonly kernel?: KernelOperation;
  readonly number: (a: number, b: number) => number;
  readonly big: (a: bigint, b: bigint) => bigint;
}

/** Returns the two inputs of an operator, both present and of one type. */
export function twoInputs<E extends Tensor['element']>(call: TensorCall, elements: readonly E[]) {
  const [first, second, third] = sameInputs(call, elements);
  if (first !== undefined && second !== undefined && third === undefined) return [first, second] as const;
  throw call.fault(`${call.inputs.length} inputs`, 'two inputs');
}

/**
 * Applies a function to each pair of elements of two tensors. Floats are computed in float64 and
 * rounded once. Integers wrap around.
 */
export function combinedSteps(
  call: TensorCall,
  first: Numeric,
  second: Numeric,
  apply: PairFunction,
  { shape, indexMaps }: Broadcast = broadcastPair(first, second, call),
): OperatorSteps<Tensor> {
  const [a, b] = indexMaps as [(at: number) => number, (at: number) => number];
  const [left, right] = [first.data, second.data] as unknown as [NumberData & BigIntData, NumberData & BigIntData];
  return computedAsSteps(
    call,
    first.element,
    shape,
    (at) => apply.number(left[a(at)]!, right[b(at)]!),
    (at) => apply.big(left[a(at)]!, right[b(at)]!),
  );
}

/** Declares an operator of two inputs of one type with a result of that type. */
export const pair = (
  operator: string,
  elements: readonly NumericElement[],
  since: number,
  functionOf: (call: TensorCall, element: NumericElement) => PairFunction,
): TensorOperator =>
  interruptible({
    domain: '',
    operator,
    versions: [since, 25],
    *steps(call) {
      const [first, second] = twoInputs(call, elements);
      const apply = functionOf(call, first.element);
      const fast = yield* combinedByKernel(call, first, second, apply.kernel);
      return [fast ?? (yield* combinedSteps(call, first, second, apply))];
    },
  });

/** Declares a comparison of two elements of one type. */
export const question = (
  operator: string,
  elements: readonly Tensor['element'][],
  since: number,
  holds: <T extends number | bigint | string>(a: T, b: T) => boolean,
): TensorOperator =>
  interruptible({
    domain: '',
    operator,
    versions: [since, 25],
    *steps(call) {
      const [first, second] = twoInputs(call, elements);
      const { shape, indexMaps } = broadcastPair(first, second, call);
      const [a, b] = indexMaps as [(at: number) => number, (at: number) => number];
      const answer = (at: number) => (holds(first.data[a(at)]!, second.data[b(at)]!) ? 1 : 0);
      return [yield* computedSteps(call, 'bool', shape, answer)];
    },
  });
