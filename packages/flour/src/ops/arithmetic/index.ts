import { floatOperations } from '@brezel/tensors';
import { defineOp, type Numbers } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { passesMissing } from '../../missing.js';
import '../densify/index.js';
import { affine, identity, quality } from './algebra.js';
import { contributions } from './contributions.js';
import { broadcastType, computedTypes, constantLike, formula, type Side, sides } from './operands.js';
import { type Operation, operations, reference, unsignedOperations } from './reference.js';

const ofIntegers: readonly string[] = unsignedOperations;
const names = [...Object.keys(operations), ...ofIntegers];

/**
 * Defines the operator `arithmetic`, which adds, subtracts, multiplies or divides two operands
 * element by element, or computes their maximum, minimum, power or remainder. `Flow.arithmetic`
 * adds it to a program.
 *
 * Types: float32[n], float64[n], int64[n] or int32[n], and a second operand or a constant of that
 * type → the same.
 */
export const arithmetic = defineOp({
  name: 'arithmetic',
  version: 1,
  doc: {
    does: 'Adds, subtracts, multiplies or divides two operands element by element, or computes their maximum, minimum, power or remainder. An operand with one element is combined with every element of the other operand.',
    types: 'float32[n], float64[n], int64[n] or int32[n], and a second operand or a constant of that type → the same',
    attributes: {
      operation:
        'add, subtract, multiply, divide, maximum, minimum, power, modulo, remainder; for integers also unsignedDivide or unsignedRemainder',
      side: 'position of the constant: left, right or none',
    },
    parameters: { operand: '[1] or [n] of the type of the input, a constant' },
    kernels: ['arith'],
  },
  attributes: { operation: [...Object.keys(floatOperations), 'unsignedDivide', 'unsignedRemainder'], side: sides },
  parameters: { operand: 'input' },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none', wide: true },
  infer(use) {
    const isOfIntegers = ofIntegers.includes(use.attributes.operation as string);
    return broadcastType('arithmetic', use, ...(isOfIntegers ? (['int64', 'int32'] as const) : computedTypes));
  },
  reference,
  contributions,
  identity,
  affine,
  summary: ({ attributes }) => formula(attributes.operation as string, attributes.side as Side),
  quality,
  missing: passesMissing,
  kernel: ({ attributes, parameters }) => ({
    kernel: 'arith',
    parameters: parameters.operand === undefined ? [] : ['operand'],
    attributes: [names.indexOf(attributes.operation as string), sides.indexOf(attributes.side as Side)],
  }),
});

/**
 * The second operand of a method that works element by element: a flow, one number, or one number
 * per element.
 */
export type Operand<Fields = unknown> = Flow<'vector' | 'scalar', Fields, unknown> | number | Numbers;

export { type Operation, operations } from './reference.js';

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Combines two operands element by element: adds, subtracts, multiplies or divides them, or
     * computes their maximum, minimum, power or remainder. The second operand is another flow, one
     * number, or a list of numbers. An operand with one element is combined with every element of
     * the other operand. The result of `modulo` has the sign of the divisor, and the result of
     * `remainder` has the sign of the dividend. `unsignedDivide` and `unsignedRemainder` read
     * integers as unsigned.
     *
     * Shapes: `[n]` and `[n]` or `[1]`, dense float32, float64, int64 or int32, both of the same
     * type → `[n]`. Cost: O(n). Bit-equal on every engine: each result is rounded once. Powers of
     * floats are within 1e-14 of the true value before the rounding. Integers wrap around, and
     * integer division truncates towards 0.
     * @throws ERR_FLOUR_SIZE if the sizes differ and neither is 1; ERR_FLOUR_TYPE if the element
     * types differ.
     * @throws ERR_RUNTIME_INPUT during a prediction, for an integer divided by 0.
     * @see Source: ONNX Add, Sub, Mul, Div, Max, Min, Pow, Mod.
     * @example scores.arithmetic('subtract', [0.5, 0.5]).arithmetic('divide', 2)
     */
    arithmetic<Fields = unknown>(
      this: Flow<'vector', Row, Value>,
      operation: Operation,
      operand: Operand<Fields>,
      side?: Side,
    ): Flow<'vector', Row & Fields, Value>;
    arithmetic<Fields = unknown>(
      this: Flow<'scalar', Row, Value>,
      operation: Operation,
      operand: Operand<Fields>,
      side?: Side,
    ): Flow<'scalar', Row & Fields, Value>;
  }
}

Flow.prototype.arithmetic = function (this: Flow, operation: Operation, operand: Operand, side: Side = 'right') {
  const source = this.kind === 'vector' ? (this as Flow<'vector'>).densify() : this;
  if (operand instanceof Flow) {
    const other = operand.kind === 'vector' ? (operand as Flow<'vector'>).densify() : operand;
    return this.context.apply(arithmetic, [source, other], { attributes: { operation, side: 'none' } }) as never;
  }
  return this.context.apply(arithmetic, [source], {
    attributes: { operation, side },
    parameters: { operand: constantLike(source, operand) },
  }) as never;
};
