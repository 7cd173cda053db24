import type { OperatorSteps, TensorCall } from './define.js';
import { BLOCK, forEachIndex, inBlocks } from './pauses.js';

type Compare = (a: number, b: number) => number;

/** A comparison counts like this many elements of a block, because it takes as long. */
const COMPARISON = 8;

/**
 * Returns the indices from 0 to `size - 1` in the order of `compare`, like the stable sort of
 * JavaScript. Sorts lists of at most a block, then merges neighbors, with pauses.
 *
 * @param width the number of elements that a comparison may read.
 */
export function* sortedIndices(
  call: TensorCall,
  size: number,
  compare: Compare,
  width = 1,
): OperatorSteps<ArrayLike<number>> {
  const block = Math.ceil(BLOCK / COMPARISON / Math.max(width, 1));
  const indices = Array.from({ length: size }, (_, index) => index);
  if (call.isOver === undefined || size <= block) return indices.sort(compare);
  let [from, to] = [new Float64Array(size), new Float64Array(size)];
  const sortPart = (start: number, end: number) => from.set(indices.slice(start, end).sort(compare), start);
  yield* inBlocks(call, size, sortPart, block);
  for (let length = block; length < size; length *= 2) {
    yield* forEachIndex(call, size, merger(from, to, length, compare), block);
    [from, to] = [to, from];
  }
  return from;
}

/**
 * Returns the function that writes the elements of `to`, one after another: sorted lists of `2 *
 * length` elements, which it merges from the sorted lists of `length` elements in `from`.
 */
function merger(from: Float64Array, to: Float64Array, length: number, compare: Compare): (at: number) => void {
  let [left, leftEnd, right, rightEnd] = [0, 0, 0, 0];
  return (at) => {
    if (at === rightEnd) {
      [left, leftEnd] = [at, Math.min(at + length, from.length)];
      [right, rightEnd] = [leftEnd, Math.min(leftEnd + length, from.length)];
    }
    const isLeft = left < leftEnd && (right === rightEnd || compare(from[left]!, from[right]!) <= 0);
    to[at] = isLeft ? from[left++]! : from[right++]!;
  };
}
