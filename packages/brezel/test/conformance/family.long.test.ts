// Runs family.test.ts with more random texts.
process.env.BREZEL_FAMILY_TEXTS ??= '1000';
console.info(`BREZEL_FAMILY_TEXTS=${process.env.BREZEL_FAMILY_TEXTS}`);
await import('./family.test.js');
