import { storeError } from '@brezel/object-store';
import { singleCodePoint } from './utf8.js';

/** What an n-gram dictionary is made of. */
export interface DictionarySource {
  /** `word`: symbols are whole words. `character`: symbols are code points. */
  readonly unit: 'word' | 'character';
  /** Distinct. In `character` dictionaries a token that is not exactly one code point never matches. */
  readonly tokens: readonly string[];
  /** Token indices of all grams, one gram after another, by size. */
  readonly grams: Uint32Array | Int32Array;
  /** How many grams of size 1, 2, 3, ... there are. */
  readonly gramCounts: readonly number[];
  /** Output column of each gram; grams may share one. */
  readonly columns: Uint32Array | Int32Array;
  readonly columnCount: number;
  /** Grams of other sizes are ignored. */
  readonly minN: number;
  readonly maxN: number;
  /** How often each column was counted in training, if known: frequent n-grams are then found in one step. Answers do not depend on it. */
  readonly frequency?: Int32Array | undefined;
}

const LARGEST_GRAM = 64;

/** The grams that can match, by size. */
export interface SelectedGrams {
  readonly count: number;
  /** Sizes to look up: those asked for, without larger ones than there are. */
  readonly minN: number;
  readonly maxN: number;
  /** Where a gram's tokens start. */
  readonly starts: Int32Array;
  readonly columns: Int32Array;
  /** Grams of size n are `bySize[n - 1] .. bySize[n]`, for n = 1..maxN. */
  readonly bySize: readonly number[];
  /** 1 for each token that some of them contains. */
  readonly usedTokens: Uint8Array;
}

/** Checks a dictionary's source and leaves out what never matches. */
export function selectGrams(source: DictionarySource): SelectedGrams {
  checkSizes(source);
  const { grams, gramCounts, columns, columnCount, minN, maxN } = source;
  const matchable = matchableTokens(source);
  const usedTokens = new Uint8Array(source.tokens.length);
  const starts = new Int32Array(columns.length);
  const kept = new Int32Array(columns.length);
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
      for (let at = start; at < start + size; at++) usedTokens[grams[at]!] = 1;
      starts[count] = start;
      kept[count++] = columns[gram]!;
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
    columns: kept.subarray(0, count),
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
  const length = gramCounts.reduce((sum, ofSize, at) => sum + ofSize * (at + 1), 0);
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

/** Texts are well formed, so a token with half a surrogate pair never matches (and would look like U+FFFD in UTF-8). */
function matchableTokens({ unit, tokens }: DictionarySource): Uint8Array {
  const matchable = new Uint8Array(tokens.length);
  for (let token = 0; token < tokens.length; token++) {
    const text = tokens[token]!;
    matchable[token] = (unit === 'word' ? text.isWellFormed() : singleCodePoint(text) >= 0) ? 1 : 0;
  }
  return matchable;
}

function allMatchable(grams: Uint32Array | Int32Array, start: number, size: number, matchable: Uint8Array): boolean {
  for (let at = start; at < start + size; at++) if (matchable[grams[at]!] === 0) return false;
  return true;
}
