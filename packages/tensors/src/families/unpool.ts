import { intsAttribute } from '../attributes.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { floats } from '../elements.js';
import { imageInput } from '../images.js';
import { indexesOf } from '../indices.js';
import { intsInput, tensorInput } from '../inputs.js';
import { allocate, countOf, finished } from '../moving.js';
import { forEachIndex, interruptible } from '../pauses.js';
import { type Shape, shown, strides } from '../shapes.js';
import { listAttribute } from '../spreads.js';
import { elementCount } from '../tensor.js';

export const unpools = tensorOperators(
  interruptible({ domain: '', operator: 'MaxUnpool', versions: [9, 25], steps: maxUnpool }),
);

/**
 * Writes the results of MaxPool back to the positions from which MaxPool took them, and zeros
 * elsewhere. Indices refer to an input of MaxPool with the sizes of `sizesBefore`. A larger
 * `output_shape` appends zeros.
 */
function* maxUnpool(call: TensorCall): OperatorSteps {
  const { image, batch, channels, spatial } = imageInput(call, floats);
  const indices = tensorInput(call, 1, ['int64']);
  if (shown(indices.shape) !== shown(image.shape))
    throw call.fault(`indices of shape ${shown(indices.shape)}`, `indices of shape ${shown(image.shape)}`);
  const from = [batch, channels, ...sizesBefore(call, spatial)];
  const shape = intsInput(call, 2) ?? from;
  const isLarger = shape.length === from.length && shape.every((size, axis) => size >= from[axis]!);
  if (!isLarger) throw call.fault(`output_shape ${shown(shape)}`, `output_shape ${shown(from)} or larger`);
  const count = countOf(call, from);
  const made = allocate(call, image.element, shape);
  const [fromSteps, toSteps] = [strides(from), strides(shape)];
  yield* forEachIndex(call, image.data.length, (at) => {
    const index = Number(indices.data[at]);
    if (index < 0 || index >= count) throw call.fault(`index ${index}`, indexesOf('indexes', count, 'entries'));
    const to = toSteps.reduce(
      (sum, step, axis) => sum + (Math.floor(index / fromSteps[axis]!) % from[axis]!) * step,
      0,
    );
    made.data[to] = image.data[at];
  });
  return [finished(made)];
}

/** Returns the smallest sizes that MaxPool with these windows reduces to `spatial`. */
function sizesBefore(call: TensorCall, spatial: Shape): Shape {
  const kernel = intsAttribute(call, 'kernel_shape');
  const each = (size: number) => spatial.map(() => size);
  if (kernel.length !== spatial.length || elementCount(kernel) < 1)
    throw call.fault(
      `kernel ${shown(kernel)} for the spatial axes ${shown(spatial)}`,
      'one kernel size per spatial axis, each 1 or greater',
    );
  const steps = listAttribute(call, 'strides', each(1), 1);
  const pads = listAttribute(call, 'pads', [...each(0), ...each(0)], 0);
  return spatial.map(
    (size, axis) => (size - 1) * steps[axis]! - pads[axis]! - pads[axis + spatial.length]! + kernel[axis]!,
  );
}
