import { power } from '@brezel/core';
import { floorModulo, integerPower } from './division.js';

// Operations on two elements, for tensor operators and row operators. Kernels and fleet files
// select an operation by its index in its table, so add a new operation at the end of a table.

/** Operations on floats, computed in float64. Storing a result rounds it once. */
export const floatOperations = {
  add: (a: number, b: number) => a + b,
  subtract: (a: number, b: number) => a - b,
  multiply: (a: number, b: number) => a * b,
  divide: (a: number, b: number) => a / b,
  // NaN wins over numbers. If operands are equal, such as 0 and -0, the first operand is the
  // result.
  maximum: (a: number, b: number) => (a < b || Number.isNaN(b) ? b : a),
  minimum: (a: number, b: number) => (a > b || Number.isNaN(b) ? b : a),
  power,
  /** The remainder with the sign of the divisor. */
  modulo: floorModulo,
  /** The remainder with the sign of the dividend. */
  remainder: (a: number, b: number) => a % b,
} as const;

/**
 * Operations on integers. The caller wraps the result to the width of the type, and rejects a zero
 * divisor before it calls the operation. Divisions truncate towards 0.
 */
export const integerOperations = {
  add: (a: bigint, b: bigint) => a + b,
  subtract: (a: bigint, b: bigint) => a - b,
  multiply: (a: bigint, b: bigint) => a * b,
  divide: (a: bigint, b: bigint) => a / b,
  maximum: (a: bigint, b: bigint) => (a < b ? b : a),
  minimum: (a: bigint, b: bigint) => (a > b ? b : a),
  power: integerPower,
  modulo: (a: bigint, b: bigint) => ((a % b) + b) % b,
  remainder: (a: bigint, b: bigint) => a % b,
} as const;

/** Comparisons of two elements of one type. A comparison with NaN is false. */
export const comparisons = {
  greater: <T extends number | bigint | string>(a: T, b: T) => a > b,
  less: <T extends number | bigint | string>(a: T, b: T) => a < b,
  equal: <T extends number | bigint | string>(a: T, b: T) => a === b,
  greaterOrEqual: <T extends number | bigint | string>(a: T, b: T) => a >= b,
  lessOrEqual: <T extends number | bigint | string>(a: T, b: T) => a <= b,
} as const;

/** Bitwise operations on integers of at most 32 bits, and on bools stored as 0 and 1. */
export const connectives = {
  and: (a: number, b: number) => a & b,
  or: (a: number, b: number) => a | b,
  xor: (a: number, b: number) => a ^ b,
} as const;

/** Bitwise operations on unsigned integers. A shift by `bits` or more gives 0. */
export const bitFunctions = {
  and: (a: bigint, b: bigint) => a & b,
  or: (a: bigint, b: bigint) => a | b,
  xor: (a: bigint, b: bigint) => a ^ b,
  shiftLeft: (a: bigint, b: bigint, bits: number) => (b < bits ? a << b : 0n),
  shiftRight: (a: bigint, b: bigint, bits: number) => (b < bits ? a >> b : 0n),
} as const;
