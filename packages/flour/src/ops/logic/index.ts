import { connectives } from '@brezel/tensors';
import { defineOp, type Numbers } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { placeOf } from '../../numbers.js';
import { broadcastType, constantLike, formula, type Side, sides } from '../arithmetic/operands.js';
import { type Connective, reference } from './reference.js';

const names = Object.keys(connectives);

/**
 * Defines the operator `logic`, which combines bools element by element with the operation `and`,
 * `or` or `xor`. `Flow.logic` adds it to a program.
 *
 * Types: bool[n], and a second operand or a constant → bool[n].
 */
export const logic = defineOp({
  name: 'logic',
  version: 1,
  doc: {
    does: 'Combines bools element by element with and, or or xor.',
    types: 'bool[n], and a second operand or a constant → bool[n]',
    attributes: { connective: 'and, or, xor', side: 'position of the constant: left, right or none' },
    parameters: { operand: 'bool[1] or [n], a constant' },
    kernels: ['logic'],
  },
  attributes: { connective: 'infer', side: sides },
  parameters: { operand: ['bool'] },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none' },
  infer(use) {
    placeOf('logic', 'connective', use.attributes.connective, names);
    return broadcastType('logic', use, 'bool');
  },
  reference,
  summary: ({ attributes }) => formula(attributes.connective as string, attributes.side as Side),
  kernel: ({ attributes, parameters }) => ({
    kernel: 'logic',
    parameters: parameters.operand === undefined ? [] : ['operand'],
    attributes: [names.indexOf(attributes.connective as string), sides.indexOf(attributes.side as Side)],
  }),
});

export type { Connective } from './reference.js';

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Combines bools element by element with another flow or with constants. The result is true if
     * both are true (`and`), if at least one is true (`or`), or if exactly one is true (`xor`).
     *
     * Shapes: bool `[n]` and `[n]` or `[1]` → bool `[n]`. Cost: O(n). Bit-equal on every engine.
     * @throws ERR_FLOUR_SIZE if the sizes differ and neither is 1; ERR_FLOUR_TYPE for elements that
     * are not bools.
     * @see Source: ONNX And, Or, Xor.
     * @example scores.compare('greater', 0).logic('and', scores.compare('less', 1))
     */
    logic<Fields = unknown>(
      this: Flow<'vector', Row, unknown>,
      connective: Connective,
      operand: Flow<'vector', Fields, unknown> | Numbers,
    ): Flow<'vector', Row & Fields, readonly boolean[]>;
    logic<Fields = unknown>(
      this: Flow<'scalar', Row, unknown>,
      connective: Connective,
      operand: Flow<'scalar', Fields, unknown> | Numbers,
    ): Flow<'scalar', Row & Fields, boolean>;
  }
}

Flow.prototype.logic = function (this: Flow, connective: Connective, operand: Flow | Numbers) {
  const { context } = this;
  if (operand instanceof Flow)
    return context.apply(logic, [this, operand], { attributes: { connective, side: 'none' } }) as never;
  const parameters = { operand: constantLike(this, operand) };
  return context.apply(logic, [this], { attributes: { connective, side: 'right' }, parameters }) as never;
};
