import { flagAttribute, intAttribute } from '../attributes.js';
import { elementOf } from '../data-types.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { rounding } from '../elements.js';
import { computedSteps, optionalInput, tensorInput, tensorOf } from '../inputs.js';
import { forEachIndex, interruptible } from '../pauses.js';
import { type Granularity, granularityOf, type LinearElement, linearElements, quantizer } from '../quantization.js';
import { normalizeAxis, type Shape, shown } from '../shapes.js';
import type { Tensor } from '../tensor.js';

const reals = ['float32', 'float16', 'bfloat16'] as const;
/** Types of scales. Microscaling formats have powers of two (float8e8m0) as scales. */
const scaleTypes = [...reals, 'float8e8m0'] as const;
const isReal = (element: Tensor['element']): element is (typeof reals)[number] =>
  (reals as readonly string[]).includes(element);
const { fround } = Math;

/** Conversions between real numbers and small integers with a scale and a zero point. */
export const quantizations = tensorOperators(
  interruptible({ domain: '', operator: 'QuantizeLinear', versions: [10, 25], steps: quantizeLinear }),
  interruptible({ domain: '', operator: 'DequantizeLinear', versions: [10, 25], steps: dequantizeLinear }),
  interruptible({ domain: '', operator: 'DynamicQuantizeLinear', versions: [11, 25], steps: dynamicQuantizeLinear }),
  interruptible({ domain: 'com.microsoft', operator: 'QuantizeLinear', versions: [1, 1], steps: quantizeLinear }),
  interruptible({ domain: 'com.microsoft', operator: 'DequantizeLinear', versions: [1, 1], steps: dequantizeLinear }),
);

/** Returns which elements of a tensor share a scale. The same elements share a zero point. */
function scalesOf(call: TensorCall, shape: Shape, scale: Shape): Granularity {
  const block = intAttribute(call, 'block_size', 0);
  if (block < 0) throw call.fault(`block_size ${block}`, 'block_size 1 or greater, or 0 for no blocks');
  // A tensor of one axis needs no axis attribute.
  const axis = shape.length <= 1 ? 0 : normalizeAxis(intAttribute(call, 'axis', 1), shape.length, call);
  return granularityOf(call, shape, scale, axis, block);
}

function checkZero(call: TensorCall, zero: Tensor | undefined, { shape }: Granularity): void {
  const isAlike = zero === undefined || shown(zero.shape) === shown(shape);
  if (isAlike || (zero.data.length === 1 && shape.every((size) => size === 1))) return;
  throw call.fault(`zero points of shape ${shown(zero.shape)}`, `zero points of shape ${shown(shape)}, one per scale`);
}

function* quantizeLinear(call: TensorCall): OperatorSteps {
  const x = tensorInput(call, 0, [...reals, 'int32']);
  const scale = tensorInput(call, 1, [...scaleTypes, 'int32']);
  const zero = optionalInput(call, 2, linearElements);
  const scales = scalesOf(call, x.shape, scale.shape);
  checkZero(call, zero, scales);
  const element = outputElement(call, zero?.element);
  const round = rounding(precisionOf(call, scale.element));
  const quantize = quantizer(element, flagAttribute(call, 'saturate', true));
  const value = (at: number) => {
    const scaleIndex = scales.scaleIndexOf(at);
    return quantize(round(round(x.data[at]!) / round(scale.data[scaleIndex]!)), zero?.data[scaleIndex] ?? 0);
  };
  return [yield* computedSteps(call, element, x.shape, value)];
}

/**
 * Returns the type of the result: the type of the zero points if the node has them, otherwise
 * `output_dtype`, otherwise uint8.
 */
function outputElement(call: TensorCall, zero: LinearElement | undefined): LinearElement {
  const declared = intAttribute(call, 'output_dtype', 0);
  const element = declared === 0 ? (zero ?? 'uint8') : elementOf(call, declared);
  if ((zero ?? element) === element && linearElements.includes(element as LinearElement))
    return element as LinearElement;
  throw call.fault(
    `output_dtype ${element} with zero points of type ${zero}`,
    `one type for both, of ${linearElements.join(', ')}`,
  );
}

/**
 * Returns the type in which numbers are divided by scales: the attribute `precision`, otherwise the
 * type of the scales, or float32 for scales of another type (float8e8m0, int32).
 */
function precisionOf(call: TensorCall, scale: Tensor['element']): Tensor['element'] {
  const declared = intAttribute(call, 'precision', 0);
  const element = declared === 0 ? scale : elementOf(call, declared);
  if (isReal(element)) return element;
  if (declared === 0) return 'float32';
  throw call.fault(`precision ${element}`, `precision as one of ${reals.join(', ')}`);
}

function* dequantizeLinear(call: TensorCall): OperatorSteps {
  const x = tensorInput(call, 0, [...linearElements, 'int32']);
  const scale = tensorInput(call, 1, scaleTypes);
  const zero = optionalInput(call, 2, [x.element]);
  const scales = scalesOf(call, x.shape, scale.shape);
  checkZero(call, zero, scales);
  const declared = intAttribute(call, 'output_dtype', 0);
  const element = declared === 0 ? scale.element : elementOf(call, declared);
  if (!isReal(element)) throw call.fault(`output_dtype ${element}`, `output_dtype as one of ${reals.join(', ')}`);
  const round = rounding(element);
  const value = (at: number) => {
    const scaleIndex = scales.scaleIndexOf(at);
    return round(x.data[at]! - (zero?.data[scaleIndex] ?? 0)) * round(scale.data[scaleIndex]!);
  };
  return [yield* computedSteps(call, element, x.shape, value)];
}

/**
 * Quantizes to uint8. The numbers 0 to 255 cover the range of all elements and 0. Returns numbers,
 * scale and zero point. If all elements are 0, the scale is 1, as in onnxruntime.
 */
export function* dynamicQuantizeLinear(call: TensorCall): OperatorSteps<Tensor[]> {
  const { shape, data } = tensorInput(call, 0, ['float32']);
  const quantize = quantizer('uint8');
  let [least, most] = [0, 0];
  yield* forEachIndex(call, data.length, (at) => {
    const value = data[at]!;
    if (value < least) least = value;
    if (value > most) most = value;
  });
  const scale = least === most ? 1 : fround(fround(most - least) / 255);
  const zero = quantize(fround(-least / scale), 0);
  return [
    yield* computedSteps(call, 'uint8', shape, (at) => quantize(fround(data[at]! / scale), zero)),
    tensorOf('float32', [], Float32Array.of(scale)),
    tensorOf('uint8', [], Uint8Array.of(zero)),
  ];
}
