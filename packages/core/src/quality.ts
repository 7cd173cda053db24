/**
 * Counts of one input over the examined rows. A count is undefined if the input has no such check;
 * for example, only a one-hot or label encoder can have unknown categories.
 */
export interface InputQuality {
  /**
   * Number of examined elements. Each row adds one for a scalar, and `n` for a vector of `n`
   * elements.
   */
  readonly values: number;
  /** Number of elements that are NaN, null, absent, or the value that an imputer replaces. */
  readonly missing: number;
  /** Number of elements that are not among the categories of a one-hot or label encoder. */
  readonly unknown?: number;
  /**
   * Number of terms that were looked up in a vocabulary. The terms are tokens. For a vocabulary of
   * character n-grams, they are the n-grams of the shortest size. Only the first 48 characters of
   * each text are examined.
   */
  readonly terms?: number;
  /**
   * Number of terms that the vocabulary lacks. A token is known if any n-gram of the vocabulary
   * contains it.
   */
  readonly unknownTerms?: number;
  /**
   * How many numbers are below the smallest threshold of a forest, or the minimum of a min-max
   * scaler.
   */
  readonly below?: number;
  /**
   * How many numbers are above the largest threshold of a forest, or the maximum of a min-max
   * scaler.
   */
  readonly above?: number;
}

/**
 * Counters of data quality of one plan. The counters never decrease, so that a monitor can compute
 * rates from two readings.
 */
export interface QualityStatistics {
  readonly sampleEvery: number;
  /** Number of rows that were examined: one in `sampleEvery` rows. */
  readonly rows: number;
  readonly inputs: Readonly<Record<string, InputQuality>>;
}
