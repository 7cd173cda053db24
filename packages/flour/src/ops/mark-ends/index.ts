import { text } from '@brezel/core';
import { ofText } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { contributions } from './contributions.js';
import { reference } from './reference.js';

/**
 * Defines the operator `mark-ends`, which adds one character before and one character after a text.
 * `Flow.markEnds` adds it to a program.
 *
 * Types: text → text.
 */
export const markEnds = defineOp({
  name: 'mark-ends',
  version: 1,
  doc: {
    does: 'Adds one character before and one after a text. The empty text stays empty.',
    types: 'text → text',
    attributes: { start: 'an ASCII character', end: 'an ASCII character' },
    kernels: ['mark_ends'],
  },
  attributes: { start: 'infer', end: 'infer' },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'featurizer' },
  infer(use) {
    for (const name of ['start', 'end'])
      if (!isCharacter(use.attributes[name]))
        throw flourError('ERR_FLOUR_PARAM', {
          expected: `${name}, one ASCII character`,
          received: JSON.stringify(use.attributes[name]),
          at: 'mark-ends',
        });
    return ofText('mark-ends', use) && text;
  },
  reference,
  contributions,
  summary: ({ attributes }) => `${JSON.stringify(attributes.start)} and ${JSON.stringify(attributes.end)}`,
  kernel: ({ attributes }) => ({
    kernel: 'mark_ends',
    attributes: [attributes.start, attributes.end].map((one) => (one as string).charCodeAt(0)),
  }),
});

const LAST_ASCII = 0x7f;
const isCharacter = (value: unknown) =>
  typeof value === 'string' && value.length === 1 && value.charCodeAt(0) <= LAST_ASCII;

/** Characters that `Flow.markEnds` adds. */
export interface MarkEndsOptions {
  /** The character before the text. Default U+0002, start of text. */
  readonly start?: string;
  /** The character after the text. Default U+0003, end of text. */
  readonly end?: string;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Adds one character before and one character after a text, so that n-grams of characters can
     * include the start and the end of the text. The empty text stays empty.
     *
     * Shapes: text → text. Cost: O(bytes). Bit-equal on every engine.
     * @throws ERR_FLOUR_PARAM for a mark that is not one ASCII character.
     * @see Source: ML.NET TokenizeIntoCharactersAsKeys (`useMarkerCharacters`), which FeaturizeText
     * uses.
     * @example text.markEnds().charNgram({ vocabulary: [['\x02', 'a']] })
     */
    markEnds(this: Flow<'text', Row, unknown>, options?: MarkEndsOptions): Flow<'text', Row>;
  }
}

Flow.prototype.markEnds = function (this: Flow<'text'>, { start = '\x02', end = '\x03' } = {}) {
  return this.context.apply<'text'>(markEnds, [this], { attributes: { start, end } });
};
