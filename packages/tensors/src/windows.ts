import { choiceAttribute, hasAttribute, intsAttribute, isOne } from './attributes.js';
import type { TensorCall } from './define.js';
import { countOf } from './moving.js';
import { type Shape, shown, strides } from './shapes.js';
import { elementCount } from './tensor.js';

/** How a window moves over the spatial axes of a tensor `[batch, channels, ...spatial]`. */
export interface Windows {
  /** Sizes of the spatial axes. */
  readonly from: Shape;
  /** The number of windows along each spatial axis. */
  readonly to: Shape;
  readonly kernel: Shape;
  readonly steps: Shape;
  readonly dilations: Shape;
  /** Padding before the first entry of each axis. */
  readonly before: Shape;
  /** Padding after the last entry of each axis. */
  readonly after: Shape;
}

export function windowsOf(call: TensorCall, from: Shape, kernel: Shape): Windows {
  const list = (name: string, otherwise: number) =>
    hasAttribute(call, name) ? intsAttribute(call, name) : from.map(() => otherwise);
  const [steps, dilations] = [list('strides', 1), list('dilations', 1)];
  const each = [kernel, steps, dilations];
  if (each.some((sizes) => sizes.length !== from.length || sizes.some((size) => size < 1)))
    throw call.fault(
      `kernel ${shown(kernel)}, strides ${shown(steps)}, dilations ${shown(dilations)} for the spatial axes ${shown(from)}`,
      'one number per spatial axis, each 1 or greater',
    );
  const reach = kernel.map((size, axis) => (size - 1) * dilations[axis]! + 1);
  const [before, after] = padsOf(call, from, reach, steps);
  const isCeiled = isOne(call, 'ceil_mode', false);
  const to = from.map((size, axis) => {
    const positions = (size + before[axis]! + after[axis]! - reach[axis]!) / steps[axis]!;
    const count = (isCeiled ? Math.ceil(positions) : Math.floor(positions)) + 1;
    // A window that starts after the last entry is dropped.
    return isCeiled && (count - 1) * steps[axis]! >= size + before[axis]! ? count - 1 : count;
  });
  if (to.some((count) => count < 1))
    throw call.fault(
      `kernel ${shown(kernel)} for the spatial axes ${shown(from)}`,
      'a kernel that fits into the padded input',
    );
  return { from, to, kernel, steps, dilations, before, after };
}

function padsOf(call: TensorCall, from: Shape, reach: Shape, steps: Shape): readonly [before: Shape, after: Shape] {
  const mode = choiceAttribute(call, 'auto_pad', ['NOTSET', 'SAME_UPPER', 'SAME_LOWER', 'VALID'], 'NOTSET');
  const none = from.map(() => 0);
  if (mode === 'VALID') return [none, none];
  if (mode === 'NOTSET') {
    const pads = hasAttribute(call, 'pads') ? intsAttribute(call, 'pads') : [...none, ...none];
    if (pads.length !== 2 * from.length || pads.some((size) => size < 0))
      throw call.fault(
        `pads [${pads}] for ${from.length} spatial axes`,
        'the pads before each spatial axis, then the pads after each spatial axis, all 0 or greater',
      );
    return [pads.slice(0, from.length), pads.slice(from.length)];
  }
  const totals = from.map((size, axis) =>
    Math.max((Math.ceil(size / steps[axis]!) - 1) * steps[axis]! + reach[axis]! - size, 0),
  );
  const less = totals.map((total) => Math.floor(total / 2));
  const more = totals.map((total) => Math.ceil(total / 2));
  return mode === 'SAME_UPPER' ? [less, more] : [more, less];
}

/**
 * The entries that each window covers. Window `w` (row-major) has the elements `starts[w]` to
 * `starts[w + 1]` of both arrays, in the order of the kernel. The arrays are flat, because they are
 * read millions of times.
 */
export interface Covered {
  readonly starts: Int32Array;
  /** For each covered entry, the index of the kernel entry. */
  readonly entries: Int32Array;
  /** For each covered entry, its index in the spatial axes, or -1 in the padding. */
  readonly positions: Int32Array;
}

/**
 * Takes the entries of all windows from the budget. Returns the number of windows and the number of
 * entries of each window.
 */
export function takeWindows(call: TensorCall, { to, kernel }: Windows): readonly [count: number, size: number] {
  const [count, size] = [countOf(call, to), countOf(call, kernel)];
  call.budget.take(count * size);
  return [count, size];
}

/**
 * Returns the entries under each window. Every entry counts against the budget, because the model
 * file determines the size of the kernel.
 */
export function coveredBy(call: TensorCall, windows: Windows): Covered {
  takeWindows(call, windows);
  return coveredUnder(windows);
}

/** Returns the entries under each window, without entries beyond the padding. */
export function coveredUnder(windows: Windows): Covered {
  const [count, size] = [elementCount(windows.to), elementCount(windows.kernel)];
  const covered = { starts: new Int32Array(count + 1), entries: new Int32Array(count * size) };
  const positions = new Int32Array(count * size);
  const offsets = kernelOffsets(windows, size);
  const toStrides = strides(windows.to);
  const first = new Int32Array(windows.to.length);
  let next = 0;
  for (let window = 0; window < count; window++) {
    for (let axis = 0; axis < first.length; axis++) {
      const along = Math.floor(window / toStrides[axis]!) % windows.to[axis]!;
      first[axis] = along * windows.steps[axis]! - windows.before[axis]!;
    }
    for (let entry = 0; entry < size; entry++) {
      const position = positionOf(windows, first, offsets, entry);
      if (position === BEYOND) continue;
      covered.entries[next] = entry;
      positions[next++] = position;
    }
    covered.starts[window + 1] = next;
  }
  return { ...covered, positions };
}

const [PADDING, BEYOND] = [-1, -2];

/**
 * Returns the distance of each kernel entry from the first kernel entry along each axis: the
 * distances of entry 0 along all axes, then those of entry 1, and so on.
 */
function kernelOffsets({ kernel, dilations }: Windows, size: number): Int32Array {
  const steps = strides(kernel);
  const axes = kernel.length;
  return Int32Array.from({ length: size * axes }, (_, at) => {
    const [entry, axis] = [Math.floor(at / axes), at % axes];
    return (Math.floor(entry / steps[axis]!) % kernel[axis]!) * dilations[axis]!;
  });
}

function positionOf({ from, after }: Windows, first: Int32Array, offsets: Int32Array, entry: number): number {
  let position = 0;
  for (let axis = 0; axis < first.length; axis++) {
    const at = first[axis]! + offsets[entry * first.length + axis]!;
    if (at >= from[axis]! + after[axis]!) return BEYOND;
    if (at < 0 || at >= from[axis]!) position = Number.NaN;
    position = position * from[axis]! + at;
  }
  return Number.isNaN(position) ? PADDING : position;
}
