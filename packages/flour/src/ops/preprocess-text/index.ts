import { text } from '@brezel/core';
import {
  type AccentAction,
  buildTextMap,
  FINAL_SIGMA,
  lowerCodePoint,
  SMALL_SIGMA,
  stripCodePoint,
} from '@brezel/text';
import { ofText } from '../../checks.js';
import { shown } from '../../custom/row-values.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { contributions } from './contributions.js';
import { type PreprocessAttributes, reference } from './reference.js';

const accentActions: readonly unknown[] = [null, 'unicode', 'ascii'];

/**
 * Defines the operator `preprocess-text`, which converts a text to lower case and removes accents,
 * as scikit-learn does. `Flow.preprocess` adds it to a program.
 *
 * Types: text → text.
 */
export const preprocessText = defineOp({
  name: 'preprocess-text',
  version: 1,
  doc: {
    does: 'Converts a text to lower case and removes accents, as scikit-learn does.',
    types: 'text → text',
    attributes: {
      lowercase: 'whether to convert to lower case',
      stripAccents: 'unicode, ascii, or null to keep accents',
    },
    kernels: ['map_text'],
  },
  attributes: { lowercase: 'boolean', stripAccents: 'infer' },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'featurizer' },
  infer(use) {
    const { stripAccents } = use.attributes;
    if (!accentActions.includes(stripAccents))
      throw flourError('ERR_FLOUR_PARAM', {
        expected: "stripAccents 'unicode', 'ascii' or null",
        received: shown(stripAccents),
        at: 'preprocess-text',
      });
    return ofText('preprocess-text', use) && text;
  },
  reference,
  contributions,
  kernel({ attributes }) {
    const options = attributes as unknown as PreprocessAttributes;
    const derive = `text map: ${options.lowercase ? 'lower case, ' : ''}accents ${options.stripAccents ?? 'kept'}`;
    return { kernel: 'map_text', parameters: [{ derive, from: [], build: () => textMap(options) }] };
  },
});

function textMap({ lowercase, stripAccents }: PreprocessAttributes): Uint8Array {
  const strip = (codePoint: number) => (stripAccents === null ? [codePoint] : stripCodePoint(codePoint, stripAccents));
  if (!lowercase) return buildTextMap({ map: strip });
  return buildTextMap({
    map(codePoint) {
      const lower = lowerCodePoint(codePoint);
      // `flatMap` would take four times as long as all other work, so single code points avoid it.
      return lower.length === 1 ? strip(lower[0]!) : lower.flatMap(strip);
    },
    sigma: { final: strip(FINAL_SIGMA), other: strip(SMALL_SIGMA) },
  });
}

/** Options of `Flow.preprocess`. */
export interface PreprocessTextOptions {
  /**
   * If true (default), converts the text to lower case as Python's `str.lower` does: İ becomes i
   * and a combining dot, and a sigma at the end of a word becomes ς.
   */
  readonly lowercase?: boolean;
  /**
   * How to remove accents. `unicode`: decomposes the text (NFKD) and removes combining marks.
   * `ascii`: decomposes the text and removes all characters that are not ASCII. Default null:
   * accents stay.
   */
  readonly stripAccents?: AccentAction | null;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Prepares a text as scikit-learn's text vectorizers do: converts it to lower case, then
     * removes accents.
     *
     * The decomposition of one code point may have several code points: ﬁ becomes fi, ½ becomes
     * 1⁄2, and a Hangul syllable becomes its letters.
     *
     * Shapes: text → text. Cost: O(bytes), 64 bytes at a time for ASCII. Bit-equal on every engine,
     * without a locale.
     * @throws ERR_FLOUR_PARAM for an unknown `stripAccents`.
     * @see Source: scikit-learn `lowercase`, `strip_accents`.
     * @example text.preprocess({ stripAccents: 'unicode' }).tokenize({ by: 'words' })
     */
    preprocess(this: Flow<'text', Row, unknown>, options?: PreprocessTextOptions): Flow<'text', Row>;
    /**
     * Removes accents and does not change the case. Equivalent to `preprocess` with `lowercase:
     * false`.
     *
     * Shapes: text → text. Cost: O(bytes). Bit-equal on every engine.
     * @throws ERR_FLOUR_PARAM for an unknown action.
     * @see Source: scikit-learn strip_accents_unicode, strip_accents_ascii.
     * @example text.stripAccents('ascii')
     */
    stripAccents(this: Flow<'text', Row, unknown>, action: AccentAction): Flow<'text', Row>;
  }
}

Flow.prototype.preprocess = function (this: Flow<'text'>, options = {}) {
  const { lowercase = true, stripAccents = null } = options;
  return this.context.apply<'text'>(preprocessText, [this], { attributes: { lowercase, stripAccents } });
};

Flow.prototype.stripAccents = function (this: Flow<'text'>, action) {
  return this.preprocess({ lowercase: false, stripAccents: action });
};
