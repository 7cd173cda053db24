/**
 * Keeps this thread busy for at least this many milliseconds. It may take longer, so a test must
 * not depend on an upper bound.
 *
 * @param {number} milliseconds
 */
export function busyFor(milliseconds) {
  for (const start = performance.now(); performance.now() - start < milliseconds; );
}
