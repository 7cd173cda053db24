import { bytesOfStrings, headOfStrings, type ObjectStore, type StringParameter } from '@brezel/object-store';
import { hasCodePoint, parseClassPattern } from '@brezel/text';
import type { Flow } from '../../flow.js';

/**
 * The n-grams of an ONNX file, shorter n-grams first. `tokens` lists the tokens of all n-grams one
 * after another. `gramCounts` holds the number of n-grams with 1, 2, ... tokens, and `columns` the
 * column of each n-gram.
 */
export interface NgramPool {
  readonly tokens: readonly string[];
  readonly gramCounts: readonly number[];
  readonly columns: readonly number[];
}

const SPACE = 0x20;

/** Returns whether a flow of tokens comes from a tokenizer whose tokens never contain a space. */
export function hasNoSpaces(flow: Flow): boolean {
  const { operator, attributes } = flow.node;
  if (operator?.name !== 'tokenize') return false;
  const { mode, patterns } = attributes as { mode: string; patterns: readonly string[] };
  const classes = patterns.map((pattern) => parseClassPattern(pattern)?.class);
  const takesSpace = (set: (typeof classes)[number]) => set !== undefined && hasCodePoint(set, SPACE);
  return mode === 'pattern'
    ? classes.every((set) => set !== undefined && !takesSpace(set))
    : mode === 'separators' && classes.some(takesSpace);
}

const counted = new WeakMap<ObjectStore, Map<string, number>>();

/**
 * Returns how many tokens of a vocabulary contain a space. Calls `countTokens` only for a `key`
 * that the store has not seen before, because models of a family share a vocabulary.
 */
export function spacedTokens(store: ObjectStore, key: string, countTokens: () => number): number {
  const counts = counted.get(store) ?? new Map<string, number>();
  counted.set(store, counts);
  const count = counts.get(key) ?? countTokens();
  counts.set(key, count);
  return count;
}

/**
 * Counts the tokens that contain a space.
 * @param numbers the index in `tokens` of each token to count; by default, each token counts once
 */
export function countSpaced(tokens: StringParameter, numbers?: Int32Array): number {
  const text = bytesOfStrings(tokens).subarray(headOfStrings(tokens.shape[0]!));
  if (!text.includes(SPACE)) return 0;
  const isSpaced = tokens.values.map((token) => token.includes(' '));
  return (numbers === undefined ? isSpaced : Array.from(numbers, (number) => isSpaced[number])).filter(Boolean).length;
}

/**
 * Returns the n-grams of the trained model. If a word of an n-gram is not itself in the vocabulary,
 * skl2onnx writes the n-gram as one string. The function splits such strings at spaces, which is
 * exact because words contain no spaces (see `hasNoSpaces`). The columns stay the same.
 */
export function repaired({ tokens, gramCounts, columns }: NgramPool): NgramPool {
  const grams: { readonly words: readonly string[]; readonly column: number }[] = [];
  let at = 0;
  gramCounts.forEach((count, index) => {
    for (let gram = 0; gram < count; gram++, at += index + 1) {
      const words = tokens.slice(at, at + index + 1).flatMap((token) => token.split(' '));
      grams.push({ words, column: columns[grams.length]! });
    }
  });
  grams.sort((a, b) => a.words.length - b.words.length);
  const longest = grams.at(-1)?.words.length ?? 0;
  const sizes = Array.from({ length: longest }, (_, index) => index + 1);
  return {
    tokens: grams.flatMap(({ words }) => words),
    gramCounts: sizes.map((size) => grams.filter(({ words }) => words.length === size).length),
    columns: grams.map(({ column }) => column),
  };
}
