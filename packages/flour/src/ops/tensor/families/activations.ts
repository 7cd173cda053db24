import { exp, sigmoid, tanh } from '@brezel/core';
import { choiceAttribute, floatAttribute } from '../attributes.js';
import { type TensorCall, tensorOperators } from '../define.js';
import { floats, signedIntegers } from '../elements.js';
import { erf } from '../erf.js';
import type { KernelFunction } from '../kernels.js';
import { each } from './each.js';

/** log(1 + e^x), which neither overflows nor loses small results. */
export const softplus = (x: number): number => Math.max(x, 0) + Math.log1p(exp(-Math.abs(x)));
const unit = (x: number): number => (x < 0 ? 0 : x > 1 ? 1 : x);

const SQRT_2_OVER_PI = 0.7978845608028654;
/** By the error function, or nearly so. */
export const geluForms = {
  none: (x: number) => 0.5 * x * (1 + erf(x * Math.SQRT1_2)),
  tanh: (x: number) => 0.5 * x * (1 + tanh(SQRT_2_OVER_PI * (x + 0.044715 * x * x * x))),
} as const;

const geluForm = (call: TensorCall) => choiceAttribute(call, 'approximate', ['none', 'tanh'], 'none');

const activation = (
  operator: string,
  since: number,
  functionOf: (call: TensorCall) => (x: number) => number,
  kernelOf?: (call: TensorCall) => KernelFunction,
) => each(operator, floats, since, (call) => ({ number: functionOf(call), kernel: kernelOf?.(call) }));

/** Attributes of ONNX are float32: so are their defaults. */
const attribute = (call: TensorCall, name: string, otherwise: number): number =>
  floatAttribute(call, name, Math.fround(otherwise));

/** Activations of neural networks, computed in float64 and rounded once. `sigmoid` and `tanh` are Brezel's own, as in `map`. */
export const activations = tensorOperators(
  each('Relu', [...floats, ...signedIntegers], 1, () => ({
    kernel: ['relu'],
    number: (x) => (x > 0 || Number.isNaN(x) ? x : 0),
    big: (x) => (x > 0n ? x : 0n),
  })),
  activation(
    'Sigmoid',
    1,
    () => sigmoid,
    () => ['sigmoid'],
  ),
  activation('Softplus', 1, () => softplus),
  activation('Softsign', 1, () => (x) => x / (1 + Math.abs(x))),
  activation(
    'LeakyRelu',
    1,
    (call) => {
      const alpha = attribute(call, 'alpha', 0.01);
      return (x) => (x < 0 ? alpha * x : x);
    },
    (call) => ['leakyRelu', attribute(call, 'alpha', 0.01)],
  ),
  activation('Elu', 1, (call) => {
    const alpha = attribute(call, 'alpha', 1);
    return (x) => (x < 0 ? alpha * Math.expm1(x) : x);
  }),
  activation('Selu', 1, (call) => {
    const alpha = attribute(call, 'alpha', call.opset < 6 ? 1.6732 : 1.6732632423543772);
    const gamma = attribute(call, 'gamma', call.opset < 6 ? 1.0507 : 1.0507009873554805);
    return (x) => gamma * (x < 0 ? alpha * Math.expm1(x) : x);
  }),
  activation('Celu', 12, (call) => {
    const alpha = attribute(call, 'alpha', 1);
    return (x) => (x < 0 ? alpha * Math.expm1(x / alpha) : x);
  }),
  activation(
    'HardSigmoid',
    1,
    (call) => {
      const [alpha, beta] = [attribute(call, 'alpha', 0.2), attribute(call, 'beta', 0.5)];
      return (x) => unit(alpha * x + beta);
    },
    (call) => ['hardSigmoid', attribute(call, 'alpha', 0.2), attribute(call, 'beta', 0.5)],
  ),
  activation(
    'HardSwish',
    14,
    () => (x) => x * unit(x / 6 + 0.5),
    () => ['hardSwish'],
  ),
  activation('ThresholdedRelu', 1, (call) => {
    const alpha = attribute(call, 'alpha', 1);
    return (x) => (x > alpha ? x : 0);
  }),
  activation(
    'Gelu',
    20,
    (call) => geluForms[geluForm(call)],
    (call) => [geluForm(call) === 'none' ? 'gelu' : 'geluTanh'],
  ),
  activation('Mish', 18, () => (x) => x * tanh(softplus(x))),
  activation(
    'Swish',
    24,
    (call) => {
      const alpha = attribute(call, 'alpha', 1);
      return (x) => x * sigmoid(alpha * x);
    },
    (call) => ['swish', attribute(call, 'alpha', 1)],
  ),
);
