import { text } from '@brezel/core';
import { ofText } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { passesElements } from '../../quality.js';
import { reference } from './reference.js';

const MOST_BYTES = 2 ** 16;

/**
 * Defines the operator `impute-text`, which replaces missing texts. `Flow.imputeText` adds it to a
 * program.
 *
 * Types: text → text.
 */
export const imputeText = defineOp({
  name: 'impute-text',
  version: 1,
  doc: {
    does: 'Replaces missing texts.',
    types: 'text → text',
    attributes: { missing: 'the text that counts as missing', value: 'replacement' },
    kernels: ['impute_text'],
  },
  attributes: { missing: 'text', value: 'text' },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'featurizer' },
  infer: (use) => ofText('impute-text', use) && text,
  reference,
  quality: (use) => ({ ...passesElements(use), missing: use.attributes.missing as string }),
  kernel: ({ attributes }) => ({
    kernel: 'impute_text',
    parameters: [bytesOf(attributes.missing as string), bytesOf(attributes.value as string)],
  }),
});

const bytesOf = (value: string) => ({
  derive: `bytes of ${JSON.stringify(value)}`,
  from: [],
  build: () => new TextEncoder().encode(value),
});

/** Replacement and options of `Flow.imputeText`. */
export interface ImputeTextOptions {
  /** The text that replaces a missing text. */
  readonly value: string;
  /** The text that counts as missing. Default: the empty text. */
  readonly missing?: string;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Replaces missing texts by a value.
     *
     * Shapes: text → text. Cost: O(bytes). Bit-equal on every engine.
     * @throws ERR_FLOUR_PARAM for a string of more than 65536 bytes, or with a lone surrogate.
     * @see Source: scikit-learn SimpleImputer over strings (strategy constant, or the most frequent
     * text of the training data).
     * @example text.imputeText({ value: 'unknown' })
     */
    imputeText(this: Flow<'text', Row, unknown>, options: ImputeTextOptions): Flow<'text', Row>;
  }
}

Flow.prototype.imputeText = function (this: Flow<'text'>, { value, missing = '' }) {
  for (const [name, one] of Object.entries({ value, missing })) {
    if (one.isWellFormed() && Buffer.byteLength(one) <= MOST_BYTES) continue;
    throw flourError('ERR_FLOUR_PARAM', {
      expected: `well-formed text of up to ${MOST_BYTES} bytes as ${name}`,
      received: one.isWellFormed() ? `${Buffer.byteLength(one)} bytes` : 'half a surrogate pair',
      at: 'imputeText',
    });
  }
  return this.context.apply<'text'>(imputeText, [this], { attributes: { missing, value } });
};
