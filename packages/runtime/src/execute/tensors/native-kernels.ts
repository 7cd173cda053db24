import type { TensorKernels } from '@brezel/core';
import { withPlanName } from '../../plans/kernel-target.js';
import type { Isa, NativeKernels } from '../native/native-kernels.js';

/**
 * Returns the addon's kernels for tensor programs. They run with the same CPU instruction set as
 * the kernels of plans.
 */
export function nativeTensorKernels(kernels: NativeKernels, isa: Isa): TensorKernels {
  const numberOf = new Map(kernels.tensorKernels().map((name, at) => [name, at]));
  return {
    run: (kernel, tensors, numbers) =>
      withPlanName(`tensor kernel ${kernel}`, () =>
        kernels.tensorRun(isa, numberOf.get(kernel)!, tensors, Float64Array.from(numbers)),
      ),
  };
}
