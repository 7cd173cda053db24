import { choiceAttribute, flagAttribute, floatAttribute } from '../attributes.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { everyElement, type IntegerElement, isFloat, numbers, saturated } from '../elements.js';
import { takeWork } from '../images.js';
import { computedAsSteps, type NumberData, tensorInput } from '../inputs.js';
import { countOf } from '../moving.js';
import { blockOf, inBlocks, interruptible } from '../pauses.js';
import {
  type CoordinateMode,
  coordinateModes,
  coordinates,
  nearest,
  nearestModes,
  type ResizedAxis,
} from '../resize/coordinates.js';
import { resizedAxes } from '../resize/sizes.js';
import { cubicFilter, linearFilter, type Tap, tapsOf } from '../resize/taps.js';
import { type Shape, shown, strides } from '../shapes.js';
import { elementCount, type Tensor } from '../tensor.js';
import { pickedAxis, view } from '../view.js';

/** Operators that resize some axes and interpolate between entries. */
export const resizes = tensorOperators(
  interruptible({
    domain: '',
    operator: 'Resize',
    versions: [10, 25],
    steps: (call) => resize(call, coordinateMode(call)),
  }),
  interruptible({ domain: '', operator: 'Upsample', versions: [1, 9], steps: (call) => resize(call, 'asymmetric') }),
);

const coordinateMode = (call: TensorCall): CoordinateMode =>
  call.opset < 11
    ? 'asymmetric'
    : choiceAttribute(call, 'coordinate_transformation_mode', coordinateModes, 'half_pixel');

function* resize(call: TensorCall, coordinate: CoordinateMode): OperatorSteps {
  const modes =
    call.opset < 11 ? (['nearest', 'linear', 'bilinear'] as const) : (['nearest', 'linear', 'cubic'] as const);
  const mode = choiceAttribute(call, 'mode', modes, 'nearest');
  const data = tensorInput(call, 0, everyElement) as Tensor;
  const axes = resizedAxes(call, data.shape, coordinate);
  const shape = axes.reduce<Shape>((sizes, { axis, to }) => sizes.with(axis, to), data.shape);
  if (countOf(call, shape) > 0 && data.data.length === 0)
    throw call.fault(`shape ${shown(data.shape)} to resize to ${shown(shape)}`, 'an input with at least one element');
  return mode === 'nearest'
    ? [yield* nearestEntries(call, data, axes, coordinate)]
    : [yield* interpolated(call, data, axes, shape, coordinate)];
}

const isBeyond = (x: number, { from }: ResizedAxis): boolean => x < 0 || x > from - 1;

function nearestEntries(
  call: TensorCall,
  data: Tensor,
  axes: readonly ResizedAxis[],
  mode: CoordinateMode,
): OperatorSteps<Tensor> {
  const pick =
    nearest[call.opset < 11 ? 'simple' : choiceAttribute(call, 'nearest_mode', nearestModes, 'round_prefer_floor')];
  const steps = strides(data.shape);
  const sources = data.shape.map((size, axis) => {
    const resized = axes.find((one) => one.axis === axis);
    if (resized === undefined) return pickedAxis(size, steps[axis]!, (index) => index);
    return pickedAxis(resized.to, steps[axis]!, (index) => {
      const x = coordinates[mode](index, resized);
      if (mode === 'tf_crop_and_resize' && isBeyond(x, resized)) return Number.NaN;
      return Math.min(Math.max(pick(x, resized.scale), 0), size - 1);
    });
  });
  const fill = data.element === 'string' ? '' : extrapolation(call, data.element);
  return view(call, data, sources, mode === 'tf_crop_and_resize' ? fill : undefined);
}

function extrapolation(call: TensorCall, element: Exclude<Tensor['element'], 'string'>): number | bigint {
  const value = floatAttribute(call, 'extrapolation_value', 0);
  if (isFloat(element)) return value;
  const whole = element === 'bool' ? BigInt(value !== 0) : saturated(value, element as IntegerElement);
  return element === 'int64' || element === 'uint64' ? whole : Number(whole);
}

/** Interpolates axis by axis in float64, rounded once at the end. Integers are truncated. */
function* interpolated(
  call: TensorCall,
  data: Tensor,
  axes: readonly ResizedAxis[],
  shape: Shape,
  mode: CoordinateMode,
): OperatorSteps<Tensor> {
  const { element } = tensorInput(call, 0, numbers);
  const options = {
    mode,
    filter: call.attributes.mode === 'cubic' ? cubicFilter(floatAttribute(call, 'cubic_coeff_a', -0.75)) : linearFilter,
    isAntialiased: flagAttribute(call, 'antialias', false),
    excludesOutside: flagAttribute(call, 'exclude_outside', false),
  };
  call.budget.take(data.data.length);
  let values: NumberData = call.onlyShapes
    ? new Float64Array()
    : Float64Array.from(data.data as ArrayLike<number | bigint>, Number);
  let sizes: Shape = data.shape;
  for (const axis of axes) {
    const taps = tapsOf(call, axis, options); // checks the options, also if only shapes are needed
    if (!call.onlyShapes) values = yield* alongAxis(call, values, sizes, axis, taps);
    sizes = sizes.with(axis.axis, axis.to);
  }
  const fill = Number(extrapolation(call, element));
  const isFilled = mode === 'tf_crop_and_resize' ? beyond(axes, shape) : () => false;
  const valueAt = (at: number) => (isFilled(at) ? fill : values[at]!);
  const whole = (at: number) => saturated(valueAt(at), element as IntegerElement);
  return yield* computedAsSteps(call, element, shape, isFloat(element) ? valueAt : (at) => Number(whole(at)), whole);
}

/**
 * Returns a function that returns whether an element of the result is outside the source on some
 * axis.
 */
function beyond(axes: readonly ResizedAxis[], shape: Shape): (at: number) => boolean {
  const steps = strides(shape);
  const tables = axes.map((axis) => ({
    step: steps[axis.axis]!,
    outside: Array.from({ length: axis.to }, (_, index) => isBeyond(coordinates.tf_crop_and_resize(index, axis), axis)),
  }));
  return (at) => tables.some(({ step, outside }) => outside[Math.floor(at / step) % outside.length]);
}

/** Resizes one axis: every entry of the result is a weighted sum of source entries. */
function* alongAxis(
  call: TensorCall,
  from: NumberData,
  shape: Shape,
  axis: ResizedAxis,
  taps: readonly Tap[],
): OperatorSteps<NumberData> {
  const behind = elementCount(shape.slice(axis.axis + 1));
  const before = elementCount(shape.slice(0, axis.axis));
  call.budget.take(before * axis.to * behind);
  const products = behind * taps.reduce((sum, { weights }) => sum + weights.length, 0);
  takeWork(call, before * products);
  const out = new Float64Array(before * axis.to * behind);
  const last = axis.from - 1;
  const addEntry = (block: number, index: number) => {
    const { first, weights } = taps[index]!;
    const to = (block * axis.to + index) * behind;
    weights.forEach((weight, at) => {
      if (weight === 0) return; // an infinite neighbor of weight 0 must not give NaN
      const source = (block * axis.from + Math.min(Math.max(first + at, 0), last)) * behind;
      for (let lane = 0; lane < behind; lane++) out[to + lane] = out[to + lane]! + weight * from[source + lane]!;
    });
  };
  const addEntries = (start: number, end: number) => {
    for (let at = start; at < end; at++) addEntry(Math.floor(at / axis.to), at % axis.to);
  };
  yield* inBlocks(call, before * axis.to, addEntries, blockOf(products / Math.max(axis.to, 1)));
  return out;
}
