import { denseLike } from '../../checks.js';
import { defineOp, float32, type Numbers } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { broadcastType, formula, type Side, sides } from '../arithmetic/operands.js';
import '../densify/index.js';
import { type Comparison, comparisons, reference } from './reference.js';

const names = Object.keys(comparisons);

export const compare = defineOp({
  name: 'compare',
  version: 1,
  doc: {
    does: 'Compares element by element with another vector or a constant.',
    types: 'float32[n], and another or a constant → bool[n]',
    attributes: {
      comparison: 'greater, greaterOrEqual, less, lessOrEqual or equal',
      side: 'where the constant stands: left, right or none',
    },
    parameters: { operand: 'float32[1] or [n], a constant' },
    kernels: ['compare'],
  },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none' },
  infer: (use) => denseLike(broadcastType('compare', use), 'bool'),
  reference,
  summary: ({ attributes }) => formula(attributes.comparison as string, attributes.side as Side),
  kernel: ({ attributes, parameters }) => ({
    kernel: 'compare',
    parameters: parameters.operand === undefined ? [] : ['operand'],
    attributes: [names.indexOf(attributes.comparison as string), sides.indexOf(attributes.side as Side)],
  }),
});

declare module '../../flow.js' {
  interface Flow<Kind> {
    /**
     * Compares element by element with constants or another flow.
     *
     * Shapes: dense float32 `[n]` and `[n]` or `[1]` → bool `[n]`. A comparison with NaN is false. Cost: O(n).
     * @see Source: ONNX Greater, Less, Equal, GreaterOrEqual, LessOrEqual.
     * @example counts.compare('greater', 0).cast('float32')
     */
    compare(
      this: Flow<'vector'>,
      comparison: Comparison,
      operand: Flow<'vector'> | number | Numbers,
      side?: Side,
    ): Flow<'vector'>;
  }
}

Flow.prototype.compare = function (this: Flow<'vector'>, comparison, operand, side = 'right') {
  const source = this.densify();
  if (operand instanceof Flow) {
    return this.context.apply<'vector'>(compare, [source, operand.densify()], {
      attributes: { comparison, side: 'none' },
    });
  }
  return this.context.apply<'vector'>(compare, [source], {
    attributes: { comparison, side },
    parameters: { operand: float32(typeof operand === 'number' ? [operand] : operand) },
  });
};
