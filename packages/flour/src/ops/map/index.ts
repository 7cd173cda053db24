import { ofNumbers, onlyInput } from '../../checks.js';
import { ENTRY_NANOS, FUNCTION_NANOS } from '../../costs.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { functions, type MapFunction, reference } from './reference.js';

const names = Object.keys(functions);
const slow: ReadonlySet<string> = new Set(['exp', 'log', 'sigmoid', 'tanh'] satisfies MapFunction[]);

export const map = defineOp({
  name: 'map',
  version: 1,
  doc: {
    does: 'A function of every element.',
    types: 'float32[n] or float64[n] → the same',
    attributes: { function: 'exp, log, sigmoid, tanh, relu, negate, abs, sqrt, reciprocal, sign, floor or ceil' },
    kernels: ['map'],
  },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none' },
  infer(use) {
    if (!names.includes(String(use.attributes.function))) {
      throw flourError('ERR_FLOUR_PARAM', {
        expected: `one of ${names.join(', ')}`,
        received: String(use.attributes.function),
        at: 'map',
      });
    }
    return ofNumbers('map', onlyInput('map', use, 'scalar', 'vector'), 'float32', 'float64');
  },
  reference,
  cost: ({ attributes, entries }) =>
    entries.output * (slow.has(attributes.function as string) ? FUNCTION_NANOS : 2 * ENTRY_NANOS),
  kernel: ({ attributes }) => ({ kernel: 'map', attributes: [names.indexOf(attributes.function as string)] }),
});

export { functions, type MapFunction } from './reference.js';

declare module '../../flow.js' {
  interface Flow<Kind> {
    /**
     * Applies a function to every element: exp, log, sigmoid, tanh, relu, negate, abs, sqrt, reciprocal,
     * sign, floor or ceil.
     *
     * Shapes: dense float32 or float64, any size → the same. Cost: O(n), 5 to 10 ns an element for exp and its kin. Bit-equal on every engine; in
     * float64 exp and its kin are within 1e-14 of the true value.
     * @see Source: ONNX Exp, Log, Sigmoid, Tanh, Relu, Neg, Abs, Sqrt, Reciprocal, Sign, Floor, Ceil.
     * @example scores.map('sigmoid')
     */
    map(this: Flow<'vector'>, name: MapFunction): Flow<'vector'>;
    map(this: Flow<'scalar'>, name: MapFunction): Flow<'scalar'>;
  }
}

Flow.prototype.map = function (this: Flow<'vector'> | Flow<'scalar'>, name: MapFunction) {
  const source = this.kind === 'vector' ? (this as Flow<'vector'>).densify() : this;
  return this.context.apply(map, [source], { attributes: { function: name } }) as never;
};
