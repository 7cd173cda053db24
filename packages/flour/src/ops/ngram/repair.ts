import type { ObjectStore } from '@brezel/object-store';
import { hasCodePoint, parseClassPattern } from '@brezel/text';
import type { Flow } from '../../flow.js';

/** The n-grams of a file: tokens of all of them flattened, shortest first, how many there are of each size, and the column of each. */
export interface NgramPool {
  readonly tokens: readonly string[];
  readonly gramCounts: readonly number[];
  readonly columns: readonly number[];
}

const SPACE = 0x20;

/** Whether no token of this flow holds a space, as far as the pattern of its tokenizer tells. */
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

/** Tokens of a pool that hold a space. Counted once a vocabulary: a family of models has one. */
export function spacedTokens(store: ObjectStore, key: string, tokens: () => readonly string[]): number {
  const counts = counted.get(store) ?? new Map<string, number>();
  counted.set(store, counts);
  const count = counts.get(key) ?? tokens().filter((token) => token.includes(' ')).length;
  counts.set(key, count);
  return count;
}

/**
 * N-grams as they were trained: skl2onnx leaves an n-gram one token where some of its words are no n-gram of their own. Words hold no spaces
 * (see `hasNoSpaces`), so that cutting at them is exact. Columns stay.
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
