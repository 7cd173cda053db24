import { sigmoid } from '@brezel/core';
import { floatAttribute } from '../attributes.js';
import { broadcast } from '../broadcast.js';
import { type TensorCall, tensorOperators } from '../define.js';
import { floats } from '../elements.js';
import { computed, onlyElement, optionalInput, tensorInput } from '../inputs.js';
import { bytes } from '../integer-products.js';
import { quantizer } from '../quantization.js';
import type { Tensor } from '../tensor.js';
import { geluForms } from './activations.js';

/**
 * Operators of com.microsoft. The tools of onnxruntime replace several nodes by one of these
 * operators.
 */
export const microsoft = tensorOperators(
  { domain: 'com.microsoft', operator: 'Gelu', versions: [1, 1], run: (call) => [mapped(call, geluForms.none)] },
  { domain: 'com.microsoft', operator: 'BiasGelu', versions: [1, 1], run: (call) => [mapped(call, geluForms.none)] },
  { domain: 'com.microsoft', operator: 'FastGelu', versions: [1, 1], run: (call) => [mapped(call, geluForms.tanh)] },
  { domain: 'com.microsoft', operator: 'QuickGelu', versions: [1, 1], run: (call) => [quickGelu(call)] },
  {
    domain: 'com.microsoft',
    operator: 'QLinearAdd',
    versions: [1, 1],
    run: (call) => [qLinear(call, (a, b) => a + b)],
  },
  {
    domain: 'com.microsoft',
    operator: 'QLinearMul',
    versions: [1, 1],
    run: (call) => [qLinear(call, (a, b) => a * b)],
  },
);

/** Applies a function to each element, after adding the optional bias. */
function mapped(call: TensorCall, apply: (x: number) => number): Tensor {
  const x = tensorInput(call, 0, floats);
  const bias = optionalInput(call, 1, [x.element]);
  if (bias === undefined) return computed(call, x.element, x.shape, (at) => apply(x.data[at]!));
  const { shape, indexMaps } = broadcast([x, bias], call);
  const [a, b] = indexMaps as [(at: number) => number, (at: number) => number];
  return computed(call, x.element, shape, (at) => apply(x.data[a(at)]! + bias.data[b(at)]!));
}

function quickGelu(call: TensorCall): Tensor {
  const alpha = floatAttribute(call, 'alpha', Math.fround(1.702));
  return mapped(call, (x) => x * sigmoid(alpha * x));
}

/** Dequantizes two tensors, applies a function, and quantizes the result. */
function qLinear(call: TensorCall, apply: (a: number, b: number) => number): Tensor {
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
  return computed(call, a.element, shape, (at) => {
    const one = (a.data[first(at)]! - left.zero) * left.scale;
    const other = (b.data[second(at)]! - right.zero) * right.scale;
    return quantize(Math.fround(apply(one, other) / result.scale), result.zero);
  });
}

interface Linear {
  readonly scale: number;
  readonly zero: number;
}
