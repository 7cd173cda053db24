import { type BackgroundPatterns, WORD_BITS } from './background-patterns.js';
import type { LeafPaths } from './leaf-paths.js';

// Exact interventional TreeSHAP: the Shapley values of a game in which a known feature has its
// value in the row, and an unknown feature has its value in a background row. The result is the
// mean over all background rows.
//
// A leaf adds its value to the score of a row that reaches the leaf. A row misses the path of the
// leaf at a feature if a split on this feature sends the row to another branch. A mixture of the
// row and a background row takes each feature from one of both rows. The mixture reaches the leaf
// if no feature comes from a row that misses the path at this feature. If both rows miss the path
// at a feature, no mixture reaches the leaf. Otherwise, let the background row miss the path at p
// features and the row at q features. Then the mixture reaches the leaf if the p features are known
// and the q features are unknown. In this game, each of the p features has the Shapley value
// (p - 1)! q! / (p + q)!, and each of the q features has the value -p! (q - 1)! / (p + q)!.

/** The arguments of interventional TreeSHAP for one row. */
export interface InterventionalCall {
  readonly paths: LeafPaths;
  readonly patterns: BackgroundPatterns;
  /** For each leaf: its value. */
  readonly values: Float64Array;
  /** The branch that the row takes at each split, by the node of the split. */
  readonly taken: Int32Array;
  readonly weights: ShapleyWeights;
}

/**
 * Adds the contribution of each feature to `into`, summed over all background rows. `into` has one
 * number for each of `paths.features`. Cost: O(edges + patterns). The order of the sums defines
 * the bits of the result.
 *
 * @see Source: Lundberg et al., "From local explanations to global understanding with explainable
 * AI for trees" (2020).
 */
export function addInterventionalShap(call: InterventionalCall, into: Float64Array): void {
  const { paths, patterns, taken, values } = call;
  const { words } = patterns;
  /** For each depth of the current path: a mask of the features at which the row misses it. */
  const missed = new Int32Array((paths.deepest + 1) * words);
  for (let edge = 0; edge < paths.edges; edge++) {
    const depth = paths.depth[edge]!;
    const at = depth * words;
    for (let word = 0; word < words; word++) missed[at + word] = missed[at - words + word]!;
    const number = paths.number[edge]!;
    if (taken[paths.split[edge]!] !== paths.node[edge])
      missed[at + Math.floor(number / WORD_BITS)]! |= 1 << (number % WORD_BITS);
    const leaf = paths.leaf[edge]!;
    if (leaf >= 0 && values[leaf] !== 0) addLeaf(call, leaf, missed, at, into);
  }
}

/** Adds the contributions of one leaf. The mask of the row starts at `start` in `missed`. */
function addLeaf(
  { paths, patterns, values, weights }: InterventionalCall,
  leaf: number,
  missed: Int32Array,
  start: number,
  into: Float64Array,
) {
  const { words, mask, rows } = patterns;
  const columns = paths.start[leaf]!;
  const value = values[leaf]!;
  const q = bitsOf(missed, start, words);
  let away = 0;
  for (let pattern = patterns.start[leaf]!; pattern < patterns.start[leaf + 1]!; pattern++) {
    const at = pattern * words;
    let isShared = false;
    for (let word = 0; word < words; word++) isShared ||= (mask[at + word]! & missed[start + word]!) !== 0;
    if (isShared) continue;
    const p = bitsOf(mask, at, words);
    if (p > 0) addToColumns(mask, at, words, paths.column, columns, value * rows[pattern]! * weights.of(p, q), into);
    if (q > 0) away += rows[pattern]! * weights.of(q, p);
  }
  if (q > 0) addToColumns(missed, start, words, paths.column, columns, -value * away, into);
}

/** Adds a number to the column of each bit of a mask. */
function addToColumns(
  mask: Int32Array,
  at: number,
  words: number,
  column: Int32Array,
  columns: number,
  value: number,
  into: Float64Array,
): void {
  for (let word = 0; word < words; word++)
    for (let bits = mask[at + word]!; bits !== 0; bits &= bits - 1) {
      const bit = WORD_BITS - 1 - Math.clz32(bits & -bits);
      into[column[columns + word * WORD_BITS + bit]!]! += value;
    }
}

/** Returns the number of bits in a mask. */
function bitsOf(mask: Int32Array, at: number, words: number): number {
  let count = 0;
  for (let word = 0; word < words; word++) for (let bits = mask[at + word]!; bits !== 0; bits &= bits - 1) count++;
  return count;
}

/** The Shapley values (p - 1)! q! / (p + q)! for up to `most` features. */
export class ShapleyWeights {
  readonly #width: number;
  readonly #table: Float64Array;

  constructor(most: number) {
    this.#width = most + 1;
    this.#table = new Float64Array(this.#width ** 2);
    for (let q = 0; q <= most; q++) {
      let weight = 1 / (q + 1);
      for (let p = 1; p + q <= most; p++) {
        this.#table[p * this.#width + q] = weight;
        weight *= p / (p + q + 1);
      }
    }
  }

  /** Returns (p - 1)! q! / (p + q)!, for p from 1. */
  of(p: number, q: number): number {
    return this.#table[p * this.#width + q]!;
  }
}
