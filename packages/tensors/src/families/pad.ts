import { choiceAttribute, floatAttribute, hasAttribute, intsAttribute } from '../attributes.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { floats, rounding } from '../elements.js';
import { intsInput, onlyElement, tensorInput } from '../inputs.js';
import { anyInput, requiredInts } from '../moving.js';
import { interruptible } from '../pauses.js';
import { normalizeAxes, shown, strides } from '../shapes.js';
import type { Tensor } from '../tensor.js';
import { pickedAxis, view } from '../view.js';

export const pad = tensorOperators(
  interruptible({ domain: '', operator: 'Pad', versions: [1, 25], steps: padded }),
  interruptible({ domain: '', operator: 'CenterCropPad', versions: [18, 25], steps: centerCropPad }),
);

const modes = ['constant', 'reflect', 'edge', 'wrap'] as const;

/**
 * For each mode, returns the source index of an entry. `index` counts from the first entry of the
 * source and may be outside it. NaN means that the entry has no source.
 */
const sources: Readonly<Record<(typeof modes)[number], (index: number, size: number) => number>> = {
  constant: (index, size) => (index >= 0 && index < size ? index : Number.NaN),
  edge: (index, size) => Math.min(Math.max(index, 0), size - 1),
  wrap: modulo,
  reflect(index, size) {
    if (size === 1) return 0;
    const turned = modulo(index, 2 * (size - 1));
    return turned < size ? turned : 2 * (size - 1) - turned;
  },
};

function modulo(index: number, size: number): number {
  return ((index % size) + size) % size;
}

/** Pads a tensor. A negative pad removes entries. */
function* padded(call: TensorCall): OperatorSteps {
  const data = call.opset < 11 ? tensorInput(call, 0, floats) : anyInput(call, 0);
  const mode = choiceAttribute(call, 'mode', call.opset < 19 ? modes.slice(0, 3) : modes, 'constant');
  const pads = padsOf(call, data);
  const steps = strides(data.shape);
  const axes = data.shape.map((whole, axis) => {
    const [before, after] = pads[axis]!;
    const cut = Math.max(-before, 0);
    const size = whole - cut - Math.max(-after, 0);
    if (size < 0 || (size === 0 && mode !== 'constant' && (before > 0 || after > 0)))
      throw call.fault(
        `pads ${before} and ${after} (${mode}) of axis ${axis} of ${shown(data.shape)}`,
        "a padded size of 0 or greater; only the mode 'constant' pads an empty axis",
      );
    const source = sources[mode];
    return pickedAxis(whole + before + after, steps[axis]!, (index) => cut + source(index - Math.max(before, 0), size));
  });
  return [yield* view(call, data, axes, mode === 'constant' ? fillOf(call, data) : undefined)];
}

/** Returns the pads before and after each axis. */
function padsOf(call: TensorCall, data: Tensor): readonly (readonly [number, number])[] {
  const rank = data.shape.length;
  const given = call.opset >= 11 ? requiredInts(call, 1) : intsAttribute(call, call.opset === 1 ? 'paddings' : 'pads');
  const named = call.opset >= 18 ? intsInput(call, 3) : undefined;
  const axes = normalizeAxes(named ?? data.shape.map((_, axis) => axis), rank, call);
  if (given.length !== 2 * axes.length)
    throw call.fault(
      `pads [${given}] of ${axes.length} axes`,
      `${2 * axes.length} pads: the pads before each axis, then the pads after each axis`,
    );
  return data.shape.map((_, axis) => {
    const which = axes.indexOf(axis);
    return which < 0 ? [0, 0] : [given[which]!, given[which + axes.length]!];
  });
}

function fillOf(call: TensorCall, data: Tensor): unknown {
  if (call.opset >= 11) {
    if (call.inputs[2] === undefined) return undefined;
    return onlyElement(call, tensorInput(call, 2, [data.element]), 'the constant');
  }
  return rounding(data.element)(floatAttribute(call, 'value', 0));
}

/**
 * Crops or zero-pads around the center. If an odd number of entries is removed or added, the odd
 * one is at the end.
 */
function* centerCropPad(call: TensorCall): OperatorSteps {
  const data = anyInput(call, 0);
  const sizes = requiredInts(call, 1);
  const named = hasAttribute(call, 'axes') ? intsAttribute(call, 'axes') : [...data.shape.keys()];
  const axes = normalizeAxes(named, data.shape.length, call);
  if (sizes.length !== axes.length || sizes.some((size) => size < 0))
    throw call.fault(`sizes [${sizes}] of ${axes.length} axes`, 'one size per axis, each 0 or greater');
  const steps = strides(data.shape);
  const views = data.shape.map((whole, axis) => {
    const size = axes.includes(axis) ? sizes[axes.indexOf(axis)]! : whole;
    const first = size < whole ? Math.floor((whole - size) / 2) : -Math.floor((size - whole) / 2);
    return pickedAxis(size, steps[axis]!, (index) => sources.constant(index + first, whole));
  });
  return [yield* view(call, data, views)];
}
