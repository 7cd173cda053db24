// Runs operators.test.ts with more random cases of every operator.
process.env.BREZEL_CASE_RUNS ??= '100';
process.env.BREZEL_CASE_BATCH ??= '613';
console.info(`BREZEL_CASE_RUNS=${process.env.BREZEL_CASE_RUNS} BREZEL_CASE_BATCH=${process.env.BREZEL_CASE_BATCH}`);
await import('./operators.test.js');
