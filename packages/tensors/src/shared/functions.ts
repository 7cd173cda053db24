import {
  acos,
  acosh,
  asin,
  asinh,
  atan,
  atanh,
  cos,
  cosh,
  erf,
  exp,
  expm1,
  log,
  log1p,
  sigmoid,
  sin,
  sinh,
  tan,
  tanh,
} from '@brezel/core';
import { roundHalfEven } from '../round.js';

const SQRT_2_OVER_PI = 0.7978845608028654;

const unit = (x: number): number => (x < 0 ? 0 : x > 1 ? 1 : x);

/** Computes log(1 + e^x) without overflow and without losing small results. */
const softplus = (x: number): number => Math.max(x, 0) + log1p(exp(-Math.abs(x)));

/**
 * The functions of one number that the kernel `map` can apply, in the order of their numbers. They
 * compute in float64; storing a result as float32 rounds it.
 */
export const functions = {
  exp,
  log,
  sigmoid,
  tanh,
  relu: (x: number) => (x > 0 || Number.isNaN(x) ? x : 0),
  negate: (x: number) => -x,
  abs: Math.abs,
  sqrt: Math.sqrt,
  reciprocal: (x: number) => 1 / x,
  sign: Math.sign,
  floor: Math.floor,
  ceil: Math.ceil,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  asinh,
  acosh,
  atanh,
  erf,
  round: roundHalfEven,
  softplus,
  softsign: (x: number) => x / (1 + Math.abs(x)),
  hardSwish: (x: number) => x * unit(x / 6 + 0.5),
  gelu: (x: number) => 0.5 * x * (1 + erf(x * Math.SQRT1_2)),
  geluTanh: (x: number) => 0.5 * x * (1 + tanh(SQRT_2_OVER_PI * (x + 0.044715 * x * x * x))),
  mish: (x: number) => x * tanh(softplus(x)),
} as const;

/**
 * The functions of the kernel `map` that also take one or two settings, such as the slope of
 * LeakyRelu. The kernel identifies them by the numbers after those of `functions`.
 */
export const shapedFunctions = {
  leakyRelu: (x: number, alpha: number) => (x < 0 ? alpha * x : x),
  elu: (x: number, alpha: number) => (x < 0 ? alpha * expm1(x) : x),
  selu: (x: number, alpha: number, gamma: number) => gamma * (x < 0 ? alpha * expm1(x) : x),
  celu: (x: number, alpha: number) => (x < 0 ? alpha * expm1(x / alpha) : x),
  hardSigmoid: (x: number, alpha: number, beta: number) => unit(alpha * x + beta),
  thresholdedRelu: (x: number, alpha: number) => (x > alpha ? x : 0),
  swish: (x: number, alpha: number) => x * sigmoid(alpha * x),
  shrink: (x: number, lambda: number, bias: number) => (x < -lambda ? x + bias : x > lambda ? x - bias : 0),
  affine: (x: number, alpha: number, beta: number) => alpha * x + beta,
  scaledTanh: (x: number, alpha: number, beta: number) => alpha * tanh(beta * x),
  scaledSoftplus: (x: number, alpha: number, beta: number) => alpha * softplus(beta * x),
} as const;

export type PlainFunction = keyof typeof functions;
export type ShapedFunction = keyof typeof shapedFunctions;
/** Names a function of one number that `Flow.map` applies. */
export type MapFunction = PlainFunction | ShapedFunction;

/** The default settings of the functions in `shapedFunctions`, as ONNX defines them. */
export const usualShapes: Readonly<Record<ShapedFunction, readonly [alpha: number, beta?: number]>> = {
  leakyRelu: [0.01],
  elu: [1],
  selu: [1.6732632423543772, 1.0507009873554805],
  celu: [1],
  hardSigmoid: [0.2, 0.5],
  thresholdedRelu: [1],
  swish: [1],
  shrink: [0.5, 0],
  affine: [1, 0],
  scaledTanh: [1, 0],
  scaledSoftplus: [1, 0],
};

export const isShaped = (name: string): name is ShapedFunction => Object.hasOwn(usualShapes, name);
