import { dtypeOf, sizeOf, type ValueType, vector } from '@brezel/core';
import { MAX_COLUMNS, ofNumbers } from '../../checks.js';
import { defineOp, type OperatorUse } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { integerIn, placeOf } from '../../numbers.js';
import { computedTypes, ofOneType } from '../arithmetic/operands.js';
import '../densify/index.js';
import { reductions, reference, type ScatterReduction } from './reference.js';

const names = Object.keys(reductions);

/**
 * Defines the operator `scatter`, which replaces or changes elements of a vector at given indices.
 * `Flow.scatter` adds it to a program.
 *
 * Types: numbers [entries * block], indices int64[m], updates [m * block] of the type of the
 * numbers → [entries * block].
 */
export const scatter = defineOp({
  name: 'scatter',
  version: 1,
  doc: {
    does: 'Replaces entries of the first input at the indices in the second input, or combines them with the updates in the third input. A negative index counts from the end. An index out of range rejects the row.',
    types: 'numbers [entries * block], int64[m], numbers [m * block] of the same type → numbers [entries * block]',
    attributes: {
      block: 'elements of an entry',
      reduction: 'how to combine the old element with the update: none, add, multiply, maximum or minimum',
    },
    kernels: ['scatter'],
  },
  attributes: { block: 'infer', reduction: 'infer' },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none', discontinuous: true, wide: true },
  infer,
  reference,
  kernel: ({ attributes }) => ({
    kernel: 'scatter',
    attributes: [attributes.block as number, names.indexOf(attributes.reduction as string)],
  }),
});

function infer(use: OperatorUse): ValueType {
  if (use.inputs.length !== 3)
    throw flourError('ERR_FLOUR_GRAPH', { expected: 'values, indices and updates', at: 'scatter' });
  const block = integerIn('scatter', 'block', use.attributes.block as number, 1, MAX_COLUMNS);
  placeOf('scatter', 'reduction', use.attributes.reduction, names);
  const [data, indices, updates] = use.inputs as [ValueType, ValueType, ValueType];
  ofNumbers('scatter', indices, 'int64');
  const types = [data, updates].map((type) => ofNumbers('scatter', type, ...computedTypes, 'bool'));
  ofOneType('scatter', types.map(dtypeOf));
  const fits = sizeOf(data) % block === 0 && sizeOf(updates) === sizeOf(indices) * block;
  if (fits && use.inputs.every(({ kind }) => kind !== 'sparse')) return vector(dtypeOf(data), sizeOf(data));
  throw flourError('ERR_FLOUR_SIZE', {
    expected: `dense entries of ${block}, one update for each index`,
    received: `${use.inputs.map(sizeOf).join(', ')} elements`,
    at: 'scatter',
  });
}

export type { ScatterReduction } from './reference.js';

/** Options of `Flow.scatter`. */
export interface ScatterOptions {
  /**
   * The function that combines the old element with the update. Default `none`: the update replaces
   * the element.
   */
  readonly reduction?: ScatterReduction;
  /** Number of adjacent elements that one index selects. Default 1. */
  readonly block?: number;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Replaces elements of this flow at the indices in another flow, or combines them with the
     * updates. A negative index counts from the end. If several updates have the same index, the
     * last one replaces the element; with a `reduction`, all are combined in order. Integers wrap
     * around, maximum and minimum with NaN are NaN, and 0 is greater than -0.
     *
     * Shapes: dense numbers or bools `[n]`, indices int64 `[m]`, updates `[m]` of the type of the
     * numbers → `[n]`. Cost: O(n + m). Bit-equal on every engine.
     * @throws ERR_FLOUR_SIZE unless there is one update per index. During a prediction,
     * ERR_RUNTIME_INPUT for an index out of range.
     * @see Source: ONNX ScatterElements on axis 1, ScatterND.
     * @example scores.scatter(scores.topK({ k: 1 }).indices, scores.topK({ k: 1, least: true }).values)
     */
    scatter<Indices, Updates>(
      this: Flow<'vector', Row, Value>,
      indices: Flow<'vector' | 'scalar', Indices, unknown>,
      updates: Flow<'vector' | 'scalar', Updates, unknown>,
      options?: ScatterOptions,
    ): Flow<'vector', Row & Indices & Updates, Value>;
  }
}

Flow.prototype.scatter = function (this: Flow<'vector'>, indices, updates, { reduction = 'none', block = 1 } = {}) {
  const other = updates.kind === 'vector' ? (updates as Flow<'vector'>).densify() : updates;
  return this.context.apply<'vector'>(scatter, [this.densify(), indices, other], { attributes: { block, reduction } });
};
