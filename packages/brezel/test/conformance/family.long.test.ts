// The same at a larger scale: trained models over many random texts.
process.env.BREZEL_FAMILY_TEXTS ??= '1000';
console.info(`BREZEL_FAMILY_TEXTS=${process.env.BREZEL_FAMILY_TEXTS}`);
await import('./family.test.js');
