import { choiceAttribute, flagAttribute, hasAttribute, intsAttribute } from './attributes.js';
import type { TensorCall } from './define.js';
import { countOf } from './moving.js';
import { type Shape, shown, strides } from './shapes.js';
import { elementCount } from './tensor.js';

/** How a window moves over the spatial axes of a tensor `[batch, channels, ...spatial]`. */
export interface Windows {
  /** Sizes of the spatial axes, and how many windows there are along each. */
  readonly from: Shape;
  readonly to: Shape;
  readonly kernel: Shape;
  readonly steps: Shape;
  readonly dilations: Shape;
  /** Entries before the first one of each axis that the first window covers. */
  readonly before: Shape;
  /** Entries behind the last one that count as padding. */
  readonly after: Shape;
}

export function windowsOf(call: TensorCall, from: Shape, kernel: Shape): Windows {
  const list = (name: string, otherwise: number) =>
    hasAttribute(call, name) ? intsAttribute(call, name) : from.map(() => otherwise);
  const [steps, dilations] = [list('strides', 1), list('dilations', 1)];
  const each = [kernel, steps, dilations];
  if (each.some((sizes) => sizes.length !== from.length || sizes.some((size) => size < 1)))
    throw call.fault(
      `kernel ${shown(kernel)}, strides ${shown(steps)}, dilations ${shown(dilations)} over ${shown(from)}`,
      'one number an axis, 1 or greater',
    );
  const reach = kernel.map((size, axis) => (size - 1) * dilations[axis]! + 1);
  const [before, after] = padsOf(call, from, reach, steps);
  const isCeiled = flagAttribute(call, 'ceil_mode', false);
  const to = from.map((size, axis) => {
    const places = (size + before[axis]! + after[axis]! - reach[axis]!) / steps[axis]!;
    const count = (isCeiled ? Math.ceil(places) : Math.floor(places)) + 1;
    // A window that would begin behind the last entry is none.
    return isCeiled && (count - 1) * steps[axis]! >= size + before[axis]! ? count - 1 : count;
  });
  if (to.some((count) => count < 1))
    throw call.fault(`a kernel ${shown(kernel)} over ${shown(from)}`, 'it is too large');
  return { from, to, kernel, steps, dilations, before, after };
}

function padsOf(call: TensorCall, from: Shape, reach: Shape, steps: Shape): readonly [before: Shape, after: Shape] {
  const mode = choiceAttribute(call, 'auto_pad', ['NOTSET', 'SAME_UPPER', 'SAME_LOWER', 'VALID'], 'NOTSET');
  const none = from.map(() => 0);
  if (mode === 'VALID') return [none, none];
  if (mode === 'NOTSET') {
    const pads = hasAttribute(call, 'pads') ? intsAttribute(call, 'pads') : [...none, ...none];
    if (pads.length !== 2 * from.length || pads.some((size) => size < 0))
      throw call.fault(`pads [${pads}] of ${from.length} axes`, 'all that come before, then all behind, 0 or greater');
    return [pads.slice(0, from.length), pads.slice(from.length)];
  }
  const totals = from.map((size, axis) =>
    Math.max((Math.ceil(size / steps[axis]!) - 1) * steps[axis]! + reach[axis]! - size, 0),
  );
  const less = totals.map((total) => Math.floor(total / 2));
  const more = totals.map((total) => Math.ceil(total / 2));
  return mode === 'SAME_UPPER' ? [less, more] : [more, less];
}

/** One place that a window covers: which entry of the kernel, and where in the spatial axes, -1 in the padding. */
export interface Covered {
  readonly kernel: number;
  readonly place: number;
}

/**
 * The places that each window covers, in the order of the kernel; windows are row-major, and those places beyond the padding are left out.
 * Files decide on kernels: every place counts as an element.
 */
export function coveredPlaces(call: TensorCall, windows: Windows): readonly (readonly Covered[])[] {
  const count = countOf(call, windows.to);
  call.budget.take(count * countOf(call, windows.kernel));
  return Array.from({ length: count }, (_, index) => [...covered(windows, index)]);
}

function* covered({ from, to, kernel, steps, dilations, before, after }: Windows, index: number): Generator<Covered> {
  const [toStrides, kernelStrides, fromStrides] = [strides(to), strides(kernel), strides(from)];
  const starts = to.map((size, axis) => (Math.floor(index / toStrides[axis]!) % size) * steps[axis]! - before[axis]!);
  for (let entry = 0; entry < elementCount(kernel); entry++) {
    const at = starts.map(
      (start, axis) => start + (Math.floor(entry / kernelStrides[axis]!) % kernel[axis]!) * dilations[axis]!,
    );
    if (at.some((place, axis) => place >= from[axis]! + after[axis]!)) continue;
    const isInside = at.every((place, axis) => place >= 0 && place < from[axis]!);
    yield { kernel: entry, place: isInside ? at.reduce((sum, one, axis) => sum + one * fromStrides[axis]!, 0) : -1 };
  }
}
