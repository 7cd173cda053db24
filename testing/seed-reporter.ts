import type { Reporter } from 'vitest/node';

/**
 * Draws the seed for the random tests of a run, unless `BREZEL_SEED` is set. Worker processes
 * inherit the seed.
 */
export function drawSeed(): void {
  process.env.BREZEL_SEED ??= String(Math.floor(Math.random() * 2 ** 31));
}

/** Prints the seed when a test fails. */
export const seedReporter: Reporter = {
  onTestRunEnd(_modules, _errors, reason) {
    if (reason === 'failed')
      console.error(`Random tests drew BREZEL_SEED=${process.env.BREZEL_SEED}; set it to repeat them.`);
  },
};
