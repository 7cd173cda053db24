import { text } from '@brezel/core';
import { buildTextMap, type CaseAction } from '@brezel/text';
import { ofText } from '../../checks.js';
import { shown } from '../../custom/row-values.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { contributions } from './contributions.js';
import { type NormalizeTextAttributes, normalizeCodePoint, reference } from './reference.js';

const cases: readonly unknown[] = ['none', 'lower', 'upper'];

/**
 * Defines the operator `normalize-text`, which converts the case of a text and removes accents,
 * punctuation and digits, as ML.NET does. `Flow.normalizeText` adds it to a program.
 *
 * Types: text → text.
 */
export const normalizeText = defineOp({
  name: 'normalize-text',
  version: 1,
  doc: {
    does: 'Converts the case of a text and removes accents, punctuation and digits, as ML.NET does.',
    types: 'text → text',
    attributes: {
      case: 'lower, upper or none',
      keepDiacritics: 'whether to keep accents',
      keepPunctuations: 'whether to keep punctuation',
      keepNumbers: 'whether to keep digits',
    },
    kernels: ['map_text'],
  },
  attributes: { case: 'infer', keepDiacritics: 'boolean', keepPunctuations: 'boolean', keepNumbers: 'boolean' },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'featurizer' },
  infer(use) {
    if (!cases.includes(use.attributes.case))
      throw flourError('ERR_FLOUR_PARAM', {
        expected: `case ${cases.join(', ')}`,
        received: shown(use.attributes.case),
        at: 'normalize-text',
      });
    return ofText('normalize-text', use) && text;
  },
  reference,
  contributions,
  kernel({ attributes }) {
    const options = attributes as unknown as NormalizeTextAttributes;
    const derive = `text map: normalize ${JSON.stringify(options)}`;
    const build = () => buildTextMap({ map: (codePoint) => normalizeCodePoint(codePoint, options) });
    return { kernel: 'map_text', parameters: [{ derive, from: [], build }] };
  },
});

/** Options of `Flow.normalizeText`. */
export interface NormalizeTextOptions {
  /**
   * How to convert the case: `lower` (default), `upper` or `none`. The conversion follows the
   * invariant culture of .NET, which replaces each code point by one code point.
   */
  readonly case?: CaseAction;
  /** If true, accents stay. If false (default), é becomes e, and combining marks are removed. */
  readonly keepDiacritics?: boolean;
  /** If true (default), punctuation stays. If false, it is removed. */
  readonly keepPunctuations?: boolean;
  /** If true (default), digits stay. If false, they are removed. */
  readonly keepNumbers?: boolean;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Normalizes a text as ML.NET does: converts the case, and optionally removes diacritics,
     * punctuation and numbers.
     *
     * `keepDiacritics: false` replaces accented letters up to U+04FF by their base letters, and
     * removes the combining marks of Latin, Hebrew and Arabic. Code points beyond U+FFFF stay
     * unchanged.
     *
     * Shapes: text → text. Cost: O(bytes). Bit-equal on every engine, without a locale.
     * @throws ERR_FLOUR_PARAM unless the case is `none`, `lower` or `upper`.
     * @see Source: ML.NET TextNormalizingEstimator, with its defaults.
     * @example text.normalizeText({ keepPunctuations: false }).tokenize()
     */
    normalizeText(this: Flow<'text', Row, unknown>, options?: NormalizeTextOptions): Flow<'text', Row>;
  }
}

Flow.prototype.normalizeText = function (this: Flow<'text'>, options = {}) {
  const { case: action = 'lower', keepDiacritics = false, keepPunctuations = true, keepNumbers = true } = options;
  return this.context.apply<'text'>(normalizeText, [this], {
    attributes: { case: action, keepDiacritics, keepPunctuations, keepNumbers },
  });
};
