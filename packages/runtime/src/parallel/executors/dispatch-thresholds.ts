/**
 * A batch with less estimated work than this many nanoseconds runs on the calling thread, because
 * sending it to executors takes 0.1 ms.
 */
export const DISPATCH_NANOS = 1e6;
/**
 * A batch with less estimated work than this many nanoseconds is not sent to JavaScript executors.
 * Sending a batch to them takes 0.25 ms, and their threads take longer to start than native
 * executors.
 */
export const DISPATCH_JAVASCRIPT_NANOS = 4e6;
