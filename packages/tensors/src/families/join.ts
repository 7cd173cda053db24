import { hasAttribute, intAttribute, intsAttribute } from '../attributes.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { intsInput } from '../inputs.js';
import { allocate, anyInput, type Elements, finished } from '../moving.js';
import { BLOCK, forEachIndex, inBlocks, interruptible } from '../pauses.js';
import { normalizeAxes, normalizeAxis, shown, strides } from '../shapes.js';
import { elementCount, type Tensor } from '../tensor.js';
import { pickedAxis, view, wholeAxis } from '../view.js';

/** Operators that join and split tensors. */
export const join = tensorOperators(
  interruptible({ domain: '', operator: 'Concat', versions: [1, 25], steps: concat }),
  interruptible({ domain: '', operator: 'Split', versions: [1, 25], steps: split }),
  interruptible({ domain: '', operator: 'Slice', versions: [1, 25], steps: slice }),
);

function* concat(call: TensorCall): OperatorSteps {
  const tensors = call.inputs.map((_, index) => anyInput(call, index));
  const defaultAxis = call.opset < 4 ? 1 : undefined; // only version 1 has a default
  const axis = intAttribute(call, 'axis', defaultAxis);
  return [yield* concatenate(call, tensors, axis)];
}

/**
 * Concatenates tensors of one element type along an axis. Other axes have equal sizes. Pauses
 * between blocks.
 */
export function* concatenate(call: TensorCall, tensors: readonly Tensor[], givenAxis: number): OperatorSteps<Tensor> {
  const [first] = tensors;
  if (first === undefined) throw call.fault('no tensors', 'at least one tensor');
  const axis = normalizeAxis(givenAxis, first.shape.length, call);
  for (const { element, shape } of tensors) {
    const fits =
      shape.length === first.shape.length && shape.every((size, at) => at === axis || size === first.shape[at]);
    if (element !== first.element || !fits)
      throw call.fault(
        `${element} ${shown(shape)} beside ${first.element} ${shown(first.shape)}`,
        `tensors of one type, with equal sizes except along axis ${axis}`,
      );
  }
  const size = tensors.reduce((sum, { shape }) => sum + shape[axis]!, 0);
  const made = allocate(call, first.element, first.shape.with(axis, size));
  const block = elementCount(first.shape.slice(axis + 1));
  const blocks = made.data.length === 0 ? 0 : elementCount(first.shape.slice(0, axis));
  const line = size * block;
  let start = 0;
  for (const { shape, data } of tensors) {
    const [width, first] = [shape[axis]! * block, start];
    const lines = Math.max(1, Math.floor(BLOCK / (width + 1)));
    if (width > BLOCK) {
      for (let outer = 0; outer < blocks; outer++)
        yield* inBlocks(call, width, (from, to) =>
          copyInto(made.data, outer * line + first + from, data, outer * width + from, to - from),
        );
    } else {
      const copyLine = (outer: number) => copyInto(made.data, outer * line + first, data, outer * width, width);
      yield* forEachIndex(call, blocks, copyLine, lines);
    }
    start += width;
    if (call.isOver?.()) yield;
  }
  return finished(made);
}

/** A block of at least this many numbers is copied faster by `set` than in a loop. */
const LEAST_SET = 32;

function copyInto(target: Elements, at: number, source: Tensor['data'], from: number, count: number): void {
  if (count >= LEAST_SET && ArrayBuffer.isView(target))
    (target as unknown as Float32Array).set((source as Float32Array).subarray(from, from + count), at);
  else for (let index = 0; index < count; index++) target[at + index] = source[from + index];
}

/** Returns `size` entries of an axis, from entry `from` on. */
export function cut(call: TensorCall, data: Tensor, axis: number, from: number, size: number): OperatorSteps<Tensor> {
  const steps = strides(data.shape);
  const axes = data.shape.map((whole, at) =>
    at === axis ? pickedAxis(size, steps[at]!, (index) => from + index) : wholeAxis(whole, steps[at]!),
  );
  return view(call, data, axes);
}

function* split(call: TensorCall): OperatorSteps {
  const data = anyInput(call, 0);
  const axis = normalizeAxis(intAttribute(call, 'axis', 0), data.shape.length, call);
  const size = data.shape[axis]!;
  const sizes = givenSizes(call) ?? equalSizes(call, size);
  const sum = sizes.reduce((total, part) => total + part, 0);
  if (sizes.length !== call.outputs || sum !== size || sizes.some((part) => part < 0))
    throw call.fault(
      `parts [${sizes}] of axis ${axis} of ${shown(data.shape)}`,
      `${call.outputs} part sizes of 0 or greater with the sum ${size}`,
    );
  return yield* cutAll(call, data, axis, sizes);
}

/** Splits a tensor into parts along an axis. */
export function* cutAll(
  call: TensorCall,
  data: Tensor,
  axis: number,
  sizes: readonly number[],
): OperatorSteps<Tensor[]> {
  const parts: Tensor[] = [];
  let from = 0;
  for (const part of sizes) {
    parts.push(yield* cut(call, data, axis, from, part));
    from += part;
    if (call.isOver?.()) yield;
  }
  return parts;
}

/**
 * Returns the sizes of the parts of a Split node. The sizes are an input since version 13, and an
 * attribute in older versions. In version 1 they may be either.
 */
function givenSizes(call: TensorCall): readonly number[] | undefined {
  if (call.opset < 13 && hasAttribute(call, 'split')) return intsAttribute(call, 'split');
  return call.opset === 1 || call.opset >= 13 ? intsInput(call, 1) : undefined;
}

/**
 * Returns equal sizes for the parts of a Split node. Since version 18, the last part may be
 * smaller.
 */
function equalSizes(call: TensorCall, size: number): number[] {
  const parts = call.opset < 18 ? call.outputs : intAttribute(call, 'num_outputs', call.outputs);
  if (parts !== call.outputs)
    throw call.fault(`num_outputs ${parts}`, `num_outputs ${call.outputs}, the number of outputs of the node`);
  if (call.opset < 18 && size % parts !== 0)
    throw call.fault(
      `${size} entries for ${parts} equal parts`,
      'a number of parts that divides the size',
      "set the sizes of the parts with the attribute 'split'",
    );
  const part = Math.ceil(size / parts);
  return Array.from({ length: parts }, (_, at) => (at < parts - 1 ? part : size - part * (parts - 1)));
}

export function* slice(call: TensorCall): OperatorSteps<Tensor[]> {
  const data = anyInput(call, 0);
  const list = (name: string, index: number) => {
    if (call.opset >= 10) return intsInput(call, index);
    return hasAttribute(call, name) ? intsAttribute(call, name) : undefined;
  };
  const [starts, ends] = [list('starts', 1), list('ends', 2)];
  if (starts === undefined || ends === undefined) throw call.fault('no starts or ends', 'the inputs starts and ends');
  const axes = normalizeAxes(list('axes', 3) ?? starts.map((_, axis) => axis), data.shape.length, call);
  const steps = (call.opset >= 10 ? list('steps', 4) : undefined) ?? starts.map(() => 1);
  if ([ends, axes, steps].some((each) => each.length !== starts.length) || steps.includes(0))
    throw call.fault(
      `${starts.length} starts, ${ends.length} ends, ${axes.length} axes, steps [${steps}]`,
      'one start, end and step per axis, and steps other than 0',
    );
  const distances = strides(data.shape);
  const views = data.shape.map((size, axis) => {
    const which = axes.indexOf(axis);
    if (which < 0) return wholeAxis(size, distances[axis]!);
    const step = steps[which]!;
    const [from, to] = rangeOf(size, starts[which]!, ends[which]!, step);
    const count = Math.max(Math.ceil((to - from) / step), 0);
    return pickedAxis(count, distances[axis]!, (index) => from + index * step);
  });
  return [yield* view(call, data, views)];
}

/**
 * Returns the range of a slice. Negative positions count from the end, and positions out of range
 * are clamped. With a negative step, a start before the first entry is clamped to it, as ONNX
 * documents; numpy returns nothing.
 */
function rangeOf(size: number, start: number, end: number, step: number): [from: number, to: number] {
  const clamped = (position: number, least: number, most: number) =>
    Math.min(Math.max(position < 0 ? position + size : position, least), most);
  return step > 0
    ? [clamped(start, 0, size), clamped(end, 0, size)]
    : [clamped(start, 0, size - 1), clamped(end, -1, size - 1)];
}
