import { BUCKETS_PER_DOUBLING, LEAST_MS, type TimeCounts } from './request-times.js';

/**
 * Returns the times of the requests between two reads of a server's statistics. If the server was
 * restarted between the two reads, returns the times since the restart.
 */
export function timesSince(now: TimeCounts, before: TimeCounts | undefined): TimeCounts {
  if (before === undefined || before.count > now.count) return now;
  const earlier = new Map(before.buckets);
  const buckets = now.buckets.map(([bucket, count]) => [bucket, count - (earlier.get(bucket) ?? 0)] as const);
  return { count: now.count - before.count, buckets: buckets.filter(([, count]) => count > 0) };
}

/**
 * Returns a percentile of the times in milliseconds, or undefined without requests. The
 * result is the upper bound of a bucket, so it is at most 9 % too high.
 *
 * @param share the percentile as a number from 0 to 1, for example 0.99.
 */
export function percentileMs({ count, buckets }: TimeCounts, share: number): number | undefined {
  let left = share * count;
  for (const [bucket, requests] of buckets) {
    left -= requests;
    if (left <= 0) return LEAST_MS * 2 ** (bucket / BUCKETS_PER_DOUBLING);
  }
  return undefined;
}
