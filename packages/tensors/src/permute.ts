import type { OperatorSteps, TensorCall } from './define.js';
import type { Numeric } from './inputs.js';
import { type Shape, strides } from './shapes.js';
import { elementCount } from './tensor.js';
import { view, wholeAxis } from './view.js';

/**
 * Copies elements of a tensor to a new tensor of shape `sizes`. Along each axis, neighbors are
 * `steps` elements apart in the source. Pauses between blocks.
 */
export function* strided(call: TensorCall, tensor: Numeric, sizes: Shape, steps: Shape): OperatorSteps<Numeric> {
  call.budget.take(elementCount(sizes));
  const axes = sizes.map((size, axis) => wholeAxis(size, steps[axis]!));
  return (yield* view(call, tensor, axes)) as Numeric;
}

/** Transposes a matrix. */
export function transposed(call: TensorCall, matrix: Numeric): OperatorSteps<Numeric> {
  const [sizes, steps] = [[...matrix.shape].reverse(), strides(matrix.shape).reverse()];
  return strided(call, matrix, sizes, steps);
}
