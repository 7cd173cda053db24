import type { ReferenceKernel, TokensBlock } from '@brezel/core';
import { type GramSequence, gramSequences, murmur3, SparseRows } from '@brezel/tensors';

export interface HashNgramAttributes {
  /**
   * `token`: n-grams of tokens, joined by a space. `character`: n-grams of the characters of each
   * token. `padded`: like `character`, but with one space added on both sides of each token.
   */
  readonly unit: 'token' | 'character' | 'padded';
  readonly minN: number;
  readonly maxN: number;
  readonly columns: number;
  /** Seed of the hash, from 0 to 2^32 - 1. */
  readonly seed: number;
  /**
   * Whether the column is computed from the absolute value of the signed hash, as in scikit-learn,
   * or from the unsigned hash.
   */
  readonly signed: boolean;
  /** Whether n-grams with a negative hash are subtracted. */
  readonly alternateSign: boolean;
  readonly binary: boolean;
}

/**
 * Counts the n-grams of each row in the columns that their hashes select. The result lists the
 * columns in the order of their first n-gram, including columns whose counts cancel to 0.
 */
export const reference: ReferenceKernel = ({ inputs, attributes }) => {
  const options = attributes as unknown as HashNgramAttributes;
  const rows = new SparseRows(options.columns);
  for (const tokens of (inputs[0] as TokensBlock).values) {
    const counts = new Map<number, number>();
    for (const { gram } of gramsOf(tokens, options)) {
      const { column, change } = columnOf(gram, options);
      counts.set(column, options.binary ? 1 : (counts.get(column) ?? 0) + change);
    }
    rows.push(counts);
  }
  return rows.finish();
};

/**
 * Returns the column of an n-gram, and the number (1 or -1) that each occurrence adds to the
 * column.
 */
export function columnOf(gram: string, options: HashNgramAttributes): { column: number; change: 1 | -1 } {
  const hash = murmur3(new TextEncoder().encode(gram), options.seed) | 0;
  const column = (options.signed ? Math.abs(hash) : hash >>> 0) % options.columns;
  return { column, change: options.alternateSign && hash < 0 ? -1 : 1 };
}

interface FoundGram {
  readonly gram: string;
  /**
   * The tokens or characters that contain the n-gram, from index `first` to index `last`, both
   * included.
   */
  readonly sequence: GramSequence;
  readonly first: number;
  readonly last: number;
}

/**
 * Yields all n-grams of a row: all n-grams of the smallest n, then of the next n, each from left to
 * right. A padded token with fewer than minN characters is itself an n-gram.
 */
export function* gramsOf(
  tokens: readonly string[],
  { unit, minN, maxN }: Pick<HashNgramAttributes, 'unit' | 'minN' | 'maxN'>,
): Generator<FoundGram> {
  const sequences = gramSequences(tokens, unit);
  const longest = sequences.reduce((most, { units }) => Math.max(most, units.length), 0);
  for (let n = unit === 'padded' ? 1 : minN; n <= Math.min(maxN, longest); n++) {
    for (const sequence of sequences) {
      if (n < minN && sequence.units.length !== n) continue;
      for (let at = 0; at + n <= sequence.units.length; at++) {
        const gram = sequence.units.slice(at, at + n).join(unit === 'token' ? ' ' : '');
        yield { gram, sequence, first: at, last: at + n - 1 };
      }
    }
  }
}
