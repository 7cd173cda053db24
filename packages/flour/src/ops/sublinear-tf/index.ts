import { onlyInput } from '../../checks.js';
import { columnByColumn } from '../../contributions.js';
import { defineOp } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { reference } from './reference.js';

/**
 * Defines the operator `sublinear-tf`, which replaces each term count by 1 + log(count).
 * `Flow.sublinearTf` adds it to a program.
 *
 * Types: sparse float32[n] → the same.
 */
export const sublinearTf = defineOp({
  name: 'sublinear-tf',
  version: 1,
  doc: {
    does: 'Replaces each stored term count by 1 + log(count).',
    types: 'sparse float32[n] → the same',
    kernels: ['sublinear_tf'],
  },
  annotations: { cardinality: '1-to-1', bound: 'compute', state: 'none' },
  infer: (use) => onlyInput('sublinear-tf', use, 'sparse'),
  reference,
  contributions: columnByColumn,
  kernel: () => ({ kernel: 'sublinear_tf' }),
});

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Replaces each stored term count by 1 + log(count). Columns without an entry stay 0.
     *
     * A stored count of 0 becomes -Infinity, as in scikit-learn. Such counts result from hashed
     * n-grams that cancel.
     *
     * Shapes: sparse float32 `[n]` → the same. Cost: O(nnz), 5 ns per entry. Bit-equal on every
     * engine.
     * @throws ERR_FLOUR_TYPE for a dense vector.
     * @see Source: scikit-learn TfidfTransformer, `sublinear_tf`.
     * @example counts.sublinearTf().tfIdf({ idf: [1.5, 2.25] })
     */
    sublinearTf(this: Flow<'vector', Row, unknown>): Flow<'vector', Row>;
  }
}

Flow.prototype.sublinearTf = function (this: Flow<'vector'>) {
  return this.context.apply<'vector'>(sublinearTf, [this]);
};
