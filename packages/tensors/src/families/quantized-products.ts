import { indexMapOf } from '../broadcast.js';
import { convolutionOf, convolutionPlan } from '../convolution.js';
import { convolutionKernelSteps } from '../convolution-kernel.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { rounding } from '../elements.js';
import { imageInput } from '../images.js';
import { computedSteps, type Floats, newData, optionalInput, tensorInput, tensorOf } from '../inputs.js';
import { bytes, lessZero, perColumn, perOutput, perRow } from '../integer-products.js';
import { canRun } from '../kernels.js';
import { blockOf, interruptible } from '../pauses.js';
import { productScale, quantizer } from '../quantization.js';
import { checkBroadcast, type Shape, shown } from '../shapes.js';
import { elementCount, type NumericTensor, type Tensor } from '../tensor.js';
import { matmulSteps } from './matrix.js';

const scaleTypes = ['float32', 'float16', 'bfloat16'] as const;
/**
 * Returns the shape of a zero point unchanged, because one zero point applies to the whole tensor.
 */
const forAll = (zero: Shape): Shape => zero;

/** Products of small integers. Operators with `QLinear` in their name return small integers. */
export const quantizedProducts = tensorOperators(
  interruptible({ domain: '', operator: 'ConvInteger', versions: [10, 25], steps: convInteger }),
  interruptible({ domain: '', operator: 'QLinearConv', versions: [10, 25], steps: qLinearConv }),
  interruptible({ domain: '', operator: 'QLinearMatMul', versions: [10, 25], steps: qLinearMatMul }),
);

/**
 * Computes the sums with the kernel `conv`. Returns undefined if the kernel cannot compute them.
 */
function* convolvedByKernel(
  call: TensorCall,
  image: NumericTensor<'int32'>,
  weights: NumericTensor<'int32'>,
  bias: NumericTensor<'int32'> | undefined,
): OperatorSteps<NumericTensor<'int32'> | undefined> {
  if (!canRun(call, image.shape.length)) return undefined;
  const plan = convolutionPlan(call, image.shape, weights.shape, bias?.shape);
  const { shape, numbers } = plan;
  if (!canRun(call, image.shape.length, numbers)) return undefined;
  const out = newData(call, 'int32', shape) as Int32Array;
  const data = { out, image: image.data, weights: weights.data, bias: bias?.data };
  if (!(yield* convolutionKernelSteps(call, plan, data))) return undefined;
  return tensorOf('int32', shape, out) as NumericTensor<'int32'>;
}

/** The sums of an integer convolution. `output` returns the output channel of a sum. */
interface IntegerConvolution {
  readonly sums: NumericTensor<'int32'>;
  readonly output: (at: number) => number;
}

/** Computes sums of products in int32, which wrap around. */
function* integerConvolution(
  call: TensorCall,
  image: NumericTensor<'int32'>,
  weights: NumericTensor<'int32'>,
  bias?: NumericTensor<'int32'>,
): OperatorSteps<IntegerConvolution> {
  const fast = yield* convolvedByKernel(call, image, weights, bias);
  if (fast !== undefined) {
    const [positions, outputs] = [elementCount(fast.shape.slice(2)), fast.shape[1]!];
    return { sums: fast, output: (at: number) => Math.floor(at / positions) % outputs };
  }
  const { shape, positions, outputs, depth, entries, visit } = convolutionOf(
    call,
    image.shape,
    weights.shape,
    bias?.shape,
  );
  const output = (at: number) => Math.floor(at / positions) % outputs;
  const sumOf = (at: number) => {
    let sum = bias?.data[output(at)] ?? 0;
    visit(at, (from, by) => {
      sum = (sum + image.data[from]! * weights.data[by]!) | 0;
    });
    return sum;
  };
  const sums = yield* computedSteps(call, 'int32', shape, sumOf, blockOf(depth * entries));
  return { sums: sums as NumericTensor<'int32'>, output };
}

/** Convolves small integers. Padded entries have the value of the zero point. */
function* convInteger(call: TensorCall): OperatorSteps {
  imageInput(call, bytes);
  const image = yield* lessZero(call, 0, 2, forAll);
  const { sums } = yield* integerConvolution(call, image, yield* lessZero(call, 1, 3, perOutput));
  return [sums];
}

function* qLinearConv(call: TensorCall): OperatorSteps {
  imageInput(call, bytes);
  const bias = optionalInput(call, 8, ['int32']);
  const image = yield* lessZero(call, 0, 2, forAll);
  const weights = yield* lessZero(call, 3, 5, perOutput);
  const { sums, output } = yield* integerConvolution(call, image, weights, bias);
  const { shape } = sums;
  const [a, y] = [oneScale(call, 1), oneScale(call, 6)];
  const b = tensorInput(call, 4, ['float32']);
  if (b.data.length !== 1 && shown(b.shape) !== shown([shape[1]!]))
    throw call.fault(
      `scales of shape ${shown(b.shape)}`,
      `one scale, or scales of shape [${shape[1]}], one per output`,
    );
  const factor = (at: number) => productScale('float32', a, b.data[b.data.length === 1 ? 0 : output(at)]!, y);
  return [yield* requantized(call, sums, 7, factor)];
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
function* requantized(
  call: TensorCall,
  sums: NumericTensor<'int32'>,
  zeroIndex: number,
  factor: (at: number) => number,
  element: Floats['element'] = 'float32',
): OperatorSteps<Tensor> {
  const zero = tensorInput(call, zeroIndex, bytes);
  const zeroAt = beside(call, zero.shape, sums.shape, perRow);
  const [quantize, round] = [quantizer(zero.element), rounding(element)];
  return yield* computedSteps(call, zero.element, sums.shape, (at) =>
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
function* qLinearMatMul(call: TensorCall): OperatorSteps {
  const [a, b, y] = [
    tensorInput(call, 1, scaleTypes),
    tensorInput(call, 4, scaleTypes),
    tensorInput(call, 6, scaleTypes),
  ];
  const left = yield* lessZero(call, 0, 2, perRow);
  const right = yield* lessZero(call, 3, 5, perColumn);
  const product = (yield* matmulSteps(call, left, right)) as NumericTensor<'int32'>;
  const { shape } = product;
  const [aAt, bAt, yAt] = [
    beside(call, a.shape, shape, perRow),
    beside(call, b.shape, shape, perColumn),
    beside(call, y.shape, shape, perRow),
  ];
  const factor = (at: number) => productScale(a.element, a.data[aAt(at)]!, b.data[bAt(at)]!, y.data[yAt(at)]!);
  return [yield* requantized(call, product, 7, factor, a.element)];
}
