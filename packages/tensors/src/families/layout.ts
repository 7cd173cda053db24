import { choiceAttribute, hasAttribute, intAttribute, intsAttribute } from '../attributes.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { onlyElement, tensorInput } from '../inputs.js';
import { allocate, anyInput, copied, type Elements, finished, requiredInts, reshaped } from '../moving.js';
import { forEachIndex, inBlocks, interruptible } from '../pauses.js';
import { checkLengths } from '../sequence-lengths.js';
import { broadcastShape, broadcastStrides, normalizeAxis, shown, strides } from '../shapes.js';
import { elementCount, type Tensor } from '../tensor.js';
import { pickedAxis, view, wholeAxis } from '../view.js';

/** Operators that rearrange the elements of one tensor. */
export const layout = tensorOperators(
  interruptible({ domain: '', operator: 'Transpose', versions: [1, 25], steps: transpose }),
  interruptible({ domain: '', operator: 'Expand', versions: [8, 25], steps: expand }),
  interruptible({ domain: '', operator: 'Tile', versions: [1, 25], steps: tile }),
  interruptible({ domain: '', operator: 'Trilu', versions: [14, 25], steps: trilu }),
  interruptible({ domain: 'com.microsoft', operator: 'Trilu', versions: [1, 1], steps: trilu }),
  interruptible({ domain: '', operator: 'DepthToSpace', versions: [1, 25], steps: depthToSpace }),
  interruptible({ domain: '', operator: 'SpaceToDepth', versions: [1, 25], steps: spaceToDepth }),
  interruptible({ domain: '', operator: 'ReverseSequence', versions: [10, 25], steps: reverseSequence }),
);

function* transpose(call: TensorCall): OperatorSteps {
  const data = anyInput(call, 0);
  const axes = data.shape.map((_, axis) => axis);
  const order = hasAttribute(call, 'perm') ? intsAttribute(call, 'perm') : axes.toReversed();
  if (order.length !== axes.length || axes.some((axis) => !order.includes(axis)))
    throw call.fault(`perm [${order}]`, `a perm that names each of ${axes.length} axes once`);
  const steps = strides(data.shape);
  const axesOf = order.map((axis) => wholeAxis(data.shape[axis]!, steps[axis]!));
  return [yield* view(call, data, axesOf)];
}

function* expand(call: TensorCall): OperatorSteps {
  const data = anyInput(call, 0);
  const shape = broadcastShape([data.shape, requiredInts(call, 1)], call);
  const steps = broadcastStrides(data.shape, shape);
  const axes = shape.map((size, axis) => wholeAxis(size, steps[axis]!));
  return [yield* view(call, data, axes)];
}

function* tile(call: TensorCall): OperatorSteps {
  const data = anyInput(call, 0);
  const repeats = call.opset < 6 ? repeatsOfOneAxis(call, data) : requiredInts(call, 1);
  if (repeats.length !== data.shape.length || repeats.some((times) => times < 0))
    throw call.fault(
      `repeats [${repeats}] of shape ${shown(data.shape)}`,
      'one number of repeats per axis, each 0 or greater',
    );
  const steps = strides(data.shape);
  const axes = data.shape.map((size, axis) => pickedAxis(size * repeats[axis]!, steps[axis]!, (index) => index % size));
  return [yield* view(call, data, axes)];
}

/**
 * Returns the repeats of a Tile node of version 1, which repeats along one axis. Axis and count are
 * inputs of any number type.
 */
function repeatsOfOneAxis(call: TensorCall, data: Tensor): number[] {
  const [tiles, axis] = [1, 2].map((index) => Number(onlyElement(call, anyInput(call, index), `input ${index}`)));
  const repeated = normalizeAxis(axis!, data.shape.length, call);
  return data.shape.map((_, at) => (at === repeated ? tiles! : 1));
}

function* trilu(call: TensorCall): OperatorSteps {
  const data = anyInput(call, 0);
  const [rows, columns] = data.shape.slice(-2);
  if (rows === undefined || columns === undefined)
    throw call.fault(`a tensor of ${data.shape.length} axes`, 'a matrix (2 axes) or a batch of matrices');
  const given = call.inputs[1] === undefined ? 0 : onlyElement(call, tensorInput(call, 1, ['int64']), 'k');
  const diagonal = Number(given);
  const isUpper = intAttribute(call, 'upper', 1) !== 0;
  const made = copied(call, data);
  const zero = (allocate(call, data.element, [1]).data as Elements)[0];
  yield* inBlocks(call, made.data.length, (from, to) => {
    for (let at = from; at < to; at++) {
      const row = Math.floor(at / columns) % rows;
      const offset = (at % columns) - row;
      if (isUpper ? offset < diagonal : offset > diagonal) made.data[at] = zero;
    }
  });
  return [finished(made)];
}

/**
 * Returns the sizes of an image batch and the attribute `blocksize`. `blocksize` must divide the
 * sizes of the given axes. For the axis of the channels (1), the square of `blocksize` must divide
 * the size.
 */
function imageBlocks(call: TensorCall, divided: readonly number[]) {
  const data = anyInput(call, 0);
  const side = intAttribute(call, 'blocksize');
  if (data.shape.length !== 4) throw call.fault(`shape ${shown(data.shape)}`, 'shape [batch, depth, height, width]');
  const isCut = side >= 1 && divided.every((axis) => data.shape[axis]! % (axis === 1 ? side * side : side) === 0);
  if (!isCut)
    throw call.fault(`blocksize ${side} for shape ${shown(data.shape)}`, 'a blocksize that divides the sizes');
  const [batch, depth, height, width] = data.shape as [number, number, number, number];
  return { data, side, batch, depth, height, width };
}

function* depthToSpace(call: TensorCall): OperatorSteps {
  const { data, side, batch, depth, height, width } = imageBlocks(call, [1]);
  const mode = choiceAttribute(call, 'mode', ['DCR', 'CRD'], 'DCR');
  const channels = depth / side / side;
  const source =
    mode === 'DCR' ? [batch, side, side, channels, height, width] : [batch, channels, side, side, height, width];
  const order = mode === 'DCR' ? [0, 3, 4, 1, 5, 2] : [0, 1, 4, 2, 5, 3];
  return [yield* rearranged(call, data, source, order, [batch, channels, height * side, width * side])];
}

function* spaceToDepth(call: TensorCall): OperatorSteps {
  const { data, side, batch, depth, height, width } = imageBlocks(call, [2, 3]);
  const [rows, columns] = [height / side, width / side];
  const source = [batch, depth, rows, side, columns, side];
  return [yield* rearranged(call, data, source, [0, 3, 5, 1, 2, 4], [batch, depth * side * side, rows, columns])];
}

/** Views the elements as shape `source`, permutes the axes, and returns them as shape `target`. */
function* rearranged(
  call: TensorCall,
  data: Tensor,
  source: readonly number[],
  order: readonly number[],
  target: readonly number[],
): OperatorSteps<Tensor> {
  const steps = strides(source);
  const axes = order.map((axis) => wholeAxis(source[axis]!, steps[axis]!));
  return reshaped(yield* view(call, data, axes), target);
}

function* reverseSequence(call: TensorCall): OperatorSteps {
  const data = anyInput(call, 0);
  const [batchAxis, timeAxis] = [intAttribute(call, 'batch_axis', 1), intAttribute(call, 'time_axis', 0)];
  if (data.shape.length < 2 || [batchAxis, timeAxis].toSorted().join() !== '0,1')
    throw call.fault(
      `batch_axis ${batchAxis} and time_axis ${timeAxis} of shape ${shown(data.shape)}`,
      'batch_axis 0 and time_axis 1, or batch_axis 1 and time_axis 0',
    );
  const [batches, times] = [data.shape[batchAxis]!, data.shape[timeAxis]!];
  const lengths = requiredInts(call, 1);
  checkLengths({ shape: [lengths.length], data: lengths }, batches, times, call);
  const made = allocate(call, data.element, data.shape);
  const block = elementCount(data.shape.slice(2));
  const columns = data.shape[1]!;
  const copy = (at: number) => {
    const index = [Math.floor(at / block / columns), Math.floor(at / block) % columns];
    const [time, length] = [index[timeAxis]!, lengths[index[batchAxis]!]!];
    if (time < length) index[timeAxis] = length - 1 - time;
    made.data[at] = data.data[(index[0]! * columns + index[1]!) * block + (at % block)];
  };
  yield* forEachIndex(call, made.data.length, copy);
  return [finished(made)];
}
