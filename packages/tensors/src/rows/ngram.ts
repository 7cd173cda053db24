import type { ParameterValue, ReferenceKernel, TokensBlock } from '@brezel/core';
import { SparseRows } from '../shared/sparse-rows.js';

export interface NgramAttributes {
  /**
   * N-grams of tokens, of the characters of each token, or of the characters of each token padded
   * with a space on both sides.
   */
  readonly unit: 'token' | 'character' | 'padded';
  readonly minN: number;
  readonly maxN: number;
  /**
   * Largest number of tokens that may be skipped between neighbors of an n-gram. All gaps of one
   * n-gram have the same size.
   */
  readonly maxSkip: number;
  /** Sets 1 for an n-gram, however often it occurs. */
  readonly binary: boolean;
  readonly columns: number;
  /** Numbers of n-grams of 1, 2, 3, ... tokens in the vocabulary. */
  readonly gramCounts: readonly number[];
}

/** A trie of maps, one level per token: n-gram → output column. */
interface TrieNode {
  readonly next: Map<string, TrieNode>;
  column?: number;
}

/**
 * Counts the n-grams of the vocabulary: for n from minN to maxN, for each start, for each skip. A
 * row holds the distinct columns in order of first occurrence.
 */
export const countNgrams: ReferenceKernel = ({ inputs, attributes, parameters }) => {
  const options = attributes as unknown as NgramAttributes;
  const trie = vocabularyTrie(options, parameters);
  const rows = new SparseRows(options.columns);
  for (const tokens of (inputs[0] as TokensBlock).values) {
    const counts = new Map<number, number>();
    const count = (column: number) => counts.set(column, options.binary ? 1 : (counts.get(column) ?? 0) + 1);
    // For characters, counts the n-grams inside each token. One pass over all sequences per n keeps
    // the defined order.
    const sequences = sequencesOf(tokens, options.unit);
    for (let n = options.unit === 'padded' ? 1 : options.minN; n <= options.maxN; n++) {
      for (const sequence of sequences) {
        // A padded token shorter than minN is one n-gram.
        if (n >= options.minN || sequence.length === n) countGrams(trie, sequence, n, options.maxSkip, count);
      }
    }
    rows.push(counts);
  }
  return rows.finish();
};

function sequencesOf(tokens: readonly string[], unit: NgramAttributes['unit']): readonly (readonly string[])[] {
  if (unit === 'token') return [tokens];
  return tokens.map((token) => [...(unit === 'padded' ? ` ${token} ` : token)]);
}

function countGrams(
  trie: TrieNode,
  sequence: readonly string[],
  n: number,
  maxSkip: number,
  count: (column: number) => void,
): void {
  // Larger steps leave the sequence, so they are not tried. A file can declare any number of skips.
  const most = n === 1 ? 1 : Math.min(maxSkip + 1, sequence.length);
  for (let step = 1; step <= most; step++) {
    for (let start = 0; start + (n - 1) * step < sequence.length; start++) {
      let node: TrieNode | undefined = trie;
      for (let k = 0; k < n && node !== undefined; k++) node = node.next.get(sequence[start + k * step]!);
      if (node?.column !== undefined) count(node.column);
    }
  }
}

/**
 * Caches tries by the value of the tokens parameter. Grams and columns are compared too, because
 * several vocabularies can share their tokens.
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
