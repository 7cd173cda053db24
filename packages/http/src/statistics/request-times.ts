/**
 * A histogram of request times. The histograms of several processes can be added bucket by bucket.
 */
export interface TimeCounts {
  readonly count: number;
  /** Pairs of a bucket's index and the number of requests in this bucket, without empty buckets. */
  readonly buckets: readonly (readonly [bucket: number, count: number])[];
}

/**
 * The number of buckets for each doubling of the time. The upper bound of a bucket is therefore 9 %
 * above its lower bound.
 */
export const BUCKETS_PER_DOUBLING = 8;
/** The lower bound of bucket 1, in milliseconds. Bucket 0 holds all shorter times. */
export const LEAST_MS = 2 ** -7;
const BUCKETS = 25 * BUCKETS_PER_DOUBLING;

/** Counts request times in buckets from 8 µs to four minutes. */
export class RequestTimes {
  readonly #counts = new Float64Array(BUCKETS);
  #count = 0;

  /**
   * @param milliseconds the time of one request. A time above four minutes goes to the last bucket.
   */
  record(milliseconds: number): void {
    const bucket =
      milliseconds < LEAST_MS ? 0 : 1 + Math.floor(Math.log2(milliseconds / LEAST_MS) * BUCKETS_PER_DOUBLING);
    this.#counts[Math.min(bucket, BUCKETS - 1)]!++;
    this.#count++;
  }

  counts(): TimeCounts {
    const buckets = Array.from(this.#counts, (count, bucket) => [bucket, count] as const);
    return { count: this.#count, buckets: buckets.filter(([, count]) => count > 0) };
  }
}
