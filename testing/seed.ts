/** The seed of every random test of a run. The runner draws it, and prints it when a test fails. */
export const seed = Number(process.env.BREZEL_SEED);
if (!Number.isSafeInteger(seed)) throw new Error('BREZEL_SEED is not an integer: start tests with vitest');
