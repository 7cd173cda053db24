import { text } from '@brezel/core';
import type { ParameterLease, StringParameter } from '@brezel/object-store';
import type { CaseAction } from '@brezel/tensors';
import { buildStopWords, buildTextMap, foldCodePoint, foldText } from '@brezel/text';
import { ofText } from '../../checks.js';
import type { ApplyOptions } from '../../context.js';
import { defineOp, type KernelBinding, type KernelParameter, type OperatorUse } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { contributions } from './contributions.js';
import { reference } from './reference.js';

/**
 * Defines the operator `string-normalize`, which folds the case of a text and empties texts that
 * equal a stop word. If possible, a kernel for n-grams (such as `text_ngram`) runs it together with
 * its neighbors.
 */
export const stringNormalize = defineOp({
  name: 'string-normalize',
  version: 1,
  doc: {
    does: 'Folds the case of a text. Replaces a text that equals a stop word by the empty text.',
    types: 'text → text',
    attributes: { action: 'lower, upper or none', caseSensitive: 'whether stop words are compared exactly' },
    parameters: { stopWords: 'string[words], whole texts' },
    kernels: ['text_ngram', 'hash_ngram', 'word_char_ngram', 'map_text', 'stop_texts'],
  },
  attributes: { action: ['lower', 'upper', 'none'], caseSensitive: 'boolean' },
  parameters: { stopWords: ['string'] },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'featurizer' },
  infer: (use) => ofText('string-normalize', use) && text,
  reference,
  contributions,
  summary({ attributes: { action }, parameters: { stopWords } }) {
    const folding = action === 'none' ? [] : [`${action} case`];
    return [...folding, ...(stopWords ? [`${stopWords.shape[0]} stop words`] : [])].join(', ');
  },
  kernel,
});

/**
 * Returns the kernel for a use. The kernel compares texts with stop words exactly, or after it has
 * folded their case. If the use does not fold the text itself, the kernel folds copies to lower
 * case for the comparison.
 */
function kernel({ attributes, parameters }: OperatorUse): KernelBinding {
  const { action, caseSensitive } = attributes as { action: CaseAction; caseSensitive: boolean };
  if (parameters.stopWords === undefined) return { kernel: 'map_text', parameters: [folding(action)] };
  const isKept = action === 'none';
  const compared = caseSensitive ? 'none' : isKept ? 'lower' : action;
  const stopWords: KernelParameter = {
    derive: `stop words, case ${compared}`,
    from: ['stopWords'],
    build: ({ stopWords }) =>
      buildStopWords((stopWords as { values: readonly string[] }).values.map((word) => foldText(word, compared))),
  };
  const map = folding(isKept ? compared : action);
  return { kernel: 'stop_texts', parameters: [map, stopWords], attributes: [caseSensitive ? 0 : 1, isKept ? 1 : 0] };
}

const folding = (action: CaseAction): KernelParameter => ({
  derive: `text map: case ${action}`,
  from: [],
  build: () => buildTextMap({ map: (codePoint) => [foldCodePoint(codePoint, action)] }),
});

/** Options of `Flow.stringNormalize`. */
export interface StringNormalizeOptions {
  /**
   * How to fold the case: `lower` (default), `upper` or `none`. Each code point becomes one code
   * point: 'İ' → 'i', 'Σ' → 'σ', and 'ß' stays.
   */
  readonly case?: CaseAction;
  /**
   * Texts to replace by the empty text. Each is compared with the whole text and not with its
   * words, as in ONNX StringNormalizer.
   */
  readonly stopWords?: readonly string[] | ParameterLease;
  /**
   * If true, the original text is compared with the stop words. If false (default), text and stop
   * words are compared after their case is folded.
   */
  readonly caseSensitive?: boolean;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Folds the case of a text. Replaces a text that equals a stop word by the empty text.
     *
     * Shapes: text → text. Cost: O(bytes). Bit-equal on every engine, without a locale.
     * @throws ERR_FLOUR_PARAM for an unknown case.
     * @see Source: ONNX StringNormalizer-10.
     * @example text.stringNormalize({ case: 'lower' }).tokenize()
     */
    stringNormalize(this: Flow<'text', Row, unknown>, options?: StringNormalizeOptions): Flow<'text', Row>;
  }
}

Flow.prototype.stringNormalize = function (this: Flow<'text'>, options = {}) {
  const { case: action = 'lower', stopWords = [], caseSensitive = false } = options;
  return this.context.apply<'text'>(stringNormalize, [this], {
    attributes: { action, caseSensitive },
    parameters: stopWordParameters(stopWords),
  });
};

function stopWordParameters(stopWords: readonly string[] | ParameterLease): ApplyOptions['parameters'] {
  if ('id' in stopWords) return { stopWords };
  return stopWords.length > 0 ? { stopWords: stringList(stopWords) } : {};
}

/** Copies a list of strings to a parameter, because the caller may change the list later. */
export function stringList(values: readonly string[]): StringParameter {
  return { dtype: 'string', shape: [values.length], values: [...values] };
}
