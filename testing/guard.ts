/**
 * Milliseconds after which the runner ends a test that hangs, or a test ends a process that hangs.
 * A guard against waiting forever: no test may depend on it.
 */
export const GUARD_MS = 600_000;
