import { dtypeOf, sizeOf } from '@brezel/core';
import { comparisons } from '@brezel/tensors';
import { denseLike } from '../../checks.js';
import { defineOp, type Numbers } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { handlesMissing } from '../../missing.js';
import { broadcastType, computedTypes, constantLike, formula, type Side, sides } from '../arithmetic/operands.js';
import '../densify/index.js';
import { type Comparison, reference } from './reference.js';

const names = Object.keys(comparisons);

/**
 * Defines the operator `compare`, which compares a vector with another vector or a constant,
 * element by element. `Flow.compare` adds it to a program.
 *
 * Types: numbers [n] of any type, and a second operand or a constant of that type → bool[n]. The
 * comparison `equal` also accepts two texts [n].
 */
export const compare = defineOp({
  name: 'compare',
  version: 1,
  doc: {
    does: 'Compares each element with a constant, or with the element of another vector at the same index.',
    types:
      'numbers [n] of any type, and a second operand or a constant of that type → bool[n]. The comparison equal also accepts two texts [n]',
    attributes: {
      comparison: 'greater, greaterOrEqual, less, lessOrEqual or equal',
      side: 'position of the constant: left, right or none',
    },
    parameters: { operand: '[1] or [n] of the type of the input, a constant' },
    kernels: ['compare', 'equal_texts'],
  },
  attributes: { comparison: ['greater', 'less', 'equal', 'greaterOrEqual', 'lessOrEqual'], side: sides },
  parameters: { operand: 'input' },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none' },
  infer(use) {
    const ofTexts =
      use.attributes.comparison === 'equal' && use.attributes.side === 'none' ? (['string'] as const) : [];
    return denseLike(broadcastType('compare', use, ...computedTypes, 'bool', ...ofTexts), 'bool');
  },
  reference,
  summary: ({ attributes }) => formula(attributes.comparison as string, attributes.side as Side),
  // `x == x` is the test for NaN: no other value differs from itself
  missing: (use) =>
    use.isOneValue && use.inputs.length === 2 && use.attributes.comparison === 'equal'
      ? handlesMissing(use)
      : new Uint8Array(sizeOf(use.inputs[use.input]!)),
  kernel({ attributes, parameters, inputs }) {
    if (dtypeOf(inputs[0]!) === 'string') return { kernel: 'equal_texts' };
    return {
      kernel: 'compare',
      parameters: parameters.operand === undefined ? [] : ['operand'],
      attributes: [names.indexOf(attributes.comparison as string), sides.indexOf(attributes.side as Side)],
    };
  },
});

/** Compares two flows of texts element by element and returns bools. */
export const equalTexts = (left: Flow, right: Flow): Flow =>
  left.context.apply(compare, [left, right], { attributes: { comparison: 'equal', side: 'none' } });

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Compares each element with a constant, or with the element of another flow at the same index.
     *
     * Shapes: dense `[n]` and `[n]` or `[1]`, of the same type → bool `[n]`. A comparison with NaN
     * is false. Cost: O(n).
     * @throws ERR_FLOUR_SIZE if the sizes differ and neither is 1; ERR_FLOUR_TYPE if the element
     * types differ.
     * @see Source: ONNX Greater, Less, Equal, GreaterOrEqual, LessOrEqual.
     * @example counts.compare('greater', 0).cast('float32')
     */
    compare<Fields = unknown>(
      this: Flow<'vector', Row, unknown>,
      comparison: Comparison,
      operand: Flow<'vector', Fields, unknown> | number | Numbers,
      side?: Side,
    ): Flow<'vector', Row & Fields, readonly boolean[]>;
  }
}

Flow.prototype.compare = function (this: Flow<'vector'>, comparison, operand, side = 'right') {
  const source = this.densify();
  if (operand instanceof Flow) {
    return this.context.apply(compare, [source, operand.densify()], {
      attributes: { comparison, side: 'none' },
    }) as never;
  }
  return this.context.apply(compare, [source], {
    attributes: { comparison, side },
    parameters: { operand: constantLike(source, operand) },
  }) as never;
};
