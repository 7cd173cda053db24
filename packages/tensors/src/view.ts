import type { TensorCall } from './define.js';
import { stridedByKernel } from './kernels.js';
import { allocate, type Elements, finished } from './moving.js';
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
 * Returns an axis of `size` entries. `source` returns the index of an entry in the source axis,
 * whose neighbors are `stride` elements apart.
 */
export const pickedAxis = (size: number, stride: number, source: (index: number) => number): AxisView => ({
  size,
  step: (index) => source(index) * stride,
});

/**
 * Returns the tensor whose element `[i, j, ...]` is the element of `from` at `axes[0].step(i) +
 * axes[1].step(j) + ...`. Most operators that move elements use this function. If a step is NaN,
 * the element is `fill` (default: zero, false or the empty string).
 */
export function view(call: TensorCall, from: Tensor, axes: readonly AxisView[], fill?: unknown): Tensor {
  const shape = axes.map((axis) => axis.size);
  const made = allocate(call, from.element, shape);
  if (made.data.length === 0) return finished(made);
  const own = axes.flatMap(({ stride }) => stride ?? []);
  if (own.length === axes.length && stridedByKernel(call, made.data, from.data, shape, own)) return finished(made);
  if (fill !== undefined) fillWith(made.data, fill);
  const source = from.data as Elements;
  const [last, outer] = [axes.at(-1) ?? wholeAxis(1, 1), axes.slice(0, -1)]; // a scalar is one row
  const copyRow =
    last.stride === undefined ? rowOfSteps(made.data, source, last) : rowOfStride(made.data, source, last);
  const tables = outer.map(stepsOf);
  let at = 0;
  const walk = (axis: number, place: number) => {
    const table = tables[axis];
    if (table !== undefined) {
      for (const step of table) walk(axis + 1, place + step);
      return;
    }
    if (!Number.isNaN(place)) copyRow(at, place);
    at += last.size;
  };
  walk(0, 0);
  return finished(made);
}

/**
 * Copies one line of the last axis: `place` is the index of its first element in the source, and
 * `at` the index in the result.
 */
type CopyRow = (at: number, place: number) => void;

const stepsOf = ({ size, step }: AxisView): Float64Array =>
  Float64Array.from({ length: size }, (_, index) => step(index));

function rowOfSteps(target: Elements, source: Elements, axis: AxisView): CopyRow {
  const steps = stepsOf(axis);
  return (at, place) => {
    for (let index = 0; index < steps.length; index++) {
      const from = place + steps[index]!;
      if (!Number.isNaN(from)) target[at + index] = source[from];
    }
  };
}

/**
 * Returns a function that copies lines whose elements are `stride` apart. It needs neither a table
 * of offsets nor a check for NaN, which together take half of the time.
 */
function rowOfStride(target: Elements, source: Elements, { size, stride = 1 }: AxisView): CopyRow {
  return (at, place) => {
    for (let index = 0; index < size; index++) target[at + index] = source[place + index * stride];
  };
}

function fillWith(data: Elements, fill: unknown): void {
  for (let place = 0; place < data.length; place++) data[place] = fill;
}
