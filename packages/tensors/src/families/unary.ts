import { tensorOperators } from '../define.js';
import { floats, numbers, signedIntegers } from '../elements.js';
import type { KernelFunction } from '../kernels.js';
import { functions } from '../shared/functions.js';
import { each } from './each.js';

const sign = (x: bigint): bigint => (x > 0n ? 1n : x < 0n ? -1n : 0n);
const plain = (operator: string, since: number, number: (x: number) => number, kernel?: KernelFunction[0]) =>
  each(operator, floats, since, () => ({ number, kernel: kernel && [kernel] }));

/**
 * Functions of one element without attributes. `exp`, `sin` and similar functions are shared with
 * the row operator `map`.
 */
export const unary = tensorOperators(
  {
    domain: '',
    operator: 'Identity',
    versions: [1, 25],
    run(call) {
      // Since version 16, the input may have an optional type, and its value may be absent.
      if (call.inputs[0] === undefined && (call.opset < 16 || call.inputs.length === 0))
        throw call.fault('no input 0', 'a value as input 0');
      return [call.inputs[0]];
    },
  },
  each('Abs', numbers, 1, () => ({ number: functions.abs, big: (x) => (x < 0n ? -x : x) })),
  each('Neg', [...floats, ...signedIntegers], 1, () => ({ number: functions.negate, big: (x) => -x })),
  each('Sign', numbers, 9, () => ({ number: functions.sign, big: sign })),
  plain('Ceil', 1, functions.ceil),
  plain('Floor', 1, functions.floor),
  plain('Round', 11, functions.round),
  plain('Exp', 1, functions.exp, 'exp'),
  plain('Log', 1, functions.log),
  plain('Sqrt', 1, functions.sqrt, 'sqrt'),
  plain('Reciprocal', 1, functions.reciprocal, 'reciprocal'),
  plain('Sin', 7, functions.sin),
  plain('Cos', 7, functions.cos),
  plain('Tan', 7, functions.tan),
  plain('Asin', 7, functions.asin),
  plain('Acos', 7, functions.acos),
  plain('Atan', 7, functions.atan),
  plain('Sinh', 9, functions.sinh),
  plain('Cosh', 9, functions.cosh),
  plain('Tanh', 1, functions.tanh, 'tanh'),
  plain('Asinh', 9, functions.asinh),
  plain('Acosh', 9, functions.acosh),
  plain('Atanh', 9, functions.atanh),
  each('Erf', numbers, 9, () => ({ number: functions.erf, big: sign, kernel: ['erf'] })),
);
