import type { ParameterValue } from '@brezel/core';
import type { ParameterLease } from '@brezel/object-store';
import { compactVocabulary, type NewVocabulary, type VocabularyPart } from '@brezel/tensors';
import { flourError } from '../../errors.js';

/**
 * A vocabulary of n-grams, stored as parameters: a list of the distinct tokens, and for each n-gram
 * the indices of its tokens. Shorter n-grams come first.
 */
export interface Vocabulary {
  readonly parameters: Readonly<Record<VocabularyPart, ParameterValue | ParameterLease>>;
  readonly gramCounts: readonly number[];
  readonly columns: number;
  /** The smallest n of the vocabulary's n-grams. `maxN` is the largest. */
  readonly minN: number;
  readonly maxN: number;
}

/**
 * Builds a vocabulary from n-grams in column order: `[['good'], ['not', 'good']]`.
 *
 * @throws ERR_FLOUR_PARAM for an empty list, or an empty n-gram.
 * @example vocabulary([['good'], ['bad'], ['not', 'good']])
 */
export function vocabulary(grams: readonly (readonly string[])[]): NewVocabulary {
  const sizes = grams.map((gram) => gram.length);
  const empty = sizes.indexOf(0);
  if (grams.length === 0 || empty >= 0) {
    const received = grams.length === 0 ? 'none' : `an empty one at column ${empty}`;
    throw flourError('ERR_FLOUR_PARAM', { expected: 'n-grams of at least one token', received, at: 'vocabulary' });
  }
  const maxN = sizes.reduce((a, b) => Math.max(a, b), 0);
  const order = Uint32Array.from(grams, (_, column) => column).sort((a, b) => sizes[a]! - sizes[b]! || a - b);
  const gramCounts = new Array<number>(maxN).fill(0);
  for (const size of sizes) gramCounts[size - 1]!++;
  const flat: string[] = [];
  for (const column of order) flat.push(...grams[column]!);
  return compactVocabulary(flat, gramCounts, Int32Array.from(order), grams.length);
}
