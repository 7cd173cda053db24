// The same hostile texts with 16384 characters, and with a megabyte of one character.
process.env.BREZEL_TEXT_LENGTH ??= String(2 ** 14);
process.env.BREZEL_LONG_TEXT_BYTES ??= String(2 ** 20);
await import('./text-operators.test.js');
