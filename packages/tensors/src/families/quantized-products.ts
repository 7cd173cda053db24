import { indexMapOf } from '../broadcast.js';
import { convolutionOf, convolutionPlan } from '../convolution.js';
import { type TensorCall, tensorOperators } from '../define.js';
import { rounding } from '../elements.js';
import { imageInput } from '../images.js';
import { computed, type Floats, newData, optionalInput, tensorInput, tensorOf } from '../inputs.js';
import { bytes, lessZero, perColumn, perOutput, perRow } from '../integer-products.js';
import { canRun, runKernel } from '../kernels.js';
import { productScale, quantizer } from '../quantization.js';
import { checkBroadcast, type Shape, shown } from '../shapes.js';
import { elementCount, type NumericTensor, type Tensor } from '../tensor.js';
import { matmul } from './matrix.js';

const scaleTypes = ['float32', 'float16', 'bfloat16'] as const;
/**
 * Returns the shape of a zero point unchanged, because one zero point applies to the whole tensor.
 */
const forAll = (zero: Shape): Shape => zero;

/** Products of small integers. Operators with `QLinear` in their name return small integers. */
export const quantizedProducts = tensorOperators(
  { domain: '', operator: 'ConvInteger', versions: [10, 25], run: (call) => [convInteger(call)] },
  { domain: '', operator: 'QLinearConv', versions: [10, 25], run: (call) => [qLinearConv(call)] },
  { domain: '', operator: 'QLinearMatMul', versions: [10, 25], run: (call) => [qLinearMatMul(call)] },
);

/**
 * Computes the sums with the kernel `conv`. Returns undefined if the kernel cannot compute them.
 */
function convolvedByKernel(
  call: TensorCall,
  image: NumericTensor<'int32'>,
  weights: NumericTensor<'int32'>,
  bias: NumericTensor<'int32'> | undefined,
): NumericTensor<'int32'> | undefined {
  if (!canRun(call, image.shape.length)) return undefined;
  const { shape, numbers } = convolutionPlan(call, image.shape, weights.shape, bias?.shape);
  if (!canRun(call, image.shape.length, numbers)) return undefined;
  const out = newData(call, 'int32', shape);
  if (!runKernel(call, 'conv', [out, image.data, weights.data, bias?.data], numbers)) return undefined;
  return tensorOf('int32', shape, out) as NumericTensor<'int32'>;
}

/** Computes sums of products in int32, which wrap around. */
function integerConvolution(
  call: TensorCall,
  image: NumericTensor<'int32'>,
  weights: NumericTensor<'int32'>,
  bias?: NumericTensor<'int32'>,
) {
  const fast = convolvedByKernel(call, image, weights, bias);
  if (fast !== undefined) {
    const [positions, outputs] = [elementCount(fast.shape.slice(2)), fast.shape[1]!];
    return { sums: fast, output: (at: number) => Math.floor(at / positions) % outputs };
  }
  const { shape, positions, outputs, visit } = convolutionOf(call, image.shape, weights.shape, bias?.shape);
  const output = (at: number) => Math.floor(at / positions) % outputs;
  const sums = computed(call, 'int32', shape, (at) => {
    let sum = bias?.data[output(at)] ?? 0;
    visit(at, (from, by) => {
      sum = (sum + image.data[from]! * weights.data[by]!) | 0;
    });
    return sum;
  }) as NumericTensor<'int32'>;
  return { sums, output };
}

/** Convolves small integers. Padded entries have the value of the zero point. */
function convInteger(call: TensorCall): Tensor {
  imageInput(call, bytes);
  return integerConvolution(call, lessZero(call, 0, 2, forAll), lessZero(call, 1, 3, perOutput)).sums;
}

function qLinearConv(call: TensorCall): Tensor {
  imageInput(call, bytes);
  const bias = optionalInput(call, 8, ['int32']);
  const image = lessZero(call, 0, 2, forAll);
  const { sums, output } = integerConvolution(call, image, lessZero(call, 3, 5, perOutput), bias);
  const { shape } = sums;
  const [a, y] = [oneScale(call, 1), oneScale(call, 6)];
  const b = tensorInput(call, 4, ['float32']);
  if (b.data.length !== 1 && shown(b.shape) !== shown([shape[1]!]))
    throw call.fault(
      `scales of shape ${shown(b.shape)}`,
      `one scale, or scales of shape [${shape[1]}], one per output`,
    );
  return requantized(call, sums, 7, (at) =>
    productScale('float32', a, b.data[b.data.length === 1 ? 0 : output(at)]!, y),
  );
}

function oneScale(call: TensorCall, index: number): number {
  const scale = tensorInput(call, index, ['float32']);
  if (scale.data.length === 1) return scale.data[0]!;
  throw call.fault(`input ${index} of shape ${shown(scale.shape)}`, `one scale as input ${index}`);
}

/**
 * Multiplies sums by a factor per element and quantizes the products with the zero points of an
 * input.
 */
function requantized(
  call: TensorCall,
  sums: NumericTensor<'int32'>,
  zeroIndex: number,
  factor: (at: number) => number,
  element: Floats['element'] = 'float32',
): Tensor {
  const zero = tensorInput(call, zeroIndex, bytes);
  const zeroAt = beside(call, zero.shape, sums.shape, perRow);
  const [quantize, round] = [quantizer(zero.element), rounding(element)];
  return computed(call, zero.element, sums.shape, (at) =>
    quantize(round(round(sums.data[at]!) * factor(at)), zero.data[zeroAt(at)]!),
  );
}

/** Returns the function from the index of an element to the index of its scale or zero point. */
function beside(call: TensorCall, given: Shape, shape: Shape, lay: (given: Shape) => Shape) {
  const from = lay(given);
  if (from.every((size) => size === 1)) return () => 0;
  checkBroadcast(from, shape, call);
  return indexMapOf(from, shape, call);
}

/**
 * Multiplies quantized matrices. A and the result have one scale each, or one per row. B has one
 * scale, or one per column.
 */
function qLinearMatMul(call: TensorCall): Tensor {
  const [a, b, y] = [
    tensorInput(call, 1, scaleTypes),
    tensorInput(call, 4, scaleTypes),
    tensorInput(call, 6, scaleTypes),
  ];
  const product = matmul(call, lessZero(call, 0, 2, perRow), lessZero(call, 3, 5, perColumn)) as NumericTensor<'int32'>;
  const { shape } = product;
  const [aAt, bAt, yAt] = [
    beside(call, a.shape, shape, perRow),
    beside(call, b.shape, shape, perColumn),
    beside(call, y.shape, shape, perRow),
  ];
  const factor = (at: number) => productScale(a.element, a.data[aAt(at)]!, b.data[bAt(at)]!, y.data[yAt(at)]!);
  return requantized(call, product, 7, factor, a.element);
}
