import { sigmoid } from '@brezel/core';
import { floatAttribute } from '../attributes.js';
import { broadcast } from '../broadcast.js';
import { type OperatorSteps, type TensorCall, type TensorOperator, tensorOperators } from '../define.js';
import { floats } from '../elements.js';
import { computedSteps, onlyElement, optionalInput, tensorInput } from '../inputs.js';
import { bytes } from '../integer-products.js';
import { interruptible } from '../pauses.js';
import { quantizer } from '../quantization.js';
import type { Tensor } from '../tensor.js';
import { geluForms } from './activations.js';

function own(operator: string, result: (call: TensorCall) => OperatorSteps<Tensor>): TensorOperator {
  return interruptible({
    domain: 'com.microsoft',
    operator,
    versions: [1, 1],
    *steps(call) {
      return [yield* result(call)];
    },
  });
}

/**
 * Operators of com.microsoft. The tools of onnxruntime replace several nodes by one of these
 * operators.
 */
export const microsoft = tensorOperators(
  own('Gelu', (call) => mapped(call, geluForms.none)),
  own('BiasGelu', (call) => mapped(call, geluForms.none)),
  own('FastGelu', (call) => mapped(call, geluForms.tanh)),
  own('QuickGelu', quickGelu),
  own('QLinearAdd', (call) => qLinear(call, (a, b) => a + b)),
  own('QLinearMul', (call) => qLinear(call, (a, b) => a * b)),
);

/** Applies a function to each element, after adding the optional bias. */
function mapped(call: TensorCall, apply: (x: number) => number): OperatorSteps<Tensor> {
  const x = tensorInput(call, 0, floats);
  const bias = optionalInput(call, 1, [x.element]);
  if (bias === undefined) return computedSteps(call, x.element, x.shape, (at) => apply(x.data[at]!));
  const { shape, indexMaps } = broadcast([x, bias], call);
  const [a, b] = indexMaps as [(at: number) => number, (at: number) => number];
  return computedSteps(call, x.element, shape, (at) => apply(x.data[a(at)]! + bias.data[b(at)]!));
}

function quickGelu(call: TensorCall): OperatorSteps<Tensor> {
  const alpha = floatAttribute(call, 'alpha', Math.fround(1.702));
  return mapped(call, (x) => x * sigmoid(alpha * x));
}

/** Dequantizes two tensors, applies a function, and quantizes the result. */
function qLinear(call: TensorCall, apply: (a: number, b: number) => number): OperatorSteps<Tensor> {
  const a = tensorInput(call, 0, bytes);
  const b = tensorInput(call, 3, [a.element]);
  const scale = (index: number) => Number(onlyElement(call, tensorInput(call, index, ['float32']), 'a scale'));
  const zero = (index: number) => {
    const tensor = optionalInput(call, index, [a.element]);
    return tensor === undefined ? 0 : Number(onlyElement(call, tensor, 'a zero point'));
  };
  const [left, right, result] = [1, 4, 6].map((index) => ({ scale: scale(index), zero: zero(index + 1) })) as [
    Linear,
    Linear,
    Linear,
  ];
  const quantize = quantizer(a.element);
  const { shape, indexMaps } = broadcast([a, b], call);
  const [first, second] = indexMaps as [(at: number) => number, (at: number) => number];
  return computedSteps(call, a.element, shape, (at) => {
    const one = (a.data[first(at)]! - left.zero) * left.scale;
    const other = (b.data[second(at)]! - right.zero) * right.scale;
    return quantize(Math.fround(apply(one, other) / result.scale), result.zero);
  });
}

interface Linear {
  readonly scale: number;
  readonly zero: number;
}
