import type { Reporter } from 'vitest/node';

/**
 * Draws the seed of a run's random tests, unless `BREZEL_SEED` names it. Worker processes inherit
 * it.
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
