import { sparse } from '@brezel/core';
import { ofDictionary } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import {
  ASSUMED_ENTRIES,
  bytesOf,
  checkDistinct,
  distinctTexts,
  ENTRY_NANOS,
  textsOf,
  wordsOf,
} from '../dictionary-lookup/entries.js';
import { reference } from './reference.js';

const at = 'dict-vectorizer';

/**
 * Defines the operator `dict-vectorizer`, which converts a dictionary to a vector with one column
 * per feature name. `Flow.dictVectorizer` adds it to a program.
 *
 * Types: dictionary → sparse float32[features].
 */
export const dictVectorizer = defineOp({
  name: at,
  version: 1,
  doc: {
    does: 'Converts a dictionary to a vector. A number is stored in the column of its key. For a text, a 1 is stored in the column of its key and text.',
    types: 'dictionary → sparse float32[features]',
    attributes: { separator: 'separates key and text in the name of a feature' },
    parameters: { features: 'string[features], distinct' },
    kernels: ['dict_vectorizer'],
  },
  attributes: { separator: 'text' },
  parameters: { features: ['string'] },
  annotations: { cardinality: '1-to-n', bound: 'memory', state: 'featurizer' },
  infer(use) {
    ofDictionary(at, use);
    const { features } = use.parameters;
    if (features?.dtype !== 'string' || features.shape[0] === 0 || typeof use.attributes.separator !== 'string')
      throw flourError('ERR_FLOUR_PARAM', { expected: 'at least one feature, and a separator', at });
    return sparse(features.shape[0]!);
  },
  reference,
  check: ({ parameters }) => checkDistinct(at, textsOf(parameters.features!)),
  kernel: ({ attributes }) => ({
    kernel: 'dict_vectorizer',
    parameters: [wordsOf('features'), bytesOf(attributes.separator as string)],
  }),
  cost: () => ASSUMED_ENTRIES * ENTRY_NANOS,
});

/** Feature names and options of `Flow.dictVectorizer`. */
export interface DictVectorizerOptions {
  /**
   * The feature of each column, in order (`feature_names_`): a key with a number, such as `age`, or
   * a key and its text, such as `city=Berlin`.
   */
  readonly featureNames: readonly string[];
  /** The text between key and text in a feature name. Default `=`. */
  readonly separator?: string;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Converts a dictionary to a vector, as scikit-learn's DictVectorizer does. A number is stored
     * in the column of its key. A text stores 1 in the column `key=text`. A list of texts stores 1
     * in one column per text. null becomes NaN. Unknown keys and texts are ignored.
     *
     * Shapes: dictionary → sparse float32 `[features]`. Cost: O(bytes). Bit-equal on every engine.
     * @throws ERR_FLOUR_PARAM for an empty list of names, or a repeated name.
     * @see Source: scikit-learn DictVectorizer.transform.
     * @example flour.dictionary('x', { values: 'mixed' }).dictVectorizer({ featureNames: ['age', 'city=Berlin', 'city=Paris'] })
     */
    dictVectorizer(this: Flow<'dictionary', Row, unknown>, options: DictVectorizerOptions): Flow<'vector', Row>;
  }
}

Flow.prototype.dictVectorizer = function (this: Flow<'dictionary'>, { featureNames, separator = '=' }) {
  return this.context.apply<'vector'>(dictVectorizer, [this], {
    attributes: { separator },
    parameters: { features: distinctTexts(at, featureNames) },
  });
};
