import { flagAttribute, hasAttribute, intAttribute } from './attributes.js';
import type { TensorCall } from './define.js';
import { broadcastShape, broadcastStrides, checkBroadcast, normalizeAxis, offsetsOf, type Shape } from './shapes.js';
import { elementCount, type Tensor } from './tensor.js';

/** Returns the index of the tensor element from which element `at` of the result is computed. */
export type IndexMap = (at: number) => number;

/**
 * Returns the function from the index of a result element to the index of the tensor element that
 * it reads. The tensor has the shape `from` and is broadcast to `to`.
 */
export function indexMapOf(from: Shape, to: Shape, call: TensorCall): IndexMap {
  if (from.length === to.length && from.every((size, axis) => size === to[axis])) return (at) => at;
  if (from.every((size) => size === 1)) return () => 0;
  const offsets = offsetsOf(to, broadcastStrides(from, to), call);
  return (at) => offsets[at]!;
}

/**
 * Takes the same number of elements from the budget as `indexMapOf`, for callers that do not need
 * the function.
 */
export function chargeIndexMap(from: Shape, to: Shape, call: TensorCall): void {
  const isWhole = from.length === to.length && from.every((size, axis) => size === to[axis]);
  if (!isWhole && from.some((size) => size !== 1)) call.budget.take(elementCount(to));
}

/**
 * The shape of a result of several tensors, and for each tensor the elements that the result reads.
 */
export interface Broadcast {
  readonly shape: readonly number[];
  readonly indexMaps: readonly IndexMap[];
}

/** Broadcasts tensors to their common shape. */
export function broadcast(tensors: readonly Tensor[], call: TensorCall): Broadcast {
  const shapes = tensors.map(({ shape }) => shape);
  const shape = broadcastShape(shapes, call);
  return { shape, indexMaps: shapes.map((from) => indexMapOf(from, shape, call)) };
}

/**
 * Broadcasts the second tensor to the first, as before operator set 7: only with the attribute
 * `broadcast`. The first axis of the second tensor aligns with axis `axis` of the first tensor.
 * Without `axis`, the last axes of both tensors align.
 */
export function oldBroadcast(first: Tensor, second: Tensor, call: TensorCall): Broadcast {
  const { shape } = first;
  const from = flagAttribute(call, 'broadcast', false) ? alignedAt(second.shape, shape, call) : second.shape;
  if (!flagAttribute(call, 'broadcast', false) && from.length !== shape.length)
    throw call.fault(`shapes [${shape}] and [${from}]`, "equal shapes, or the attribute 'broadcast' = 1");
  checkBroadcast(from, shape, call);
  return { shape, indexMaps: [(at) => at, indexMapOf(from, shape, call)] };
}

/** Appends ones to a shape, so that its first axis aligns with axis `axis` of `to`. */
function alignedAt(shape: Shape, to: Shape, call: TensorCall): Shape {
  if (!hasAttribute(call, 'axis')) return shape;
  const axis = normalizeAxis(intAttribute(call, 'axis'), Math.max(to.length, 1), call);
  const behind = to.length - axis - shape.length;
  if (behind < 0)
    throw call.fault(
      `shape [${shape}] from axis ${axis} of [${to}]`,
      'a second shape that ends inside the first shape',
    );
  return [...shape, ...new Array<number>(behind).fill(1)];
}

/** Broadcasts two tensors in the way that the model's operator set defines. */
export const broadcastPair = (first: Tensor, second: Tensor, call: TensorCall): Broadcast =>
  call.opset < 7 ? oldBroadcast(first, second, call) : broadcast([first, second], call);
