import { dtypeOf, sizeOf, vector } from '@brezel/core';
import { ofNumbers, onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { integerIn, placeOf } from '../../numbers.js';
import { computedTypes } from '../arithmetic/operands.js';
import '../densify/index.js';
import { reference, type TopKOutput, topKOutputs } from './reference.js';

/**
 * Defines the operator `top-k`, which returns the k greatest or least elements in order, or their
 * indices. `Flow.topK` adds it to a program.
 *
 * Types: float32[n], float64[n], int64[n] or int32[n] → [k] of that type, or int64[k].
 */
export const topK = defineOp({
  name: 'top-k',
  version: 1,
  doc: {
    does: 'Returns the greatest or least elements in order, or their columns. NaN counts as greater than all numbers. Equal elements are ordered by column.',
    types: 'float32[n], float64[n], int64[n] or int32[n] → [k] of that type, or int64[k]',
    attributes: {
      k: 'number of elements',
      least: 'whether to return the least',
      give: 'what to return: values or indices',
    },
    kernels: ['top_k'],
  },
  attributes: { k: 'infer', least: 'boolean', give: 'infer' },
  annotations: { cardinality: 'n-to-1', bound: 'memory', state: 'none', discontinuous: true, passesIntegers: true },
  infer(use) {
    const type = ofNumbers('top-k', onlyInput('top-k', use, 'vector'), ...computedTypes);
    const k = integerIn('top-k', 'k', use.attributes.k as number, 1, sizeOf(type));
    placeOf('top-k', 'least', String(use.attributes.least), ['false', 'true']);
    return vector(placeOf('top-k', 'give', use.attributes.give, topKOutputs) === 0 ? dtypeOf(type) : 'int64', k);
  },
  reference,
  cost: ({ entries, attributes }) => entries.inputs[0]! * 2 + (attributes.k as number) * 10,
  kernel: ({ attributes }) => ({
    kernel: 'top_k',
    attributes: [Number(attributes.least === true), topKOutputs.indexOf(attributes.give as TopKOutput)],
  }),
});

/** Options of `Flow.topK`. */
export interface TopKOptions {
  /** The number of elements to return, at most the size of the vector. */
  readonly k: number;
  /** If true, returns the least elements instead of the greatest. Default false. */
  readonly least?: boolean;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Returns the `k` greatest elements in descending order (or the least in ascending order) and
     * their columns. NaN counts as greater than all numbers. Equal elements are ordered by column.
     *
     * Shapes: dense float32, float64, int64 or int32 `[n]` → `values` `[k]` of that type, `indices`
     * int64 `[k]`. Cost: usually O(n + k log k).
     * @throws ERR_FLOUR_PARAM unless `k` is between 1 and n.
     * @see Source: ONNX TopK on axis 1.
     * @example scores.topK({ k: 2 }).indices
     */
    topK(
      this: Flow<'vector', Row, Value>,
      options: TopKOptions,
    ): { readonly values: Flow<'vector', Row, Value>; readonly indices: Flow<'vector', Row> };
  }
}

Flow.prototype.topK = function (this: Flow<'vector'>, { k, least = false }) {
  const source = this.densify();
  const apply = (give: TopKOutput) =>
    source.context.apply<'vector'>(topK, [source], { attributes: { k, least, give } });
  return { values: apply('values'), indices: apply('indices') };
};
