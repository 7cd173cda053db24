import type { OperatorSteps, TensorCall } from './define.js';
import { BLOCK, inBlocks } from './pauses.js';
import type { Shape } from './shapes.js';
import { elementCount } from './tensor.js';

/** Some entries of one axis, with all entries of the later axes. */
export interface AxisBlock {
  /** The indices on the earlier axes. The axis of the block is the next axis. */
  readonly outer: readonly number[];
  /** The first entry of the axis. */
  readonly from: number;
  /** The entry after the last one. */
  readonly to: number;
}

/**
 * Divides a row-major tensor of at least one axis into blocks of about `block` elements, in order,
 * and runs a function for each block. Pauses between two blocks if the slice of time is over. A run
 * that must not pause has one block.
 */
export function* inAxisBlocks(
  call: TensorCall,
  sizes: Shape,
  run: (block: AxisBlock) => void,
  block = BLOCK,
  outer: readonly number[] = [],
): OperatorSteps<void> {
  const axis = outer.length;
  const size = sizes[axis]!;
  const inner = elementCount(sizes.slice(axis + 1));
  const { isOver } = call;
  if (isOver === undefined || inner <= block) {
    yield* inBlocks(
      call,
      size,
      (from, to) => run({ outer, from, to }),
      Math.max(1, Math.floor(block / Math.max(inner, 1))),
    );
    return;
  }
  for (let index = 0; index < size; index++) {
    yield* inAxisBlocks(call, sizes, run, block, [...outer, index]);
    if (index + 1 < size && isOver()) yield;
  }
}

/** Returns the index of the first element of a block, for the strides of a tensor. */
export const startOfBlock = ({ outer, from }: AxisBlock, steps: Shape): number =>
  outer.reduce((start, index, axis) => start + index * steps[axis]!, from * steps[outer.length]!);
