import type { OperatorSteps, TensorCall } from './define.js';
import { inBlocks, withoutPause } from './pauses.js';
import { elementCount } from './tensor.js';

export type Shape = readonly number[];

/**
 * Converts a negative axis to one counted from the front.
 *
 * @throws `call.fault` if a tensor of `rank` axes has no such axis.
 */
export function normalizeAxis(axis: number, rank: number, call: TensorCall): number {
  const counted = axis < 0 ? axis + rank : axis;
  if (Number.isInteger(axis) && counted >= 0 && counted < rank) return counted;
  throw call.fault(`axis ${axis} of a tensor of ${rank} axes`, validAxes(rank));
}

/** Describes the valid axes of a tensor of `rank` axes, for error messages. */
export const validAxes = (rank: number): string =>
  rank === 0 ? 'no axis, because a scalar has none' : `an axis in [-${rank}, ${rank - 1}]`;

/** Returns distinct axes counted from the front, in the given order. */
export function normalizeAxes(axes: readonly number[], rank: number, call: TensorCall): number[] {
  const counted = axes.map((axis) => normalizeAxis(axis, rank, call));
  if (new Set(counted).size === counted.length) return counted;
  throw call.fault(`axes [${axes}] of a tensor of ${rank} axes`, 'axes that are all different');
}

/** Returns the distance between neighbors along each axis of a row-major tensor. */
export function strides(shape: Shape): number[] {
  return shape.map((_, axis) => elementCount(shape.slice(axis + 1)));
}

/**
 * Returns the shape to which all `shapes` broadcast (multidirectional broadcasting). The shapes
 * align at the last axis, and the sizes of an axis must be equal or 1.
 */
export function broadcastShape(shapes: readonly Shape[], call: TensorCall): number[] {
  const rank = Math.max(0, ...shapes.map((shape) => shape.length));
  return Array.from({ length: rank }, (_, axis) => {
    const sizes = shapes.map((shape) => shape[axis - rank + shape.length] ?? 1);
    const size = sizes.find((one) => one !== 1) ?? 1;
    if (sizes.every((one) => one === size || one === 1)) return size;
    throw call.fault(
      `shapes ${shapes.map(shown).join(' and ')}`,
      'shapes whose sizes, aligned at the last axis, are equal or 1',
    );
  });
}

/** Checks that `from` broadcasts to `to` (unidirectional broadcasting). */
export function checkBroadcast(from: Shape, to: Shape, call: TensorCall): void {
  const lead = to.length - from.length;
  if (lead >= 0 && from.every((size, axis) => size === 1 || size === to[lead + axis])) return;
  throw call.fault(
    `shape ${shown(from)} to broadcast to ${shown(to)}`,
    'a shape whose sizes, aligned at the last axis, are equal or 1',
  );
}

/** Returns strides that read a tensor of shape `from` broadcast to `to`: 0 along repeated axes. */
export function broadcastStrides(from: Shape, to: Shape): number[] {
  const own = strides(from);
  const lead = to.length - from.length;
  return to.map((_, axis) => (axis < lead || from[axis - lead] === 1 ? 0 : own[axis - lead]!));
}

/**
 * Returns element offsets for sizes and strides, in row-major order. The array of offsets counts
 * against the budget.
 */
export const offsetsOf = (sizes: Shape, steps: Shape, call: TensorCall): Float64Array =>
  withoutPause(offsetSteps(sizes, steps, call));

/** Does the same as `offsetsOf`, with pauses. */
export function* offsetSteps(sizes: Shape, steps: Shape, call: TensorCall): OperatorSteps<Float64Array> {
  const count = elementCount(sizes);
  call.budget.take(count);
  const offsets = new Float64Array(count);
  if (count === 0) return offsets; // other sizes may be huge
  let filled = 1;
  for (let axis = sizes.length - 1; axis >= 0; axis--) {
    const [block, step] = [filled, steps[axis]!];
    filled = block * sizes[axis]!;
    yield* inBlocks(call, filled - block, (from, to) => {
      // the first `block` offsets are repeated with a shift
      for (let at = from; at < to; at++) offsets[block + at] = offsets[at]! + step;
    });
  }
  return offsets;
}

/** Formats a shape, for example `[2, 3]`. */
export const shown = (shape: Shape): string => `[${shape.join(', ')}]`;
