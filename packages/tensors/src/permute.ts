import type { TensorCall } from './define.js';
import { type NumberData, type Numeric, newData, tensorOf } from './inputs.js';
import { canRun, stridedByKernel } from './kernels.js';
import { offsetsOf, type Shape, strides } from './shapes.js';
import { elementCount } from './tensor.js';

/**
 * Copies elements of a tensor to a new tensor of shape `sizes`. Along each axis, neighbors are
 * `steps` elements apart in the source.
 */
export function strided(call: TensorCall, { element, data }: Numeric, sizes: Shape, steps: Shape): Numeric {
  if (canRun(call, sizes.length)) {
    call.budget.take(elementCount(sizes));
    const out = newData(call, element, sizes);
    if (stridedByKernel(call, out, data, sizes, steps)) return tensorOf(element, sizes, out) as Numeric;
  }
  const offsets = offsetsOf(sizes, steps, call);
  const out = newData(call, element, sizes) as NumberData;
  for (let at = 0; at < out.length; at++) out[at] = (data as NumberData)[offsets[at]!]!;
  return tensorOf(element, sizes, out) as Numeric;
}

/** Transposes a matrix. */
export function transposed(call: TensorCall, matrix: Numeric): Numeric {
  const [sizes, steps] = [[...matrix.shape].reverse(), strides(matrix.shape).reverse()];
  return strided(call, matrix, sizes, steps);
}
