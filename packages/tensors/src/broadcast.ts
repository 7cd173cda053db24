import { flagAttribute, hasAttribute, intAttribute } from './attributes.js';
import type { TensorCall } from './define.js';
import { broadcastShape, broadcastStrides, checkBroadcast, normalizeAxis, offsetsOf, type Shape } from './shapes.js';
import { elementCount, type Tensor } from './tensor.js';

/** Tells where the element lies that element `at` of a result reads. */
export type Place = (at: number) => number;

/** Places in a tensor of shape `from` that is repeated to `to`, which it fits. */
export function placesOf(from: Shape, to: Shape, call: TensorCall): Place {
  if (from.length === to.length && from.every((size, axis) => size === to[axis])) return (at) => at;
  if (from.every((size) => size === 1)) return () => 0;
  const offsets = offsetsOf(to, broadcastStrides(from, to), call);
  return (at) => offsets[at]!;
}

/** Takes from the budget what `placesOf` takes: for those who read the tensor without it. */
export function takePlaces(from: Shape, to: Shape, call: TensorCall): void {
  const isWhole = from.length === to.length && from.every((size, axis) => size === to[axis]);
  if (!isWhole && from.some((size) => size !== 1)) call.budget.take(elementCount(to));
}

/** The shape of a result of several tensors, and for each of them where its elements lie. */
export interface Broadcast {
  readonly shape: readonly number[];
  readonly places: readonly Place[];
}

/** Tensors repeated against each other. */
export function broadcast(tensors: readonly Tensor[], call: TensorCall): Broadcast {
  const shapes = tensors.map(({ shape }) => shape);
  const shape = broadcastShape(shapes, call);
  return { shape, places: shapes.map((from) => placesOf(from, shape, call)) };
}

/**
 * The second of two tensors repeated to the first, as before operator set 7: only where the attribute `broadcast` says so, its axes beside those of
 * the first from `axis` on, or at the end.
 */
export function oldBroadcast(first: Tensor, second: Tensor, call: TensorCall): Broadcast {
  const { shape } = first;
  const from = flagAttribute(call, 'broadcast', false) ? placedAt(second.shape, shape, call) : second.shape;
  if (!flagAttribute(call, 'broadcast', false) && from.length !== shape.length)
    throw call.fault(`shapes [${shape}] and [${from}]`, "this operator set repeats nothing without 'broadcast'");
  checkBroadcast(from, shape, call);
  return { shape, places: [(at) => at, placesOf(from, shape, call)] };
}

/** A shape with ones after it, so that its first axis lies beside axis `axis` of `to`. */
function placedAt(shape: Shape, to: Shape, call: TensorCall): Shape {
  if (!hasAttribute(call, 'axis')) return shape;
  const axis = normalizeAxis(intAttribute(call, 'axis'), Math.max(to.length, 1), call);
  const behind = to.length - axis - shape.length;
  if (behind < 0) throw call.fault(`shape [${shape}] from axis ${axis} of [${to}]`);
  return [...shape, ...new Array<number>(behind).fill(1)];
}

/** Two tensors against each other, in the way of the model's operator set. */
export const broadcastPair = (first: Tensor, second: Tensor, call: TensorCall): Broadcast =>
  call.opset < 7 ? oldBroadcast(first, second, call) : broadcast([first, second], call);
