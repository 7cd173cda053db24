import { choiceAttribute, floatAttribute, floatsAttribute, hasAttribute, intsAttribute } from '../attributes.js';
import type { TensorCall } from '../define.js';
import { floats } from '../elements.js';
import { intsInput, optionalInput } from '../inputs.js';
import { normalizeAxes, type Shape, shown } from '../shapes.js';
import type { CoordinateMode, ResizedAxis } from './coordinates.js';

const { fround } = Math;

/** Returns the axes that a Resize or Upsample node changes, with their sizes before and after. */
export function resizedAxes(call: TensorCall, shape: Shape, mode: CoordinateMode): ResizedAxis[] {
  const named = hasAttribute(call, 'axes') ? intsAttribute(call, 'axes') : [...shape.keys()];
  const axes = normalizeAxes(named, shape.length, call);
  const isCropped = mode === 'tf_crop_and_resize';
  const regions = isCropped ? regionsOf(call, axes.length) : undefined;
  const scales = scalesOf(call, shape);
  const sizes = scales === undefined ? sizesOf(call, shape, axes) : undefined;
  checkLength(call, scales ?? sizes!.map(({ to }) => to), axes.length);
  const resized = axes.map((axis, at): ResizedAxis => {
    const from = shape[axis]!;
    const [start, end] = regions?.[at] ?? [0, 1];
    if (scales === undefined) return { axis, from, start, end, ...sizes![at]! };
    const scale = scales[at]!;
    const part = isCropped ? fround(end - start) : 1;
    return { axis, from, start, end, scale, wanted: scale * from, to: Math.floor(fround(fround(from * part) * scale)) };
  });
  return resized.filter(({ from, to, scale }) => isCropped || from !== to || scale !== 1);
}

function checkLength(call: TensorCall, given: readonly number[], axes: number): void {
  if (given.length !== axes) throw call.fault(`[${given}] for ${axes} axes`, 'one scale or size per axis');
}

/**
 * Returns the cropped region of each axis, as a pair of start and end. The input `roi` contains all
 * starts, then all ends.
 */
function regionsOf(call: TensorCall, axes: number): (readonly [number, number])[] {
  const roi = optionalInput(call, 1, floats);
  if (roi?.data.length !== 2 * axes)
    throw call.fault(
      `a roi of shape ${shown(roi?.shape ?? [])}`,
      `a roi of ${2 * axes} numbers: ${axes} starts, then ${axes} ends`,
    );
  return Array.from({ length: axes }, (_, at) => [roi.data[at]!, roi.data[at + axes]!] as const);
}

/**
 * Reads the scales. The operator set determines which input or attribute holds them. Returns
 * undefined if the node has sizes instead.
 */
function scalesOf(call: TensorCall, shape: Shape): readonly number[] | undefined {
  const scales = givenScales(call, shape);
  const wrong = scales?.find((scale) => !(scale > 0 && Number.isFinite(scale)));
  if (wrong !== undefined) throw call.fault(`a scale of ${wrong}`, 'finite scales greater than 0');
  return scales;
}

function givenScales(call: TensorCall, shape: Shape): readonly number[] | undefined {
  // Attributes of Upsample 1 and 7.
  if (hasAttribute(call, 'height_scale') && shape.length === 4)
    return [1, 1, floatAttribute(call, 'height_scale'), floatAttribute(call, 'width_scale')];
  if (hasAttribute(call, 'scales')) return floatsAttribute(call, 'scales');
  const scales = optionalInput(call, call.opset < 11 ? 1 : 2, ['float32']);
  // Before version 13, sizes follow an empty scales input.
  if (scales !== undefined && scales.data.length > 0) return Array.from(scales.data);
  return shape.length === 0 && scales !== undefined ? [] : undefined;
}

type Sizes = Pick<ResizedAxis, 'scale' | 'wanted' | 'to'>;

function sizesOf(call: TensorCall, shape: Shape, axes: readonly number[]): Sizes[] {
  const sizes = intsInput(call, 3);
  if (sizes === undefined) throw call.fault('neither scales nor sizes', 'the input scales or the input sizes');
  checkLength(call, sizes, axes.length);
  const policy = choiceAttribute(call, 'keep_aspect_ratio_policy', ['stretch', 'not_larger', 'not_smaller'], 'stretch');
  const ratios = sizes.map((size, at) => size / shape[axes[at]!]!);
  if (policy === 'stretch') return sizes.map((to, at) => ({ to, wanted: to, scale: fround(ratios[at]!) }));
  const scale = fround(policy === 'not_larger' ? Math.min(...ratios) : Math.max(...ratios));
  return axes.map((axis) => {
    const wanted = scale * shape[axis]!;
    return { scale, wanted, to: Math.floor(fround(wanted) + 0.5) };
  });
}
