/**
 * A batch with less estimated work than this (in nanoseconds) runs on the calling thread, because a
 * round trip to executors takes a tenth of a millisecond.
 */
export const DISPATCH_NANOS = 1e6;
/**
 * The same threshold for JavaScript executors. Their round trip takes a quarter of a millisecond,
 * and their threads take longer to start.
 */
export const DISPATCH_JAVASCRIPT_NANOS = 4e6;
