import { intsAttribute } from './attributes.js';
import type { OperatorSteps, TensorCall } from './define.js';
import { roundTo } from './elements.js';
import { type Floats, intsInput, type NumberData, newData, tensorOf } from './inputs.js';
import { BLOCK, inBlocks } from './pauses.js';
import { normalizeAxes, offsetSteps, type Shape, strides } from './shapes.js';
import type { Tensor } from './tensor.js';

/**
 * Returns the axes of a node, counted from the front. The axes are an attribute in older operator
 * sets and input `index` in newer operator sets. Returns undefined if the node has no axes.
 */
export function axesOf(call: TensorCall, rank: number, index = 1): number[] | undefined {
  const axes = call.attributes.axes === undefined ? intsInput(call, index) : intsAttribute(call, 'axes');
  return axes === undefined ? undefined : normalizeAxes(axes, rank, call);
}

/**
 * A view of a tensor as groups of elements along some axes. Element `index` of group `group` is
 * element `starts[group] + steps[index]` of the tensor.
 */
export interface Groups {
  /** Sizes of all axes except the axes of the groups. */
  readonly kept: readonly number[];
  readonly starts: ArrayLike<number>;
  readonly steps: ArrayLike<number>;
}

/**
 * Returns the groups of elements along `axes`. Groups are in row-major order of the other axes. The
 * elements of a group are in row-major order of `axes`.
 */
export function* groupsOf(shape: Shape, axes: readonly number[], call: TensorCall): OperatorSteps<Groups> {
  const own = strides(shape);
  const inside = [...axes].sort((a, b) => a - b);
  const outside = shape.map((_, axis) => axis).filter((axis) => !axes.includes(axis));
  const pick = (list: readonly number[], from: Shape) => list.map((axis) => from[axis]!);
  return {
    kept: pick(outside, shape),
    starts: yield* offsetSteps(pick(outside, shape), pick(outside, own), call),
    steps: yield* offsetSteps(pick(inside, shape), pick(inside, own), call),
  };
}

/** Returns a shape in which `axes` have size 1 (`keep`), or in which they are removed. */
export const reducedShape = (shape: Shape, axes: readonly number[], keep: boolean): number[] =>
  keep ? shape.map((size, axis) => (axes.includes(axis) ? 1 : size)) : shape.filter((_, axis) => !axes.includes(axis));

/**
 * Copies the numbers of a group to `into`, a float64 array that is reused for all groups of a
 * tensor.
 */
function gather(data: NumberData, { steps }: Groups, start: number, into: Float64Array): Float64Array {
  for (let at = 0; at < into.length; at++) into[at] = data[start + steps[at]!]!;
  return into;
}

/**
 * Runs a loop over groups. Pauses between groups. A block of groups has about `BLOCK` elements, but
 * at least one group.
 */
export const overGroups = (
  call: TensorCall,
  { starts, steps }: Groups,
  run: (from: number, to: number) => void,
): OperatorSteps<void> => inBlocks(call, starts.length, run, Math.ceil(BLOCK / (steps.length + 1)));

/**
 * Takes the elements that an operator reads from the budget. A result may be much smaller than the
 * tensor that the operator reads.
 */
export const takeGroups = (call: TensorCall, { starts, steps }: Groups): void =>
  call.budget.take(starts.length * steps.length);

/**
 * Calls `visit` with the numbers of each group, in an array that the next group overwrites. Does
 * not call it if the caller reads only shapes. Does not support 64-bit integers. Pauses between
 * groups.
 */
export function* eachGroup(
  call: TensorCall,
  data: NumberData,
  groups: Groups,
  visit: (values: Float64Array, group: number) => void,
): OperatorSteps<void> {
  call.budget.take(groups.steps.length);
  if (call.onlyShapes) return;
  const values = new Float64Array(groups.steps.length);
  yield* overGroups(call, groups, (from, to) => {
    for (let group = from; group < to; group++) visit(gather(data, groups, groups.starts[group]!, values), group);
  });
}

/**
 * Applies a function to each group of elements along `axes`, and rounds the results once. Pauses
 * between groups.
 */
export function* transformed(
  call: TensorCall,
  { element, shape, data }: Floats,
  axes: readonly number[],
  transform: (values: Float64Array, group: number) => ArrayLike<number>,
): OperatorSteps<Tensor> {
  const groups = yield* groupsOf(shape, axes, call);
  const out = newData(call, element, shape) as NumberData;
  yield* eachGroup(call, data, groups, (values, group) => {
    const results = transform(values, group);
    for (let at = 0; at < values.length; at++) out[groups.starts[group]! + groups.steps[at]!] = results[at]!;
  });
  return tensorOf(element, shape, roundTo(element, out));
}
