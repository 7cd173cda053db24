import { acos, acosh, asin, asinh, atan, atanh, cos, cosh, erf, exp, log, sin, sinh, tan, tanh } from '@brezel/core';
import { tensorOperators } from '../define.js';
import { floats, numbers, signedIntegers } from '../elements.js';
import type { KernelFunction } from '../kernels.js';
import { roundHalfEven } from '../round.js';
import { each } from './each.js';

const sign = (x: bigint): bigint => (x > 0n ? 1n : x < 0n ? -1n : 0n);
const plain = (operator: string, since: number, number: (x: number) => number, kernel?: KernelFunction[0]) =>
  each(operator, floats, since, () => ({ number, kernel: kernel && [kernel] }));

/** Functions of one element each, without attributes. `exp`, `sin` and their kin are Brezel's own, as in `map`. */
export const unary = tensorOperators(
  {
    domain: '',
    operator: 'Identity',
    versions: [1, 25],
    run(call) {
      // Since version 16 a value may be of an optional type, and absent.
      if (call.inputs[0] === undefined && (call.opset < 16 || call.inputs.length === 0)) throw call.fault('no input 0');
      return [call.inputs[0]];
    },
  },
  each('Abs', numbers, 1, () => ({ number: Math.abs, big: (x) => (x < 0n ? -x : x) })),
  each('Neg', [...floats, ...signedIntegers], 1, () => ({ number: (x) => -x, big: (x) => -x })),
  each('Sign', numbers, 9, () => ({ number: Math.sign, big: sign })),
  plain('Ceil', 1, Math.ceil),
  plain('Floor', 1, Math.floor),
  plain('Round', 11, roundHalfEven),
  plain('Exp', 1, exp, 'exp'),
  plain('Log', 1, log),
  plain('Sqrt', 1, Math.sqrt, 'sqrt'),
  plain('Reciprocal', 1, (x) => 1 / x, 'reciprocal'),
  plain('Sin', 7, sin),
  plain('Cos', 7, cos),
  plain('Tan', 7, tan),
  plain('Asin', 7, asin),
  plain('Acos', 7, acos),
  plain('Atan', 7, atan),
  plain('Sinh', 9, sinh),
  plain('Cosh', 9, cosh),
  plain('Tanh', 1, tanh, 'tanh'),
  plain('Asinh', 9, asinh),
  plain('Acosh', 9, acosh),
  plain('Atanh', 9, atanh),
  each('Erf', numbers, 9, () => ({ number: erf, big: sign, kernel: ['erf'] })),
);
