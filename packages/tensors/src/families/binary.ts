import { choiceAttribute, flagAttribute } from '../attributes.js';
import { type TensorCall, tensorOperators } from '../define.js';
import { integerFormat, integers, isFloat, numbers, unsignedIntegers } from '../elements.js';
import { bitFunctions, comparisons, connectives, floatOperations, integerOperations } from '../shared/operations.js';
import type { NumericElement } from '../tensor.js';
import { type PairFunction, pair, question } from './pairs.js';

const add: PairFunction = { kernel: 'add', number: floatOperations.add, big: integerOperations.add };
const subtract: PairFunction = {
  kernel: 'subtract',
  number: floatOperations.subtract,
  big: integerOperations.subtract,
};

/**
 * Returns the function that multiplies two elements. The product of 32-bit integers has up to 64
 * bits, so `imul` computes its low 32 bits as a signed number. An array of an unsigned type stores
 * these bits as an unsigned number.
 */
const multiply = (_call: TensorCall, element: NumericElement): PairFunction => ({
  kernel: 'multiply',
  number: isFloat(element) ? floatOperations.multiply : Math.imul,
  big: integerOperations.multiply,
});

/** Returns the function that divides two elements. Integer division truncates towards 0. */
function divide(call: TensorCall, element: NumericElement): PairFunction {
  const whole = (a: number, b: number) => Math.trunc(a / divisorOf(b, call));
  return {
    kernel: 'divide',
    number: isFloat(element) ? floatOperations.divide : whole,
    big: (a, b) => integerOperations.divide(a, divisorOf(b, call)),
  };
}

function divisorOf<T extends number | bigint>(divisor: T, call: TensorCall): T {
  if (divisor === 0 || divisor === 0n) throw call.fault('an integer divided by 0', 'an integer divisor other than 0');
  return divisor;
}

/**
 * Returns the function that computes the remainder of two elements. The remainder has the sign of
 * the divisor, as in Python, or with `fmod` the sign of the dividend, as in C.
 */
function modulo(call: TensorCall, element: NumericElement): PairFunction {
  const sameSign = flagAttribute(call, 'fmod', false);
  if (isFloat(element)) return { number: sameSign ? floatOperations.remainder : floatOperations.modulo, big: (a) => a };
  if (sameSign)
    return {
      number: (a, b) => a % divisorOf(b, call),
      big: (a, b) => integerOperations.remainder(a, divisorOf(b, call)),
    };
  return {
    number: (a, b) => ((a % divisorOf(b, call)) + b) % b,
    big: (a, b) => integerOperations.modulo(a, divisorOf(b, call)),
  };
}

/**
 * Returns the function that shifts the bits of an element. A shift by the full width or more gives
 * 0.
 */
function shift(call: TensorCall, element: NumericElement): PairFunction {
  const left = choiceAttribute(call, 'direction', ['LEFT', 'RIGHT']) === 'LEFT';
  const bits = integerFormat[element as keyof typeof integerFormat].bits;
  return {
    number: (a, b) => (b >= bits ? 0 : left ? a << b : a >>> b),
    big: (a, b) => bitFunctions[left ? 'shiftLeft' : 'shiftRight'](a, b, bits),
  };
}

const same = (apply: PairFunction) => () => apply;
const bitwise = {
  and: same({ number: connectives.and, big: bitFunctions.and }),
  or: same({ number: connectives.or, big: bitFunctions.or }),
  xor: same({ number: connectives.xor, big: bitFunctions.xor }),
};
const comparable = [...numbers, 'bool', 'string'] as const;

/** Operators of two inputs with broadcasting. */
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
  question('Equal', comparable, 1, comparisons.equal),
  question('Less', numbers, 1, comparisons.less),
  question('Greater', numbers, 1, comparisons.greater),
  question('LessOrEqual', numbers, 12, comparisons.lessOrEqual),
  question('GreaterOrEqual', numbers, 12, comparisons.greaterOrEqual),
);
