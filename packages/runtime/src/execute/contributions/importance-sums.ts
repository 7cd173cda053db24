import { randomNumbers } from '@brezel/core';
import type { Contribution } from './contribution-list.js';
import type { Contributions } from './explain-rows.js';
import { byMagnitude } from './magnitude.js';

/** How much one input number, category or n-gram matters for a class, over all rows. */
export interface FeatureImportance {
  /** Name of the input. */
  readonly input: string;
  /** Index of the value, if the input is a vector. */
  readonly index?: number;
  /** The n-gram or category as the model contains it. */
  readonly feature?: string;
  /** Mean of the absolute contributions over all rows. A row without the feature counts as 0. */
  readonly importance: number;
  /** Mean of the contributions over all rows. Negative if the feature usually lowers the score. */
  readonly mean: number;
  /** The number of rows in which the contribution is not 0. */
  readonly rows: number;
}

/** The importance of all features for one class. */
export interface ClassImportance {
  /** Index of the class, or the key of a map. Absent if the output has one element. */
  readonly class?: number | string;
  /** The features, the most important first. The importance NaN counts as infinite. */
  readonly features: readonly FeatureImportance[];
  /** The sum of the importances that `top` omits, and of features beyond the first 2^20. */
  readonly rest: number;
  /** The explanations of the sampled rows, in the order of the rows. */
  readonly sample: readonly Contributions[];
}

interface Sum {
  readonly place: Pick<Contribution, 'input' | 'index' | 'feature'>;
  magnitude: number;
  value: number;
  rows: number;
}

/**
 * The largest number of distinct features with separate sums. The contributions of further features
 * are added to `rest`.
 */
const MOST_FEATURES = 2 ** 20;

/** Adds up the contributions of many rows for one class, and samples rows. */
export class ImportanceSums {
  readonly #sums = new Map<string, Sum>();
  readonly #sample: { readonly row: number; readonly why: Contributions }[] = [];
  readonly #sampleRows: number;
  readonly #random: () => number;
  #rest = 0;
  #rows = 0;
  #sampled = 0;

  /** @param sampleRows the number of rows to sample; every row is equally likely. */
  constructor(sampleRows: number, seed: number) {
    this.#sampleRows = sampleRows;
    this.#random = randomNumbers(seed);
  }

  /** The number of contributions that the sampled explanations list. */
  get sampledContributions(): number {
    return this.#sampled;
  }

  /** Adds the explanation of the next row. */
  add(why: Contributions): void {
    const ofRow = new Map<string, { place: Sum['place']; value: number }>();
    for (const { input, index, feature, value } of why.contributions) {
      const key = JSON.stringify([input, index, feature]);
      const known = ofRow.get(key);
      if (known !== undefined) known.value += value;
      else
        ofRow.set(key, {
          place: { input, ...(index !== undefined && { index }), ...(feature !== undefined && { feature }) },
          value,
        });
    }
    for (const [key, { place, value }] of ofRow) this.#addFeature(key, place, value);
    this.#keepSample(why);
    this.#rows += 1;
  }

  #addFeature(key: string, place: Sum['place'], value: number): void {
    if (value === 0) return;
    let sum = this.#sums.get(key);
    if (sum === undefined) {
      if (this.#sums.size >= MOST_FEATURES) {
        this.#rest += Math.abs(value);
        return;
      }
      sum = { place, magnitude: 0, value: 0, rows: 0 };
      this.#sums.set(key, sum);
    }
    sum.magnitude += Math.abs(value);
    sum.value += value;
    sum.rows += 1;
  }

  /** Samples rows with equal probabilities (reservoir sampling, algorithm R). */
  #keepSample(why: Contributions): void {
    const at = this.#rows < this.#sampleRows ? this.#rows : Math.floor(this.#random() * (this.#rows + 1));
    if (at >= this.#sampleRows) return;
    this.#sampled += why.contributions.length - (this.#sample[at]?.why.contributions.length ?? 0);
    this.#sample[at] = { row: this.#rows, why };
  }

  /** Returns the result for the rows so far. */
  result(top: number): Omit<ClassImportance, 'class'> {
    const all = Array.from(this.#sums.values(), ({ place, magnitude, value, rows }) => ({
      ...place,
      importance: magnitude / this.#rows,
      mean: value / this.#rows,
      rows,
    })).sort((a, b) => byMagnitude(a.importance, b.importance));
    const omitted = all.slice(top).reduce((sum, { importance }) => sum + importance, 0);
    const sample = this.#sample.toSorted((a, b) => a.row - b.row).map(({ why }) => why);
    return { features: all.slice(0, top), rest: omitted + this.#rest / Math.max(1, this.#rows), sample };
  }
}
