/**
 * After this many milliseconds, the runner ends a test that hangs, or a test ends a process that
 * hangs. It only prevents waiting forever: no test may depend on this time.
 */
export const GUARD_MS = 600_000;
