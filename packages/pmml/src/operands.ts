import type { Flow } from '@brezel/flour';
import { MISSING, type Operand } from './value.js';

// Functions of operands. They compute constants during the import, so that a program has no
// operators between constants. NaN is a missing value, and a function of a missing value is
// missing.

type Binary = 'add' | 'subtract' | 'multiply' | 'divide' | 'minimum' | 'maximum' | 'power';
type Comparison = 'equal' | 'less' | 'lessOrEqual' | 'greater' | 'greaterOrEqual';

const binary: Readonly<Record<Binary, (a: number, b: number) => number>> = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
  divide: (a, b) => a / b,
  minimum: Math.min,
  maximum: Math.max,
  power: (a, b) => a ** b,
};

export function arithmetic(operation: Binary, a: Operand, b: Operand): Operand {
  if (typeof a === 'number' && typeof b === 'number') return binary[operation](a, b);
  if (Number.isNaN(a) || Number.isNaN(b)) return MISSING;
  if (typeof a === 'number') return (b as Flow<'vector'>).arithmetic(operation, a, 'left');
  return a.arithmetic(operation, b);
}

const unary = {
  exp: Math.exp,
  log: Math.log,
  sqrt: Math.sqrt,
  abs: Math.abs,
  floor: Math.floor,
  ceil: Math.ceil,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  sigmoid: (x: number) => 1 / (1 + Math.exp(-x)),
} as const;
export type Unary = keyof typeof unary;

export const map = (name: Unary, x: Operand): Operand => (typeof x === 'number' ? unary[name](x) : x.map(name));

const comparisons: Readonly<Record<Comparison, (a: number, b: number) => boolean>> = {
  equal: (a, b) => a === b,
  less: (a, b) => a < b,
  lessOrEqual: (a, b) => a <= b,
  greater: (a, b) => a > b,
  greaterOrEqual: (a, b) => a >= b,
};

/** A flow of bools. */
export type Bools = Flow<'vector', unknown, readonly boolean[]>;

/** A condition of a row: a flow of one bool, or the same bool for all rows. */
export type Condition = Bools | boolean;

/** Converts a flow to float64. */
export const asFloat = (flow: Flow<'vector', unknown, unknown>): Flow<'vector'> =>
  flow.cast('float64') as unknown as Flow<'vector'>;

/** Rounds a flow to float32. */
export const asFloat32 = (flow: Flow<'vector'>): Flow<'vector'> => asFloat(flow.cast('float32'));

/** Converts a flow of one number to an index. */
export const asIndex = (flow: Flow<'vector'>): Flow<'scalar'> =>
  flow.cast('int64').asScalar() as unknown as Flow<'scalar'>;

/** Compares two operands. A comparison with a missing value is false. */
export function compare(comparison: Comparison, a: Operand, b: Operand): Condition {
  if (typeof a === 'number' && typeof b === 'number') return comparisons[comparison](a, b);
  if (Number.isNaN(a) || Number.isNaN(b)) return false;
  if (typeof a === 'number') return (b as Flow<'vector'>).compare(comparison, a, 'left');
  return a.compare(comparison, b);
}

/** Returns whether an operand has a value. */
export function isPresent(x: Flow<'vector'>): Bools;
export function isPresent(x: Operand): Condition;
export function isPresent(x: Operand): Condition {
  return typeof x === 'number' ? !Number.isNaN(x) : x.compare('equal', x);
}

/** Chooses between two operands. */
export function choose(condition: Condition, yes: Operand, no: Operand): Operand {
  if (typeof condition === 'boolean') return condition ? yes : no;
  if (typeof yes !== 'number' || typeof no !== 'number') return condition.where(yes, no);
  // The constants of `where` alone would be float32.
  return asFloat(condition).compare('equal', 1).where(constantFlow(condition, yes), no);
}

/** Returns a flow of a constant. It reads the flow `any`, because each operator has an input. */
export function constantFlow(any: Flow<'vector', unknown, unknown>, value: number): Flow<'vector'> {
  const none = new Int32Array([0]);
  return asFloat(any).forest({
    feature: none,
    threshold: new Float64Array(1),
    mode: new Int32Array([6]),
    trueChild: none,
    falseChild: none,
    missingTrue: new Int32Array([1]),
    roots: none,
    leafStart: new Int32Array([0, 1]),
    leafTarget: none,
    leafWeight: Float64Array.of(value),
    base: new Float64Array(1),
    memberStart: new Int32Array(2),
    members: new Float64Array(0),
  });
}

/** Converts a condition to the boolean 0 or 1. */
export const booleanOf = (condition: Condition): Operand =>
  typeof condition === 'boolean' ? Number(condition) : asFloat(condition);

/** Returns a boolean that is missing if one of the values is missing. */
export function unlessMissing(result: Operand, values: readonly Operand[]): Operand {
  return values.reduce((chosen: Operand, value) => choose(isPresent(value), chosen, MISSING), result);
}
