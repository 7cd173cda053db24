import { type ParameterValue, scalar } from '@brezel/core';
import { buildStopWords } from '@brezel/text';
import { ofText } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { checkDistinct, textsOf } from '../dictionary-lookup/entries.js';
import '../lookup/index.js';
import { stringList } from '../string-normalize/index.js';
import { contributions } from './contributions.js';
import { reference } from './reference.js';

/**
 * Defines the operator `key-map`, which returns the position of a text in a list, counted from 1,
 * or 0 for an unknown text. `Flow.keyMap` adds it to a program.
 *
 * Types: text → int64.
 */
export const keyMap = defineOp({
  name: 'key-map',
  version: 1,
  doc: {
    does: 'Returns the position of a text in a list, counted from 1. Returns 0 for a text that is not in the list.',
    types: 'text → int64',
    parameters: { keys: 'string[keys], distinct' },
    kernels: ['key_map'],
  },
  parameters: { keys: ['string'] },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'featurizer' },
  infer(use) {
    const { keys } = use.parameters;
    if (keys?.dtype !== 'string' || keys.shape[0] === 0)
      throw flourError('ERR_FLOUR_PARAM', { expected: 'at least one key', at: 'key-map' });
    return ofText('key-map', use) && scalar('int64');
  },
  quality: () => ({ known: 'keys' }),
  reference,
  contributions,
  check: ({ parameters }) => checkDistinct('key-map', textsOf(parameters.keys!)),
  kernel: () => ({ kernel: 'key_map', parameters: [{ derive: 'keys by text', from: ['keys'], build }] }),
});

/** Builds a dictionary of the keys. It returns the index of a text, which is its key minus one. */
const build = ({ keys }: Readonly<Record<string, ParameterValue>>) =>
  buildStopWords((keys as { values: readonly string[] }).values);

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Maps a text to its key: its position in a list, counted from 1. A text that is not in the
     * list gets the key 0, which means missing.
     *
     * Shapes: text → int64. Cost: O(bytes), one table lookup. Bit-equal on every engine.
     * @throws ERR_FLOUR_PARAM for an empty list, a repeated key, or a key with a lone surrogate.
     * @see Source: ML.NET ValueToKeyMapping.
     * @example text.keyMap(['red', 'green', 'blue'])
     */
    keyMap(this: Flow<'text', Row, unknown>, keys: readonly string[]): Flow<'scalar', Row>;
    /**
     * Maps a key to its text: key 1 to the first text of the list, and so on. The key 0 means
     * missing and becomes the empty text, and so does a negative key. A key beyond the list becomes
     * the last text.
     *
     * Shapes: int64 → text. Cost: O(1).
     * @throws ERR_FLOUR_PARAM for an empty list of values.
     * @see Source: ML.NET KeyToValueMapping.
     * @example text.keyMap(['red', 'green']).keyToValue(['rouge', 'vert'])
     */
    keyToValue<const Name extends string>(
      this: Flow<'scalar', Row, unknown>,
      values: readonly Name[],
    ): Flow<'text', Row, Name | ''>;
  }
}

Flow.prototype.keyMap = function (this: Flow<'text'>, keys) {
  const known = new Set<string>();
  for (const key of keys) {
    if (known.has(key) || !key.isWellFormed())
      throw flourError('ERR_FLOUR_PARAM', {
        expected: 'distinct, well-formed keys',
        received: JSON.stringify(key),
        at: 'keyMap',
      });
    known.add(key);
  }
  return this.context.apply<'scalar'>(keyMap, [this], { parameters: { keys: stringList(keys) } });
};

Flow.prototype.keyToValue = function (this: Flow<'scalar'>, values) {
  return this.labels(['', ...values]) as never;
};
