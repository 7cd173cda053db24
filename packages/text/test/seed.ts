/** Seed of random tests: `BREZEL_SEED=123 npx vitest run ...` repeats a run. */
export const seed = Number(process.env.BREZEL_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.info(`BREZEL_SEED=${seed}`);
