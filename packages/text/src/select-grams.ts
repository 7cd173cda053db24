import { storeError } from '@brezel/object-store';
import { singleCodePoint } from './utf8.js';

/** The content of an n-gram dictionary before it is built. */
export interface DictionarySource {
  /** `word`: symbols are whole words. `character`: symbols are code points. */
  readonly unit: 'word' | 'character';
  /**
   * Distinct tokens. In a `character` dictionary, a token that is not exactly one code point never
   * matches.
   */
  readonly tokens: readonly string[];
  /** The indices of the tokens of all n-grams, one n-gram after another, shorter n-grams first. */
  readonly grams: Uint32Array | Int32Array;
  /** The number of n-grams with 1, 2, 3, ... tokens. */
  readonly gramCounts: readonly number[];
  /** The output column of each n-gram. Several n-grams may have the same column. */
  readonly columns: Uint32Array | Int32Array;
  readonly columnCount: number;
  /** The smallest number of tokens of an n-gram. Shorter n-grams are ignored. */
  readonly minN: number;
  readonly maxN: number;
  /**
   * How often each column was counted in training, if known. The tables then store frequent n-grams
   * where a search finds them first. Answers do not depend on these numbers.
   */
  readonly frequency?: Int32Array | undefined;
  /**
   * An existing dictionary. Entries get the same places as in its tables, and `frequency` is
   * ignored. The result has the bytes of `placedLike` if and only if `placedLike` is a dictionary
   * of this source.
   */
  readonly placedLike?: Uint8Array | undefined;
}

const LARGEST_GRAM = 64;

/** The n-grams of a source that can match a text, sorted by size. */
export interface SelectedGrams {
  readonly count: number;
  /**
   * The smallest and the largest number of tokens of an n-gram to look up. Both are limited to the
   * longest n-gram in the dictionary.
   */
  readonly minN: number;
  readonly maxN: number;
  /** For each n-gram, the index of its first token in `grams` of the source. */
  readonly starts: Int32Array;
  readonly columns: Int32Array;
  /**
   * The n-grams with n tokens have the indices from `bySize[n - 1]` to `bySize[n] - 1`.
   */
  readonly bySize: readonly number[];
  /** 1 for each token that a selected n-gram contains, otherwise 0. */
  readonly usedTokens: Uint8Array;
}

/** Checks the source of a dictionary. Omits n-grams that can never match a text. */
export function selectGrams(source: DictionarySource): SelectedGrams {
  checkSizes(source);
  const { grams, gramCounts, columns, columnCount, minN, maxN } = source;
  const matchable = matchableTokens(source);
  const usedTokens = new Uint8Array(source.tokens.length);
  const starts = new Int32Array(columns.length);
  const selectedColumns = new Int32Array(columns.length);
  const bySize = [0];
  let count = 0;
  let start = 0;
  let gram = 0;
  let largest = 1;
  for (let size = 1; size <= gramCounts.length; size++) {
    const end = gram + gramCounts[size - 1]!;
    for (; gram < end; gram++, start += size) {
      if (size < minN || size > maxN || !allMatchable(grams, start, size, matchable)) continue;
      if (columns[gram]! < 0 || columns[gram]! >= columnCount) {
        throw storeError('ERR_STORE_DICTIONARY', {
          received: `gram ${gram} has column ${columns[gram]} of ${columnCount}`,
        });
      }
      for (let token = start; token < start + size; token++) usedTokens[grams[token]!] = 1;
      starts[count] = start;
      selectedColumns[count++] = columns[gram]!;
      largest = size;
    }
    bySize.push(count);
  }
  if (largest > LARGEST_GRAM)
    throw storeError('ERR_STORE_DICTIONARY', { received: `a gram of ${largest} tokens: the limit is ${LARGEST_GRAM}` });
  return {
    count,
    minN: Math.min(minN, largest),
    maxN: largest,
    starts: starts.subarray(0, count),
    columns: selectedColumns.subarray(0, count),
    bySize: [...bySize, count],
    usedTokens,
  };
}

function checkSizes({ tokens, grams, gramCounts, columns, minN, maxN }: DictionarySource): void {
  if (!(Number.isInteger(minN) && Number.isInteger(maxN) && minN >= 1 && minN <= maxN)) {
    throw storeError('ERR_STORE_DICTIONARY', {
      received: `n-gram sizes ${minN}..${maxN}: expected whole numbers, 1 <= minN <= maxN`,
    });
  }
  const count = gramCounts.reduce((sum, ofSize) => sum + ofSize, 0);
  const length = gramCounts.reduce((sum, ofSize, index) => sum + ofSize * (index + 1), 0);
  if (count !== columns.length)
    throw storeError('ERR_STORE_DICTIONARY', { received: `${count} grams, but ${columns.length} columns` });
  if (length !== grams.length)
    throw storeError('ERR_STORE_DICTIONARY', {
      received: `${count} grams have ${length} tokens, but ${grams.length} came`,
    });
  for (const token of grams) {
    if (token < 0 || token >= tokens.length)
      throw storeError('ERR_STORE_DICTIONARY', { received: `a gram names token ${token} of ${tokens.length}` });
  }
}

/**
 * Returns 1 for each token that can match, otherwise 0. Texts are well-formed, so a token with a
 * lone surrogate never matches. Such a token gets 0, because its UTF-8 bytes would otherwise match
 * the text U+FFFD.
 */
function matchableTokens({ unit, tokens }: DictionarySource): Uint8Array {
  const matchable = new Uint8Array(tokens.length);
  for (let token = 0; token < tokens.length; token++) {
    const text = tokens[token]!;
    matchable[token] = (unit === 'word' ? text.isWellFormed() : singleCodePoint(text) >= 0) ? 1 : 0;
  }
  return matchable;
}

function allMatchable(grams: Uint32Array | Int32Array, start: number, size: number, matchable: Uint8Array): boolean {
  for (let token = start; token < start + size; token++) if (matchable[grams[token]!] === 0) return false;
  return true;
}
