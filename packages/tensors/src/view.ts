import { type AxisBlock, inAxisBlocks } from './axis-blocks.js';
import type { OperatorSteps, TensorCall } from './define.js';
import { stridedByKernel } from './kernels.js';
import { allocate, type Elements, finished } from './moving.js';
import { inBlocks } from './pauses.js';
import { strides } from './shapes.js';
import type { Tensor } from './tensor.js';

/**
 * One axis of a view: its size, and `step`, which returns the offset of an index in the source. NaN
 * means that the index is outside the source.
 */
export interface AxisView {
  readonly size: number;
  readonly step: (index: number) => number;
  /** The distance in the source between neighbors, if all neighbors have the same distance. */
  readonly stride?: number;
}

/** Returns an axis with indices 0, 1, 2, ..., whose neighbors are `stride` elements apart. */
export const wholeAxis = (size: number, stride: number): AxisView => ({
  size,
  stride,
  step: (index) => index * stride,
});

/**
 * Returns an axis of `size` entries. `source` maps an index of this axis to an index of the source
 * axis. Neighbors in the source axis are `stride` elements apart.
 */
export const pickedAxis = (size: number, stride: number, source: (index: number) => number): AxisView => ({
  size,
  step: (index) => source(index) * stride,
});

/**
 * Returns the tensor whose element `[i, j, ...]` is the element of `from` at `axes[0].step(i) +
 * axes[1].step(j) + ...`. Most operators that move elements use this function. If a step is NaN,
 * the element is `fill` (default: zero, false or the empty string). Pauses between blocks.
 */
export function* view(
  call: TensorCall,
  from: Tensor,
  axes: readonly AxisView[],
  fill?: unknown,
): OperatorSteps<Tensor> {
  const shape = axes.map((axis) => axis.size);
  const made = allocate(call, from.element, shape);
  if (made.data.length === 0) return finished(made);
  const own = axes.flatMap(({ stride }) => stride ?? []);
  if (own.length === axes.length && (yield* stridedByKernel(call, made.data, from.data, shape, own)))
    return finished(made);
  if (fill !== undefined)
    yield* inBlocks(call, made.data.length, (start, end) => fillWith(made.data, fill, start, end));
  const lines = axes.length === 0 ? [wholeAxis(1, 1)] : axes; // a scalar is one line
  const copy = copierOf(made.data, from.data as Elements, lines);
  yield* inAxisBlocks(
    call,
    lines.map(({ size }) => size),
    copy,
  );
  return finished(made);
}

/** Returns a function that copies the elements of a block of the result from the source. */
function copierOf(target: Elements, source: Elements, axes: readonly AxisView[]): (block: AxisBlock) => void {
  const [last, lead] = [axes.at(-1)!, axes.slice(0, -1)];
  const steps = strides(axes.map(({ size }) => size));
  const tables = lead.map(stepsOf);
  const copyRow = last.stride === undefined ? rowOfSteps(target, source, last) : rowOfStride(target, source, last);
  let at = 0;
  /**
   * Copies entries of an axis. `place` is the offset in the source of the selected entries of the
   * earlier axes.
   */
  const walk = (axis: number, place: number, from: number, to: number) => {
    const table = tables[axis];
    if (table === undefined) {
      if (!Number.isNaN(place)) copyRow(at - from, place, from, to);
      at += to - from;
      return;
    }
    const size = axes[axis + 1]!.size;
    for (let index = from; index < to; index++) walk(axis + 1, place + table[index]!, 0, size);
  };
  return ({ outer, from, to }) => {
    at = outer.reduce((sum, index, axis) => sum + index * steps[axis]!, from * steps[outer.length]!);
    const place = outer.reduce((sum, index, axis) => sum + tables[axis]![index]!, 0);
    walk(outer.length, place, from, to);
  };
}

/**
 * Copies elements `from` to `to` of one line of the last axis: `place` is the index of the line's
 * first element in the source, and `at` its index in the result.
 */
type CopyRow = (at: number, place: number, from: number, to: number) => void;

const stepsOf = ({ size, step }: AxisView): Float64Array =>
  Float64Array.from({ length: size }, (_, index) => step(index));

function rowOfSteps(target: Elements, source: Elements, axis: AxisView): CopyRow {
  const steps = stepsOf(axis);
  return (at, place, from, to) => {
    for (let index = from; index < to; index++) {
      const origin = place + steps[index]!;
      if (!Number.isNaN(origin)) target[at + index] = source[origin];
    }
  };
}

/**
 * Returns a function that copies lines whose elements are `stride` apart. It needs neither a table
 * of offsets nor a check for NaN, which together take half of the time.
 */
function rowOfStride(target: Elements, source: Elements, { stride = 1 }: AxisView): CopyRow {
  return (at, place, from, to) => {
    for (let index = from; index < to; index++) target[at + index] = source[place + index * stride];
  };
}

function fillWith(data: Elements, fill: unknown, from: number, to: number): void {
  for (let place = from; place < to; place++) data[place] = fill;
}
