import type { TensorKernels } from '@brezel/core';
import { type NativeTarget, withPlanName } from '../../plans/native-target.js';

/**
 * Returns the addon's kernels for tensor programs. They run with the same CPU instruction set as
 * the kernels of plans.
 */
export function nativeTensorKernels({ kernels, isa }: NativeTarget): TensorKernels {
  const numberOf = new Map(kernels.tensorKernels().map((name, at) => [name, at]));
  return {
    run: (kernel, tensors, numbers) =>
      withPlanName(`tensor kernel ${kernel}`, () =>
        kernels.tensorRun(isa, numberOf.get(kernel)!, tensors, Float64Array.from(numbers)),
      ),
  };
}
