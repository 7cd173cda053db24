import type { Contribution } from './contribution-list.js';

/** The number of pairs for which a new `FeaturePairs` has memory. */
const FIRST_PAIRS = 256;

/**
 * The interaction of each pair of values of a row. A pair has one number for both orders, so that
 * the matrix of interactions is exactly symmetric.
 */
export class FeaturePairs {
  readonly #indexes = new Map<string, number>();
  readonly #features: Contribution[] = [];
  readonly #interacts: boolean[] = [];
  /**
   * The pair (i, j) with i < j has the index `j * (j - 1) / 2 + i`, so a new value appends pairs.
   */
  #sums = new Float64Array(FIRST_PAIRS);

  /** Returns the index of a value, and adds the value if it is new. `key` is its `featureKey`. */
  indexOf(key: string, feature: Contribution): number {
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    const index = this.#features.push(feature) - 1;
    this.#indexes.set(key, index);
    this.#interacts.push(false);
    const pairs = pairOf(0, index + 1);
    if (pairs > this.#sums.length) {
      const grown = new Float64Array(2 * pairs);
      grown.set(this.#sums);
      this.#sums = grown;
    }
    return index;
  }

  /** Adds to the interaction of two different values. `first` must be the smaller index. */
  add(first: number, second: number, value: number): void {
    this.#sums[pairOf(first, second)]! += value;
    this.#interacts[first] = true;
    this.#interacts[second] = true;
  }

  /** Returns the interaction of two different values. */
  between(one: number, other: number): number {
    return this.#sums[one < other ? pairOf(one, other) : pairOf(other, one)]!;
  }

  /** Returns the sum of the interactions of a value with all other values. */
  sumOf(index: number): number {
    let sum = 0;
    for (let other = 0; other < this.#features.length; other++) if (other !== index) sum += this.between(index, other);
    return sum;
  }

  /** Returns the values that interact with another value, with their keys. */
  interacting(): (readonly [key: string, feature: Contribution])[] {
    return Array.from(this.#indexes, ([key, index]) => [key, this.#features[index]!] as const).filter(
      (_, index) => this.#interacts[index],
    );
  }
}

const pairOf = (first: number, second: number): number => (second * (second - 1)) / 2 + first;
