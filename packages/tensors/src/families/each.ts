import type { OperatorSteps, TensorCall, TensorOperator } from '../define.js';
import { isBig } from '../elements.js';
import { type BigIntData, computedAsSteps, type NumberData, type Numeric, tensorInput } from '../inputs.js';
import { type KernelFunction, mappedByKernel } from '../kernels.js';
import { interruptible } from '../pauses.js';
import type { NumericElement, Tensor } from '../tensor.js';

/** A function of one element. 64-bit integers are rejected if `big` is missing. */
export interface ElementFunction {
  /** The equivalent kernel of the addon, for float32. */
  readonly kernel?: KernelFunction | undefined;
  readonly number: (x: number) => number;
  readonly big?: (x: bigint) => bigint;
}

/**
 * Applies a function to each element. Floats are computed in float64 and rounded once. Integers
 * wrap around.
 */
export function mappedSteps(
  call: TensorCall,
  { element, shape, data }: Numeric,
  apply: ElementFunction,
): OperatorSteps<Tensor> {
  const { number, big = () => 0n } = apply;
  return computedAsSteps(
    call,
    element,
    shape,
    (at) => number((data as NumberData)[at]!),
    (at) => big((data as unknown as BigIntData)[at]!),
  );
}

/**
 * Declares an operator that maps the elements of one input. Attributes are read before the
 * elements.
 */
export function each(
  operator: string,
  elements: readonly NumericElement[],
  since: number,
  functionOf: (call: TensorCall) => ElementFunction,
): TensorOperator {
  return interruptible({
    domain: '',
    operator,
    versions: [since, 25],
    *steps(call) {
      const input = tensorInput(call, 0, elements);
      const apply = functionOf(call);
      if (isBig(input.element) && apply.big === undefined)
        throw call.fault(`input 0 of type ${input.element}`, 'input 0 of a type other than int64 and uint64');
      const fast = yield* mappedByKernel(call, input, apply.kernel);
      return [fast ?? (yield* mappedSteps(call, input, apply))];
    },
  });
}
