// The same at a larger scale: every operator's random cases on every engine.
process.env.BREZEL_CASE_RUNS ??= '100';
console.info(`BREZEL_CASE_RUNS=${process.env.BREZEL_CASE_RUNS}`);
await import('./operators.test.js');
