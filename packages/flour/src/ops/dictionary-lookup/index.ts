import { vector } from '@brezel/core';
import { ofDictionary } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { placeOf } from '../../numbers.js';
import { ASSUMED_ENTRIES, bytesOf, checkDistinct, distinctTexts, ENTRY_NANOS, textsOf, wordsOf } from './entries.js';
import { reference } from './reference.js';

const at = 'dictionary-lookup';

/**
 * The kernel runs only if the text for missing keys has at most this many bytes. It may write this
 * text for every key of every row in a block.
 */
const MOST_OTHERWISE_BYTES = 2 ** 16;

/**
 * Defines the operator `dictionary-lookup`, which returns the values of a dictionary under a fixed
 * list of keys. `Flow.lookupKeys` adds it to a program.
 *
 * Types: dictionary → [keys] of the element type of the dictionary's values.
 */
export const dictionaryLookup = defineOp({
  name: at,
  version: 1,
  doc: {
    does: 'Returns the values of a dictionary under the given keys. For a missing key, returns 0 or a given text.',
    types: 'dictionary → [keys] of the type of its values',
    attributes: {
      unknown: 'what to do with other keys: ignore them, or reject the row (error)',
      otherwise: 'text for a missing key',
    },
    parameters: { keys: 'string[keys], distinct' },
    kernels: ['dictionary_lookup'],
  },
  attributes: { unknown: 'infer', otherwise: 'text or nothing' },
  parameters: { keys: ['string'] },
  annotations: { cardinality: '1-to-n', bound: 'memory', state: 'featurizer', wide: true },
  infer(use) {
    const { values } = ofDictionary(at, use);
    placeOf(at, 'unknown', use.attributes.unknown, ['ignore', 'error']);
    const { keys } = use.parameters;
    if (keys?.dtype !== 'string' || keys.shape[0] === 0)
      throw flourError('ERR_FLOUR_PARAM', { expected: 'at least one key', at });
    if (values === 'mixed')
      throw flourError('ERR_FLOUR_TYPE', {
        expected: 'a dictionary of values of one type',
        received: 'a mixed one',
        at,
        hint: 'dictVectorizer takes mixed values',
      });
    return vector(values, keys.shape[0]!);
  },
  reference,
  check: ({ parameters }) => checkDistinct(at, textsOf(parameters.keys!)),
  kernel({ attributes }) {
    const { otherwise = '', unknown } = attributes as { otherwise?: string; unknown: string };
    if (Buffer.byteLength(otherwise) > MOST_OTHERWISE_BYTES) return undefined;
    return {
      kernel: 'dictionary_lookup',
      parameters: [wordsOf('keys'), bytesOf(otherwise)],
      attributes: [unknown === 'error' ? 1 : 0],
    };
  },
  cost: ({ entries }) => ASSUMED_ENTRIES * ENTRY_NANOS + entries.output,
});

/** Options of `Flow.lookupKeys`. */
export interface DictionaryLookupOptions {
  /**
   * What to do if a row has a key that is not in the list: ignore the key (default), or reject the
   * row with an error.
   */
  readonly unknown?: 'ignore' | 'error';
  /**
   * The result for a key that a row does not have. Only for dictionaries of texts. Default: the
   * empty text.
   */
  readonly otherwise?: string;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Returns the values of a dictionary under the given keys, in the order of the keys. If a row
     * does not have a key, the result is 0, or the option `otherwise` for dictionaries of texts.
     *
     * Shapes: dictionary → `[keys]` of the element type of its values. Cost: O(bytes + keys).
     * Bit-equal on every engine.
     * @throws ERR_FLOUR_PARAM for an empty list of keys, or a repeated key; ERR_FLOUR_TYPE for a
     * dictionary of mixed values. During a prediction, ERR_RUNTIME_INPUT for a key that is not in
     * the list, with `unknown: 'error'`.
     * @see Source: ONNX-ML DictVectorizer-1, CastMap-1.
     * @example flour.dictionary('x').lookupKeys(['age', 'income']).scale({ offset: [40, 3000] })
     */
    lookupKeys<Element>(
      this: Flow<'dictionary', Row, Readonly<Record<string, Element>>>,
      keys: readonly string[],
      options?: DictionaryLookupOptions,
    ): Flow<'vector', Row, readonly Element[]>;
  }
}

Flow.prototype.lookupKeys = function (this: Flow, keys, { unknown = 'ignore', otherwise = '' } = {}) {
  return this.context.apply<never>(dictionaryLookup, [this], {
    attributes: {
      unknown,
      ...(this.type.kind === 'dictionary' && this.type.values === 'string' && { otherwise: otherwise.toWellFormed() }),
    },
    parameters: { keys: distinctTexts(at, keys) },
  });
};
