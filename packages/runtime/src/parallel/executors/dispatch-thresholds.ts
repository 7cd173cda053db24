/**
 * The smallest estimated work that a batch sends to executors, because a round trip takes a tenth
 * of a millisecond. Less work runs on the calling thread.
 */
export const DISPATCH_NANOS = 1e6;
/**
 * The same threshold in JavaScript, where a round trip takes a quarter of a millisecond, and
 * threads take longer to start.
 */
export const DISPATCH_JAVASCRIPT_NANOS = 4e6;
