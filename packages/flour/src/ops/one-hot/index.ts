import { sizeOf, sparse } from '@brezel/core';
import { MAX_COLUMNS, ofNumbers, onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import type { KeyList } from '../index-of/index.js';
import { contributions } from './contributions.js';
import { reference } from './reference.js';

/**
 * Defines the operator `one-hot`, which converts an index among categories to a one-hot vector.
 * `Flow.oneHot` adds it after the operator `index-of`.
 */
export const oneHot = defineOp({
  name: 'one-hot',
  version: 1,
  doc: {
    does: 'Sets the column of each index to 1. An index outside the categories sets no column.',
    types: 'int64[n] → sparse float32[n * categories]',
    attributes: { categories: 'columns per value' },
    kernels: ['one_hot'],
  },
  attributes: { categories: 'infer' },
  annotations: { cardinality: '1-to-n', bound: 'memory', state: 'none' },
  infer(use) {
    const type = ofNumbers('one-hot', onlyInput('one-hot', use, 'scalar', 'vector'), 'int64');
    const categories = use.attributes.categories as number;
    if (!(Number.isInteger(categories) && categories >= 1 && categories <= MAX_COLUMNS))
      throw flourError('ERR_FLOUR_PARAM', { expected: 'categories', received: `${categories}`, at: 'one-hot' });
    return sparse(sizeOf(type) * categories);
  },
  reference,
  contributions,
  kernel: ({ attributes }) => ({ kernel: 'one_hot', attributes: [attributes.categories as number] }),
});

/** Categories and options of `Flow.oneHot`. */
export interface OneHotOptions {
  /** The known values, in the order of their columns. */
  readonly categories: KeyList;
  /**
   * What to do with a value that is not a category: set no column (`zeros`, default), or reject the
   * row with an error.
   */
  readonly unknown?: 'zeros' | 'error';
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Encodes each value as a one-hot vector: one column per category, with a 1 in the column of
     * the value. A row with several values gets the vectors of all values one after another.
     *
     * Shapes: text or dense numbers `[n]` → sparse float32 `[n * categories]`. Cost: O(bytes) per
     * text, O(log categories) per number. A linear model after it reads only one weight per value.
     * @throws ERR_FLOUR_PARAM for an empty list of categories, or a repeated category. During a
     * prediction, ERR_RUNTIME_INPUT for an unknown value with `unknown: 'error'`.
     * @see Source: ONNX-ML OneHotEncoder-1; scikit-learn OneHotEncoder.
     * @example text.oneHot({ categories: ['red', 'green', 'blue'] }).linear({ weights: [1, 2, 3] })
     */
    oneHot(this: Flow<'text' | 'scalar' | 'vector', Row, unknown>, options: OneHotOptions): Flow<'vector', Row>;
  }
}

Flow.prototype.oneHot = function (this: Flow, { categories, unknown = 'zeros' }: OneHotOptions) {
  const places = (this as Flow<'scalar'>).indexOf(categories, { unknown: unknown === 'error' ? 'error' : 'count' });
  return this.context.apply<'vector'>(oneHot, [places], { attributes: { categories: categories.length } });
};
