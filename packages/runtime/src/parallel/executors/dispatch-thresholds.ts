/**
 * A batch of less work than this is answered on the calling thread: a way there and back takes a
 * tenth of a millisecond.
 */
export const DISPATCH_NANOS = 1e6;
/**
 * The same in JavaScript, where a way there and back takes a quarter of a millisecond, and threads
 * take longer to start.
 */
export const DISPATCH_JAVASCRIPT_NANOS = 4e6;
