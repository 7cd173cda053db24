import fc from 'fast-check';
import { expect, test } from 'vitest';
import createXxHash from 'xxhash-wasm';
import { seed } from '../../../testing/seed.js';
import { javaScriptChecksum } from './javascript-checksum.js';

test('gives the hashes of xxhash-wasm for random pieces and texts', async () => {
  const wasm = await createXxHash();
  const pieces = fc.array(fc.uint8Array({ maxLength: 150 }), { maxLength: 5 });
  const seed64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  const seed32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
  fc.assert(
    fc.property(pieces, seed64, fc.string({ unit: 'grapheme' }), seed32, (given, seedOf64, text, seedOf32) => {
      const [own, want] = [javaScriptChecksum.create64(seedOf64), wasm.create64(seedOf64)];
      for (const piece of given) {
        own.update(piece);
        want.update(piece);
      }
      expect(own.digest()).toBe(want.digest());
      const bytes = given[0] ?? new Uint8Array(0);
      expect(javaScriptChecksum.h32Raw(bytes, seedOf32)).toBe(wasm.h32Raw(bytes, seedOf32));
      expect(javaScriptChecksum.h32(text, seedOf32)).toBe(wasm.h32(text, seedOf32));
    }),
    { seed, numRuns: 300 },
  );
});
