import { sparse } from '@brezel/core';
import { MAX_COLUMNS, ofDictionary } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { integerIn } from '../../numbers.js';
import { ASSUMED_ENTRIES, ENTRY_NANOS } from '../dictionary-lookup/entries.js';
import { reference } from './reference.js';

const at = 'feature-hasher';

/**
 * Defines the operator `feature-hasher`, which converts a dictionary to a vector. The hash of each
 * feature selects its column. `Flow.featureHasher` adds it to a program.
 *
 * Types: dictionary → sparse float32[columns].
 */
export const featureHasher = defineOp({
  name: at,
  version: 1,
  doc: {
    does: 'Converts a dictionary to a vector without a list of features: the hash of a feature selects its column.',
    types: 'dictionary → sparse float32[columns]',
    attributes: { columns: 'number of columns', alternateSign: 'whether a value gets the sign of its hash' },
    kernels: ['feature_hasher'],
  },
  attributes: { columns: 'infer', alternateSign: 'boolean' },
  annotations: { cardinality: '1-to-n', bound: 'memory', state: 'featurizer' },
  infer(use) {
    ofDictionary(at, use);
    return sparse(integerIn(at, 'columns', use.attributes.columns as number, 1, MAX_COLUMNS));
  },
  reference,
  kernel: ({ attributes }) => ({ kernel: 'feature_hasher', attributes: [attributes.alternateSign ? 1 : 0] }),
  cost: () => ASSUMED_ENTRIES * ENTRY_NANOS,
});

/** Options of `Flow.featureHasher`. */
export interface FeatureHasherOptions {
  /** Number of columns. Default 2^20, as in scikit-learn. */
  readonly nFeatures?: number;
  /**
   * If true (default), negates the value of a feature with a negative hash, so that collisions
   * cancel on average.
   */
  readonly alternateSign?: boolean;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Converts a dictionary to a vector, as scikit-learn's FeatureHasher does. Features are named
     * as in `dictVectorizer`, and the hash of a name selects its column.
     *
     * Shapes: dictionary → sparse float32 `[nFeatures]`. Cost: O(bytes). Bit-equal on every engine.
     * @throws ERR_FLOUR_PARAM if `nFeatures` is out of range.
     * @see Source: scikit-learn FeatureHasher.transform, input_type dict.
     * @example flour.dictionary('x', { values: 'mixed' }).featureHasher({ nFeatures: 1024 })
     */
    featureHasher(this: Flow<'dictionary', Row, unknown>, options?: FeatureHasherOptions): Flow<'vector', Row>;
  }
}

Flow.prototype.featureHasher = function (this: Flow<'dictionary'>, { nFeatures = 2 ** 20, alternateSign = true } = {}) {
  return this.context.apply<'vector'>(featureHasher, [this], { attributes: { columns: nFeatures, alternateSign } });
};
