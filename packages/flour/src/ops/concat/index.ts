import { dtypeOf, printType, sizeOf, sparse, vector } from '@brezel/core';
import { ofKind } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import type { JoinedFields } from '../../program-types.js';
import { contributions } from './contributions.js';
import { reference } from './reference.js';

/**
 * Defines the operator `concat`, which concatenates vectors. `Flow.concat` adds it to a program.
 *
 * Types: any vectors of one element type → a vector of all their columns, sparse if an input is
 * sparse.
 */
export const concat = defineOp({
  name: 'concat',
  version: 1,
  doc: {
    does: 'Concatenates vectors.',
    types: 'vectors of one element type → a vector of all their columns, sparse if one of them is sparse',
    kernels: ['concat', 'concat_texts'],
  },
  annotations: { cardinality: 'n-to-1', bound: 'memory', state: 'none', breaker: true, passesIntegers: true },
  infer(use) {
    if (use.inputs.length === 0) throw flourError('ERR_FLOUR_GRAPH', { expected: 'at least one input', at: 'concat' });
    const [dtype] = use.inputs.map((input) => dtypeOf(ofKind('concat', input, 'sparse', 'vector')));
    const other = use.inputs.find((input) => dtypeOf(input) !== dtype);
    if (other !== undefined)
      throw flourError('ERR_FLOUR_TYPE', { expected: `vectors of ${dtype}`, received: printType(other), at: 'concat' });
    const size = use.inputs.reduce((sum, input) => sum + sizeOf(input), 0);
    return use.inputs.some((input) => input.kind === 'sparse') ? sparse(size) : vector(dtype!, size);
  },
  reference,
  contributions,
  identity: (use) => use.inputs.length === 1,
  quality({ inputs, input, type }) {
    const start = inputs.slice(0, input).reduce((sum, type) => sum + sizeOf(type), 0);
    const end = start + sizeOf(inputs[input]!);
    const of = (_: unknown, element: number) => (element >= start && element < end ? element - start : -1);
    return { passes: Int32Array.from({ length: sizeOf(type) }, of) };
  },
  missing({ inputs, input, after }) {
    const start = inputs.slice(0, input).reduce((sum, type) => sum + sizeOf(type), 0);
    return after.slice(start, start + sizeOf(inputs[input]!));
  },
  kernel: ({ inputs }) => ({ kernel: dtypeOf(inputs[0]!) === 'string' ? 'concat_texts' : 'concat' }),
});

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Concatenates vectors.
     *
     * Shapes: `[a]`, `[b]`, ... of one element type → `[a + b + ...]`; sparse if any input is
     * sparse. Cost: O(nnz). Free before a linear model, because Oven then multiplies each input by
     * its part of the weights. No vector of strings is built if the next operator looks up the
     * strings (`indexOf`, `oneHot`) or selects some of them.
     * @throws ERR_FLOUR_TYPE for inputs of several element types.
     * @see Source: ONNX Concat on axis 1; Concat of the PRETZEL paper.
     * @example words.concat(chars).logistic({ weights, bias })
     */
    concat<Others extends readonly Flow<'vector', unknown, unknown>[]>(
      this: Flow<'vector', Row, Value>,
      ...others: Others
    ): Flow<'vector', Row & JoinedFields<Others[number]>, Value>;
  }
}

Flow.prototype.concat = function (this: Flow<'vector'>, ...others) {
  return this.context.apply<'vector'>(concat, [this, ...others]);
};
