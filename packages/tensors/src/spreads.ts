import { choiceAttribute, hasAttribute, intsAttribute } from './attributes.js';
import type { TensorCall } from './define.js';
import { type Shape, shown, strides } from './shapes.js';
import { elementCount } from './tensor.js';

/**
 * How a transposed convolution spreads the entries of spatial axes over longer axes. Entry `i` and
 * weight `k` of the kernel contribute to index `k * dilation + i * step - before`.
 */
export interface Spread {
  readonly to: Shape;
  readonly steps: Shape;
  readonly dilations: Shape;
  readonly before: Shape;
}

/** Reads an attribute of one integer per axis. */
export function listAttribute(call: TensorCall, name: string, otherwise: Shape, least: number): Shape {
  const list = hasAttribute(call, name) ? intsAttribute(call, name) : otherwise;
  if (list.length === otherwise.length && list.every((size) => size >= least)) return list;
  throw call.fault(`${name} [${list}]`, `${otherwise.length} numbers in ${name}, each ${least} or greater`);
}

/**
 * Returns the sizes of a transposed convolution, and the padding removed at the start. With
 * `output_shape` or an `auto_pad` of SAME, the sizes are given, and the pads follow from them. In
 * the formula below, `reach` is `(kernel - 1) * dilation + 1`.
 *
 * @see Source: ONNX ConvTranspose: `to = step * (from - 1) + output_padding + reach - before -
 * after`.
 */
export function spreadOf(call: TensorCall, from: Shape, kernel: Shape): Spread {
  const each = (size: number) => from.map(() => size);
  const [steps, dilations] = [listAttribute(call, 'strides', each(1), 1), listAttribute(call, 'dilations', each(1), 1)];
  const more = listAttribute(call, 'output_padding', each(0), 0);
  const whole = from.map(
    (size, axis) => steps[axis]! * (size - 1) + more[axis]! + (kernel[axis]! - 1) * dilations[axis]! + 1,
  );
  const mode = choiceAttribute(call, 'auto_pad', ['NOTSET', 'SAME_UPPER', 'SAME_LOWER', 'VALID'], 'NOTSET');
  const wanted = wantedSizes(call, from, steps, mode);
  if (wanted === undefined) {
    const none = [...each(0), ...each(0)];
    const pads = mode === 'VALID' ? none : listAttribute(call, 'pads', none, 0);
    const [before, after] = [pads.slice(0, from.length), pads.slice(from.length)];
    return { to: whole.map((size, axis) => size - before[axis]! - after[axis]!), steps, dilations, before };
  }
  const before = wanted.map((size, axis) => {
    const total = Math.max(whole[axis]! - size, 0);
    return mode === 'SAME_UPPER' ? Math.floor(total / 2) : Math.ceil(total / 2);
  });
  return { to: wanted, steps, dilations, before };
}

function wantedSizes(call: TensorCall, from: Shape, steps: Shape, mode: string): Shape | undefined {
  if (hasAttribute(call, 'output_shape')) {
    const shape = intsAttribute(call, 'output_shape');
    // Some exporters also list the batch and the channels.
    if (shape.length === from.length || shape.length === from.length + 2) return shape.slice(-from.length);
    throw call.fault(`output_shape ${shown(shape)}`, `${from.length} spatial sizes in output_shape`);
  }
  return mode.startsWith('SAME') ? from.map((size, axis) => size * steps[axis]!) : undefined;
}

/**
 * One entry of the input, one weight of the kernel, and the element of the result to which their
 * product is added.
 */
export interface Reach {
  readonly from: number;
  readonly tap: number;
  readonly target: number;
}

/**
 * A `Reach` counts against the budget like this many elements of a result, because building it
 * takes as long.
 */
const REACH_ELEMENTS = 16;

/**
 * Returns every pair of an entry and a weight that contributes to an element of the result, in the
 * order of the entries. Every pair counts against the budget, because the model file determines the
 * size of the kernel.
 */
export function reachesOf(call: TensorCall, spread: Spread, from: Shape, kernel: Shape): Reach[] {
  const [entries, taps] = [elementCount(from), elementCount(kernel)];
  call.budget.take(REACH_ELEMENTS * entries * taps);
  const [fromSteps, kernelSteps, toSteps] = [strides(from), strides(kernel), strides(spread.to)];
  const reaches: Reach[] = [];
  for (let entry = 0; entry < entries; entry++) {
    for (let tap = 0; tap < taps; tap++) {
      const target = spread.to.reduce((sum, size, axis) => {
        const index = Math.floor(entry / fromSteps[axis]!) % from[axis]!;
        const lane = Math.floor(tap / kernelSteps[axis]!) % kernel[axis]!;
        const at = index * spread.steps[axis]! + lane * spread.dilations[axis]! - spread.before[axis]!;
        return at >= 0 && at < size ? sum + at * toSteps[axis]! : Number.NaN;
      }, 0);
      if (!Number.isNaN(target)) reaches.push({ from: entry, tap, target });
    }
  }
  return reaches;
}
