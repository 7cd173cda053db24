import type { LeafPaths } from './leaf-paths.js';

/** The number of bits in one word of a mask. */
export const WORD_BITS = 32;

/**
 * How the background rows relate to the leaves of trees. The mask of a row at a leaf has a bit for
 * each distinct feature on the path to the leaf. The bit is set if the row misses the path at a
 * split on this feature. Background rows with the same mask are one pattern of the leaf.
 */
export interface BackgroundPatterns {
  /** The number of 32-bit words in a mask. */
  readonly words: number;
  /** The patterns of leaf `n` are the patterns from `start[n]` up to `start[n + 1]`. */
  readonly start: Int32Array;
  /** The masks of the patterns, one after another. */
  readonly mask: Int32Array;
  /** For each pattern: the number of its background rows. */
  readonly rows: Int32Array;
}

/** The number of words in the masks of some paths. */
export const wordsOf = ({ distinct }: LeafPaths): number => Math.max(1, Math.ceil(distinct / WORD_BITS));

/**
 * Finds the patterns of the background rows at each leaf. On the way down a tree, each edge divides
 * each pattern into the rows that take the edge and the rows that miss it. Cost: O(edges * rows).
 *
 * @param taken for each row: the branch that the row takes at each split, by the node of the split
 */
export function backgroundPatterns(paths: LeafPaths, taken: readonly Int32Array[]): BackgroundPatterns {
  const words = wordsOf(paths);
  const levels = Array.from({ length: paths.deepest + 1 }, () => new PatternsOfEdge(taken.length, words));
  const start = new Int32Array(paths.leaves.length + 1);
  const [mask, rows]: [number[], number[]] = [[], []];
  for (let edge = 0; edge < paths.edges; edge++) {
    const level = levels[paths.depth[edge]!]!;
    const [split, node] = [paths.split[edge]!, paths.node[edge]!];
    level.divide(levels[paths.depth[edge]! - 1]!, paths.number[edge]!, (row) => taken[row]![split] !== node);
    const leaf = paths.leaf[edge]!;
    if (leaf < 0) continue;
    for (let at = 0; at < level.count * words; at++) mask.push(level.masks[at]!);
    for (let pattern = 0; pattern < level.count; pattern++) rows.push(level.rows[pattern]!);
    start[leaf + 1] = rows.length;
  }
  return { words, start, mask: Int32Array.from(mask), rows: Int32Array.from(rows) };
}

/** The patterns of the background rows at the lower end of one edge. */
class PatternsOfEdge {
  count = 1;
  readonly masks: Int32Array;
  /** For each pattern: the number of its rows. */
  readonly rows: Int32Array;
  readonly #words: number;
  /** For each background row: its pattern. */
  readonly #patternOf: Int32Array;
  /** For each pattern above the edge: the pattern of the rows that take or miss the edge, or -1. */
  readonly #below: Int32Array;

  /** Before `divide`, all rows have one pattern: they miss nothing. */
  constructor(rows: number, words: number) {
    this.#words = words;
    this.masks = new Int32Array(rows * words);
    this.rows = new Int32Array(rows);
    this.rows[0] = rows;
    this.#patternOf = new Int32Array(rows);
    this.#below = new Int32Array(2 * rows);
  }

  /** Computes the patterns of an edge from the patterns of the edge above it. */
  divide(above: PatternsOfEdge, number: number, misses: (row: number) => boolean): void {
    this.count = 0;
    this.#below.fill(-1, 0, 2 * above.count);
    for (let row = 0; row < this.rows.length; row++) {
      const before = above.#patternOf[row]!;
      const branch = 2 * before + (misses(row) ? 1 : 0);
      let pattern = this.#below[branch]!;
      if (pattern < 0) {
        pattern = this.#patternFrom(above, before, branch % 2 === 1 ? number : -1);
        this.#below[branch] = pattern;
      }
      this.#patternOf[row] = pattern;
      this.rows[pattern]!++;
    }
  }

  /** Returns the pattern with a mask from above and one more bit. Adds it if it is new. */
  #patternFrom(above: PatternsOfEdge, before: number, number: number): number {
    const words = this.#words;
    const added = this.count * words;
    for (let word = 0; word < words; word++) this.masks[added + word] = above.masks[before * words + word]!;
    if (number >= 0) this.masks[added + Math.floor(number / WORD_BITS)]! |= 1 << (number % WORD_BITS);
    for (let pattern = 0; pattern < this.count; pattern++) {
      let isSame = true;
      for (let word = 0; word < words; word++)
        isSame &&= this.masks[pattern * words + word] === this.masks[added + word];
      if (isSame) return pattern;
    }
    this.rows[this.count] = 0;
    return this.count++;
  }
}
