// Runs mixed-plans.test.ts with more random cases of each operator.
process.env.BREZEL_CASE_RUNS ??= '10';
console.info(`BREZEL_CASE_RUNS=${process.env.BREZEL_CASE_RUNS}`);
await import('./mixed-plans.test.js');
