import type { ParameterValue } from '@brezel/core';

/**
 * Names a parameter of a vocabulary: its distinct tokens, its n-grams as token numbers, or the
 * column of each n-gram.
 */
export type VocabularyPart = 'tokens' | 'grams' | 'columns';

/**
 * A vocabulary as compact parameters: a list of the distinct tokens, and each n-gram as a list of
 * token numbers. Shorter n-grams come first.
 */
export interface NewVocabulary {
  readonly parameters: Readonly<Record<VocabularyPart, ParameterValue>>;
  readonly gramCounts: readonly number[];
  readonly columns: number;
  /** The smallest n of the vocabulary's n-grams. `maxN` is the largest. */
  readonly minN: number;
  readonly maxN: number;
}

/**
 * Builds a vocabulary from ONNX's form: all tokens flattened, shortest n-grams first, and the
 * column of each n-gram.
 */
export function compactVocabulary(
  pool: readonly string[],
  gramCounts: readonly number[],
  columns: Int32Array,
  columnCount: number,
): NewVocabulary {
  const numbers = new Map<string, number>();
  const grams = new Int32Array(pool.length);
  pool.forEach((token, at) => {
    let number = numbers.get(token);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(token, number);
    }
    grams[at] = number;
  });
  const minN = gramCounts.findIndex((count) => count > 0) + 1;
  return {
    parameters: {
      tokens: { dtype: 'string', shape: [numbers.size], values: [...numbers.keys()] },
      grams: { dtype: 'int32', shape: [grams.length], data: grams },
      columns: { dtype: 'int32', shape: [columns.length], data: columns },
    },
    gramCounts,
    columns: columnCount,
    minN,
    maxN: gramCounts.length,
  };
}
