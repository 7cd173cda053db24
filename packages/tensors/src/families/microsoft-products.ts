import { flagAttribute, floatAttribute, hasAttribute, stringAttribute } from '../attributes.js';
import { indexMapOf } from '../broadcast.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { floats } from '../elements.js';
import { computedSteps, type Floats, optionalInput, tensorInput } from '../inputs.js';
import { bytes, lessZero, perColumn, perRow } from '../integer-products.js';
import { interruptible } from '../pauses.js';
import { strided } from '../permute.js';
import { checkBroadcast, type Shape, strides } from '../shapes.js';
import type { NumericTensor, Tensor } from '../tensor.js';
import { activations } from './activations.js';
import { gemmSteps, matmulSteps } from './matrix.js';
import { dynamicQuantizeLinear } from './quantize.js';
import { unary } from './unary.js';

const domain = 'com.microsoft';

/** Operators of onnxruntime's optimizer that combine a matrix product with neighboring nodes. */
export const microsoftProducts = tensorOperators(
  interruptible({ domain, operator: 'FusedMatMul', versions: [1, 1], steps: fusedMatMul }),
  interruptible({ domain, operator: 'TransposeMatMul', versions: [1, 1], steps: fusedMatMul }),
  interruptible({ domain, operator: 'FusedGemm', versions: [1, 1], steps: fusedGemm }),
  interruptible({ domain, operator: 'MatMulIntegerToFloat', versions: [1, 1], steps: integersToFloat }),
  interruptible({ domain, operator: 'DynamicQuantizeMatMul', versions: [1, 1], steps: dynamicProduct }),
);

/**
 * Computes alpha * A' B'. A' is A, with its last two axes swapped by `transA`, and its first axis
 * moved after the batch axes by `transBatchA`. B' is derived from B in the same way.
 */
function* fusedMatMul(call: TensorCall): OperatorSteps {
  const a = tensorInput(call, 0, floats);
  const b = tensorInput(call, 1, [a.element]) as Floats;
  const alpha = floatAttribute(call, 'alpha', 1);
  const product = (yield* matmulSteps(call, yield* turned(call, a, 'A'), yield* turned(call, b, 'B'))) as Floats;
  if (alpha === 1) return [product];
  return [yield* computedSteps(call, product.element, product.shape, (at) => alpha * product.data[at]!)];
}

/**
 * Returns A' or B': the tensor with its axes reordered as the node requests. A tensor of one axis
 * stays unchanged.
 */
function* turned(call: TensorCall, tensor: Floats, name: 'A' | 'B'): OperatorSteps<Floats> {
  const rank = tensor.shape.length;
  const order = tensor.shape.map((_, axis) => axis);
  if (rank > 2 && flagAttribute(call, `transBatch${name}`, false)) order.splice(rank - 2, 0, order.shift()!);
  if (rank > 1 && flagAttribute(call, `trans${name}`, false)) order.push(order.splice(rank - 2, 1)[0]!);
  if (order.every((axis, at) => axis === at)) return tensor;
  const own = strides(tensor.shape);
  const pick = (list: Shape) => order.map((axis) => list[axis]!);
  return (yield* strided(call, tensor, pick(tensor.shape), pick(own))) as Floats;
}

/** The attribute of the fused node for each attribute of the activation's operator. */
const activationParameters = { alpha: 'activation_alpha', beta: 'activation_beta', gamma: 'activation_gamma' };

/**
 * Computes a Gemm, and applies the operator of the standard domain that the attribute `activation`
 * names.
 */
function* fusedGemm(call: TensorCall): OperatorSteps {
  const [result] = yield* gemmSteps(call);
  if (!hasAttribute(call, 'activation')) return [result];
  const name = stringAttribute(call, 'activation');
  const operator = fusable.includes(name)
    ? [...activations, ...unary].find(({ operator }) => operator === name)
    : undefined;
  if (operator === undefined) throw call.fault(`activation '${name}'`, `one of the activations ${fusable.join(', ')}`);
  const given = Object.entries(activationParameters).filter(([, from]) => hasAttribute(call, from));
  const attributes = Object.fromEntries(given.map(([to, from]) => [to, floatAttribute(call, from)]));
  return yield* operator.steps!({ ...call, inputs: [result], attributes, opset: 13, outputs: 1 });
}

const fusable: readonly string[] = ['Relu', 'LeakyRelu', 'Tanh', 'Sigmoid', 'HardSigmoid', 'Elu', 'Softplus'];

/**
 * Multiplies small integers minus their zero points, scales the products by both scales, and adds
 * the bias. A has one scale or one per row, B one scale or one per column.
 */
function* integersToFloat(call: TensorCall): OperatorSteps {
  const [a, b] = [tensorInput(call, 2, ['float32']), tensorInput(call, 3, ['float32'])];
  const left = yield* lessZero(call, 0, 4, perRow);
  const product = yield* matmulSteps(call, left, yield* lessZero(call, 1, 5, perColumn));
  const scales = [perColumn(b.shape), b.data] as const;
  return [yield* scaledProduct(call, product as Integers, [perRow(a.shape), a.data], scales, 6)];
}

/** Quantizes A like DynamicQuantizeLinear and multiplies it by B. */
function* dynamicProduct(call: TensorCall): OperatorSteps {
  tensorInput(call, 1, bytes);
  const [quantized, scale, zero] = yield* dynamicQuantizeLinear(call);
  const integers = { ...call, inputs: [quantized, call.inputs[1], zero, call.inputs[3]] };
  const left = yield* lessZero(integers, 0, 2, perRow);
  const product = yield* matmulSteps(call, left, yield* lessZero(integers, 1, 3, perColumn));
  const b = tensorInput(call, 2, ['float32']);
  const a: Scales = [[], scale!.data as Float32Array];
  return [yield* scaledProduct(call, product as Integers, a, [perColumn(b.shape), b.data], 4)];
}

/** The scales of a matrix, and their shape for broadcasting. */
type Scales = readonly [shape: Shape, data: Float32Array];

type Integers = NumericTensor<'int32'>;

function* scaledProduct(
  call: TensorCall,
  product: Integers,
  a: Scales,
  b: Scales,
  biasAt: number,
): OperatorSteps<Tensor> {
  const bias = optionalInput(call, biasAt, ['float32']);
  const mapFrom = (shape: Shape) => {
    if (shape.every((size) => size === 1)) return () => 0;
    checkBroadcast(shape, product.shape, call);
    return indexMapOf(shape, product.shape, call);
  };
  const [left, right, added] = [mapFrom(a[0]), mapFrom(b[0]), mapFrom(bias?.shape ?? [])];
  return yield* computedSteps(call, 'float32', product.shape, (at) => {
    const scaled = Math.fround(product.data[at]! * Math.fround(a[1][left(at)]! * b[1][right(at)]!));
    return bias === undefined ? scaled : scaled + bias.data[added(at)]!;
  });
}
