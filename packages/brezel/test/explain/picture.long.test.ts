// Runs picture.test.ts with more random pipelines and hostile names.
process.env.BREZEL_PICTURE_RUNS ??= '40';
console.info(`BREZEL_PICTURE_RUNS=${process.env.BREZEL_PICTURE_RUNS}`);
await import('./picture.test.js');
