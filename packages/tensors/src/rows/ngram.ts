import type { ParameterValue, ReferenceKernel, TextSpan, TokensBlock } from '@brezel/core';
import { SparseRows } from '../shared/sparse-rows.js';

export interface NgramAttributes {
  /**
   * The unit of the n-grams: tokens, the characters of each token, or the characters of each token
   * padded with a space on both sides.
   */
  readonly unit: 'token' | 'character' | 'padded';
  readonly minN: number;
  readonly maxN: number;
  /**
   * Largest number of tokens that may be skipped between neighbors of an n-gram. All gaps of one
   * n-gram have the same size.
   */
  readonly maxSkip: number;
  /** True counts an n-gram as 1, however often it occurs in a row. */
  readonly binary: boolean;
  /**
   * True adds an entry with the number 1 for each occurrence of an n-gram, so columns repeat. The
   * default is an entry for each distinct column.
   */
  readonly occurrences?: boolean;
  readonly columns: number;
  /** The number of n-grams of 1, 2, 3, ... tokens that the vocabulary contains. */
  readonly gramCounts: readonly number[];
}

/** A trie of maps, one level per token: n-gram → output column. */
interface TrieNode {
  readonly next: Map<string, TrieNode>;
  column?: number;
}

/**
 * Counts the n-grams of the vocabulary: for n from minN to maxN, for each sequence, for each skip,
 * for each start. A row holds the distinct columns in order of first occurrence, or with
 * `occurrences`, the column of each occurrence in order.
 */
export const countNgrams: ReferenceKernel = ({ inputs, attributes, parameters }) => {
  const options = attributes as unknown as NgramAttributes;
  const rows = new SparseRows(options.columns);
  for (const tokens of (inputs[0] as TokensBlock).values) {
    if (options.occurrences) {
      const entries: [number, number][] = [];
      findNgrams(tokens, options, parameters, (column) => entries.push([column, 1]));
      rows.push(entries);
      continue;
    }
    const counts = new Map<number, number>();
    findNgrams(tokens, options, parameters, (column) =>
      counts.set(column, options.binary ? 1 : (counts.get(column) ?? 0) + 1),
    );
    rows.push(counts);
  }
  return rows.finish();
};

/**
 * Receives the column of an n-gram, the sequence in which it was found, and the indices of its
 * first and last unit there.
 */
type FoundGram = (column: number, sequence: GramSequence, first: number, last: number) => void;

/**
 * Calls `found` for each occurrence of an n-gram of the vocabulary, in the order of `countNgrams`.
 */
export function findNgrams(
  tokens: readonly string[],
  options: NgramAttributes,
  parameters: Readonly<Record<string, ParameterValue>>,
  found: FoundGram,
): void {
  const trie = vocabularyTrie(options, parameters);
  // For characters, finds the n-grams inside each token. One pass over all sequences per n keeps
  // the defined order.
  const sequences = gramSequences(tokens, options.unit);
  for (let n = options.unit === 'padded' ? 1 : options.minN; n <= options.maxN; n++) {
    for (const sequence of sequences) {
      // A padded token shorter than minN is one n-gram.
      if (n >= options.minN || sequence.units.length === n) findGrams(trie, sequence, n, options.maxSkip, found);
    }
  }
}

/**
 * The units of one sequence that n-grams are taken from: the tokens of a row, or the characters of
 * a token.
 */
export interface GramSequence {
  readonly units: readonly string[];
  /** Index of the token that the characters belong to. Undefined for a sequence of tokens. */
  readonly token?: number;
  /** True if a space was added on both sides of the token. */
  readonly isPadded?: boolean;
}

/** Returns the sequences that n-grams of a unit are taken from. */
export function gramSequences(tokens: readonly string[], unit: NgramAttributes['unit']): readonly GramSequence[] {
  if (unit === 'token') return [{ units: tokens }];
  const isPadded = unit === 'padded';
  return tokens.map((text, token) => ({ units: [...(isPadded ? ` ${text} ` : text)], token, isPadded }));
}

/**
 * Returns the positions of the units from `first` to `last` in the tokens. Added spaces have no
 * position.
 */
export function spanOf({ units, token, isPadded }: GramSequence, first: number, last: number): TextSpan {
  if (token === undefined)
    return { start: { element: first, unit: 0 }, end: { element: last, unit: units[last]!.length } };
  const starts = unitStarts(units);
  const added = isPadded ? 1 : 0;
  const length = starts[units.length]! - 2 * added;
  const inToken = (unit: number) => ({ element: token, unit: Math.min(Math.max(unit - added, 0), length) });
  return { start: inToken(starts[first]!), end: inToken(starts[last + 1]!) };
}

/** Caches where the characters of a sequence start, because a sequence has many n-grams. */
const startsOfUnits = new WeakMap<readonly string[], Uint32Array>();

function unitStarts(units: readonly string[]): Uint32Array {
  let starts = startsOfUnits.get(units);
  if (starts === undefined) {
    starts = new Uint32Array(units.length + 1);
    for (let unit = 0; unit < units.length; unit++) starts[unit + 1] = starts[unit]! + units[unit]!.length;
    startsOfUnits.set(units, starts);
  }
  return starts;
}

function findGrams(trie: TrieNode, sequence: GramSequence, n: number, maxSkip: number, found: FoundGram): void {
  const { units } = sequence;
  // Larger steps leave the sequence, so they are not tried. A file can declare any number of skips.
  const most = n === 1 ? 1 : Math.min(maxSkip + 1, units.length);
  for (let step = 1; step <= most; step++) {
    for (let start = 0; start + (n - 1) * step < units.length; start++) {
      let node: TrieNode | undefined = trie;
      for (let k = 0; k < n && node !== undefined; k++) node = node.next.get(units[start + k * step]!);
      if (node?.column !== undefined) found(node.column, sequence, start, start + (n - 1) * step);
    }
  }
}

/** Returns the n-grams of some columns as texts: characters joined directly, words by a space. */
export function gramTexts(
  { gramCounts, unit }: NgramAttributes,
  { tokens, grams, columns }: Readonly<Record<string, ParameterValue>>,
  wanted: ReadonlyMap<number, unknown>,
): Map<number, string> {
  if (tokens?.dtype !== 'string' || grams?.dtype !== 'int32' || columns?.dtype !== 'int32')
    throw new TypeError('ngram parameters');
  const texts = new Map<number, string>();
  let gram = 0;
  let at = 0;
  gramCounts.forEach((count, index) => {
    const n = index + 1;
    for (let k = 0; k < count && texts.size < wanted.size; k++, gram++, at += n) {
      const column = columns.data[gram]!;
      if (!wanted.has(column) || texts.has(column)) continue;
      const units = Array.from(grams.data.subarray(at, at + n), (token) => tokens.values[token]!);
      const isOfCharacters = unit !== 'token' || units.every((one) => [...one].length === 1);
      texts.set(column, units.join(isOfCharacters ? '' : ' '));
    }
  });
  return texts;
}

/**
 * Caches tries by the value of the tokens parameter. A lookup also compares n-grams and columns,
 * because several vocabularies can share their tokens.
 */
const tries = new WeakMap<
  ParameterValue,
  { grams: ParameterValue; columns: ParameterValue; key: string; trie: TrieNode }[]
>();

function vocabularyTrie(options: NgramAttributes, parameters: Readonly<Record<string, ParameterValue>>): TrieNode {
  const { tokens, grams, columns } = parameters;
  if (tokens?.dtype !== 'string' || grams?.dtype !== 'int32' || columns?.dtype !== 'int32')
    throw new TypeError('ngram parameters');
  const minN = options.unit === 'padded' ? 1 : options.minN;
  const key = `${minN},${options.maxN},${options.gramCounts}`;
  const built = tries.get(tokens) ?? [];
  const known = built.find((one) => one.grams === grams && one.columns === columns && one.key === key);
  if (known !== undefined) return known.trie;
  const root: TrieNode = { next: new Map() };
  let gram = 0;
  let at = 0;
  options.gramCounts.forEach((number, index) => {
    const n = index + 1;
    for (let k = 0; k < number; k++, gram++, at += n) {
      if (n < minN || n > options.maxN) continue;
      let node = root;
      for (let position = 0; position < n; position++) {
        const token = tokens.values[Number(grams.data[at + position])]!;
        let next = node.next.get(token);
        if (next === undefined) {
          next = { next: new Map() };
          node.next.set(token, next);
        }
        node = next;
      }
      // The first of two equal n-grams wins.
      node.column ??= Number(columns.data[gram]);
    }
  });
  tries.set(tokens, [...built, { grams, columns, key, trie: root }]);
  return root;
}
