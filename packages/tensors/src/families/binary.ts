import { choiceAttribute, flagAttribute } from '../attributes.js';
import { type TensorCall, tensorOperators } from '../define.js';
import { integerFormat, integers, isFloat, numbers, unsignedIntegers } from '../elements.js';
import { floorModulo } from '../shared/division.js';
import type { NumericElement } from '../tensor.js';
import { type PairFunction, pair, question } from './pairs.js';

const add: PairFunction = { kernel: 'add', number: (a, b) => a + b, big: (a, b) => a + b };
const subtract: PairFunction = { kernel: 'subtract', number: (a, b) => a - b, big: (a, b) => a - b };

/** The product of 32-bit integers has up to 64 bits: `imul` keeps the low ones, which the store makes unsigned where it must. */
const multiply = (_call: TensorCall, element: NumericElement): PairFunction => ({
  kernel: 'multiply',
  number: isFloat(element) ? (a, b) => a * b : Math.imul,
  big: (a, b) => a * b,
});

/** Integers are truncated towards 0. */
function divide(call: TensorCall, element: NumericElement): PairFunction {
  const whole = (a: number, b: number) => Math.trunc(a / divisorOf(b, call));
  return {
    kernel: 'divide',
    number: isFloat(element) ? (a, b) => a / b : whole,
    big: (a, b) => a / divisorOf(b, call),
  };
}

function divisorOf<T extends number | bigint>(divisor: T, call: TensorCall): T {
  if (divisor === 0 || divisor === 0n) throw call.fault('an integer divided by 0');
  return divisor;
}

/** The remainder with the sign of the divisor, as in Python, or with `fmod` the one with the sign of the dividend, as in C. */
function modulo(call: TensorCall, element: NumericElement): PairFunction {
  const sameSign = flagAttribute(call, 'fmod', false);
  if (isFloat(element)) return { number: sameSign ? (a, b) => a % b : floorModulo, big: (a) => a };
  if (sameSign) return { number: (a, b) => a % divisorOf(b, call), big: (a, b) => a % divisorOf(b, call) };
  return {
    number: (a, b) => ((a % divisorOf(b, call)) + b) % b,
    big: (a, b) => ((a % divisorOf(b, call)) + b) % b,
  };
}

/** Bits that leave the element are lost: a shift by all of them or more gives 0. */
function shift(call: TensorCall, element: NumericElement): PairFunction {
  const left = choiceAttribute(call, 'direction', ['LEFT', 'RIGHT']) === 'LEFT';
  const bits = integerFormat[element as keyof typeof integerFormat].bits;
  return {
    number: (a, b) => (b >= bits ? 0 : left ? a << b : a >>> b),
    big: (a, b) => (b >= bits ? 0n : left ? a << b : a >> b),
  };
}

const same = (apply: PairFunction) => () => apply;
const bitwise = {
  and: same({ number: (a, b) => a & b, big: (a, b) => a & b }),
  or: same({ number: (a, b) => a | b, big: (a, b) => a | b }),
  xor: same({ number: (a, b) => a ^ b, big: (a, b) => a ^ b }),
};
const comparable = [...numbers, 'bool', 'string'] as const;

/** Operators of two inputs that are repeated against each other. */
export const binary = tensorOperators(
  pair('Add', numbers, 1, same(add)),
  pair('Sub', numbers, 1, same(subtract)),
  pair('Mul', numbers, 1, multiply),
  pair('Div', numbers, 1, divide),
  pair('Mod', numbers, 10, modulo),
  pair('And', ['bool'], 1, bitwise.and),
  pair('Or', ['bool'], 1, bitwise.or),
  pair('Xor', ['bool'], 1, bitwise.xor),
  pair('BitwiseAnd', integers, 18, bitwise.and),
  pair('BitwiseOr', integers, 18, bitwise.or),
  pair('BitwiseXor', integers, 18, bitwise.xor),
  pair('BitShift', unsignedIntegers, 11, shift),
  question('Equal', comparable, 1, (a, b) => a === b),
  question('Less', numbers, 1, (a, b) => a < b),
  question('Greater', numbers, 1, (a, b) => a > b),
  question('LessOrEqual', numbers, 12, (a, b) => a <= b),
  question('GreaterOrEqual', numbers, 12, (a, b) => a >= b),
);
