import { floatOperations } from '@brezel/tensors';
import type { OperatorDefinition, OperatorUse } from './define-op.js';
import { flourError } from './errors.js';

// Builder methods check attributes, but a fleet file contains attributes without a builder. The
// reference and the kernels could read an unknown value in two ways.

type Allowed = 'boolean' | 'count' | readonly string[];

const units = ['token', 'character', 'padded'];
const sides = ['right', 'left', 'none'];
const choices = ['flow', 'constant'];

/** The values of the attributes that `infer` does not check, by operator. */
const allowed: Readonly<Record<string, Readonly<Record<string, Allowed>>>> = {
  'arg-max': { last: 'boolean', least: 'boolean' },
  arithmetic: { operation: [...Object.keys(floatOperations), 'unsignedDivide', 'unsignedRemainder'], side: sides },
  'binary-scores': { mode: ['complement', 'logistic', 'opposite'] },
  bitwise: { side: sides },
  'cdf-normalize': { log: 'boolean' },
  compare: { comparison: ['greater', 'less', 'equal', 'greaterOrEqual', 'lessOrEqual'], side: sides },
  'cumulative-sum': { exclusive: 'boolean', reverse: 'boolean' },
  'csv-field': { index: 'count' },
  'feature-hasher': { alternateSign: 'boolean' },
  forest: { aggregate: ['sum', 'average', 'min', 'max'], features: 'count' },
  'gaussian-mixture': { diagonal: 'boolean' },
  'hash-ngram': { alternateSign: 'boolean', binary: 'boolean', columns: 'count', signed: 'boolean', unit: units },
  'index-of': { unknown: ['count', 'error'] },
  'k-nearest-neighbors': { neighbors: 'count', outputs: 'count', rooted: 'boolean', weighted: 'boolean' },
  logic: { side: sides },
  lookup: { repeated: 'boolean', wide: 'boolean' },
  'lp-norm': { subtractMean: 'boolean' },
  'murmur-hash-3': { signed: 'boolean' },
  narrow: { checked: 'boolean' },
  ngram: { binary: 'boolean', columns: 'count', unit: units },
  'normalize-text': { keepDiacritics: 'boolean', keepNumbers: 'boolean', keepPunctuations: 'boolean' },
  'polynomial-features': { includeBias: 'boolean', interactionOnly: 'boolean' },
  'preprocess-text': { lowercase: 'boolean' },
  softmax: { keepZeros: 'boolean', logarithm: 'boolean' },
  'string-normalize': { action: ['lower', 'upper', 'none'], caseSensitive: 'boolean' },
  tokenize: { minLength: 'count' },
  'top-k': { least: 'boolean' },
  'tree-ensemble': { features: 'count' },
  'tree-featurize': { columns: 'count', features: 'count' },
  where: { yes: choices, no: choices },
};

/**
 * Checks the attributes of a use from a file. A missing attribute has its default.
 *
 * @throws ERR_FLOUR_PARAM
 */
export function checkAttributes({ name }: OperatorDefinition, { attributes }: Pick<OperatorUse, 'attributes'>): void {
  for (const [attribute, values] of Object.entries(allowed[name] ?? {})) {
    const value = attributes[attribute];
    if (value === undefined || isAllowed(value, values)) continue;
    const expected = typeof values === 'string' ? `a ${values}` : values.join(', ');
    const at = `${name}, attribute "${attribute}"`;
    throw flourError('ERR_FLOUR_PARAM', { expected, received: String(value), at });
  }
}

function isAllowed(value: unknown, values: Allowed): boolean {
  if (values === 'boolean') return typeof value === 'boolean';
  if (values === 'count') return Number.isSafeInteger(value) && Number(value) >= 0;
  return values.includes(value as string);
}
