import { bitFunctions } from '@brezel/tensors';
import { defineOp, type Numbers } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { placeOf } from '../../numbers.js';
import { broadcastType, constantLike, formula, type Side, sides } from '../arithmetic/operands.js';
import { type BitFunction, reference } from './reference.js';

const names = Object.keys(bitFunctions);

/**
 * Defines the operator `bitwise`, which combines or shifts the bits of integers, element by
 * element. `Flow.bitwise` adds it to a program.
 *
 * Types: int64[n] or int32[n], and a second operand or a constant of that type → the same.
 */
export const bitwise = defineOp({
  name: 'bitwise',
  version: 1,
  doc: {
    does: 'Combines or shifts the bits of integers, element by element. An operand with one element is combined with every element of the other operand.',
    types: 'int64[n] or int32[n], and a second operand or a constant of that type → the same',
    attributes: {
      function: 'and, or, xor, shiftLeft or shiftRight',
      side: 'position of the constant: left, right or none',
    },
    parameters: { operand: '[1] or [n] of the type of the input, a constant' },
    kernels: ['bitwise'],
  },
  attributes: { function: 'infer', side: sides },
  parameters: { operand: 'input' },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none', wide: true },
  infer(use) {
    placeOf('bitwise', 'function', use.attributes.function, names);
    return broadcastType('bitwise', use, 'int64', 'int32');
  },
  reference,
  summary: ({ attributes }) => formula(attributes.function as string, attributes.side as Side),
  kernel: ({ attributes, parameters }) => ({
    kernel: 'bitwise',
    parameters: parameters.operand === undefined ? [] : ['operand'],
    attributes: [names.indexOf(attributes.function as string), sides.indexOf(attributes.side as Side)],
  }),
});

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Combines or shifts the bits of integers, with another flow or with constants. Integers are
     * read as unsigned: a shift inserts zeros, and a shift by the full width or more gives 0.
     *
     * Shapes: `[n]` and `[n]` or `[1]`, dense int64 or int32, both of the same type → `[n]`. Cost:
     * O(n). Bit-equal on every engine.
     * @throws ERR_FLOUR_SIZE if the sizes differ and neither is 1; ERR_FLOUR_TYPE for elements that
     * are not integers, or of two types.
     * @see Source: ONNX BitwiseAnd, BitwiseOr, BitwiseXor, BitwiseNot, BitShift.
     * @example counts.cast('int64').bitwise('and', 7).bitwise('shiftLeft', 1)
     */
    bitwise<Fields = unknown>(
      this: Flow<'vector', Row, Value>,
      name: BitFunction,
      operand: Flow<'vector', Fields, unknown> | number | Numbers,
      side?: Side,
    ): Flow<'vector', Row & Fields, Value>;
  }
}

Flow.prototype.bitwise = function (this: Flow<'vector'>, name, operand, side = 'right') {
  const isFlow = operand instanceof Flow;
  return this.context.apply<'vector'>(bitwise, isFlow ? [this, operand] : [this], {
    attributes: { function: name, side: isFlow ? 'none' : side },
    ...(!isFlow && { parameters: { operand: constantLike(this, operand) } }),
  });
};
