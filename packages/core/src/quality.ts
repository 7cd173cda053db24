/**
 * Counts of one input, over the sampled rows. A count is undefined if no step of the plan checks
 * the input for it.
 */
export interface InputQuality {
  /** Elements that were examined: one for a scalar, `n` for a vector. */
  readonly values: number;
  /** Elements that are NaN, null, absent, or the value that an imputer replaces. */
  readonly missing: number;
  /** Elements that are not among the categories of a one-hot or label encoder. */
  readonly unknown?: number;
  /**
   * Terms of the first 512 characters of texts that were looked up in vocabularies: tokens, or
   * n-grams of characters.
   */
  readonly terms?: number;
  /** Terms that no n-gram of the vocabulary contains. */
  readonly unknownTerms?: number;
  /** Numbers below the smallest threshold of a forest, or the minimum of a min-max scaler. */
  readonly below?: number;
  /** Numbers above the largest threshold of a forest, or the maximum of a min-max scaler. */
  readonly above?: number;
}

/**
 * Counters of data quality of one plan. They only grow, so a monitor can compute their rates of
 * increase.
 */
export interface QualityStatistics {
  readonly sampleEvery: number;
  /** Rows that were examined. */
  readonly rows: number;
  readonly inputs: Readonly<Record<string, InputQuality>>;
}
