import type { TensorCall, TensorOperator } from '../define.js';
import { isBig } from '../elements.js';
import { type BigIntData, computedAs, type NumberData, type Numeric, tensorInput } from '../inputs.js';
import { type KernelFunction, mappedByKernel } from '../kernels.js';
import type { NumericElement, Tensor } from '../tensor.js';

/** A function of one element. Without `big` it does not take 64-bit integers. */
export interface ElementFunction {
  /** The same in the addon, for float32. */
  readonly kernel?: KernelFunction | undefined;
  readonly number: (x: number) => number;
  readonly big?: (x: bigint) => bigint;
}

/** A tensor through a function, element by element: computed in float64 and rounded once; integers wrap around. */
export function mapped(call: TensorCall, { element, shape, data }: Numeric, apply: ElementFunction): Tensor {
  const { number, big = () => 0n } = apply;
  return computedAs(
    call,
    element,
    shape,
    (at) => number((data as NumberData)[at]!),
    (at) => big((data as unknown as BigIntData)[at]!),
  );
}

/** An operator of one input that maps its elements. What it reads of the attributes, it reads before the elements. */
export function each(
  operator: string,
  elements: readonly NumericElement[],
  since: number,
  functionOf: (call: TensorCall) => ElementFunction,
): TensorOperator {
  return {
    domain: '',
    operator,
    versions: [since, 25],
    run(call) {
      const input = tensorInput(call, 0, elements);
      const apply = functionOf(call);
      if (isBig(input.element) && apply.big === undefined) throw call.fault(`input 0 of type ${input.element}`);
      return [mappedByKernel(call, input, apply.kernel) ?? mapped(call, input, apply)];
    },
  };
}
