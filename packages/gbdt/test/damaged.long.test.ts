import { BrezelError, createFlour, importLightGbm, importXgboost } from 'brezel';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as lightgbm from './lightgbm-file.js';
import { seed } from './seed.js';
import * as xgboost from './xgboost-file.js';

// Imports files with wrong bytes. The import either succeeds, or rejects the file with an error
// code. A rejected file leaves nothing in the store.

const runs = Number(process.env.BREZEL_FUZZ_RUNS ?? 3000);

/**
 * Draws positions at which a byte is changed, some bytes are repeated, or some bytes are removed.
 */
const damage = fc.array(fc.record({ at: fc.nat(), byte: fc.nat(255), kind: fc.constantFrom('set', 'cut', 'twice') }), {
  minLength: 1,
  maxLength: 4,
});

function damaged(file: Buffer, changes: readonly { at: number; byte: number; kind: string }[]): Buffer {
  let bytes = Buffer.from(file);
  for (const { at: place, byte, kind } of changes) {
    const at = place % Math.max(1, bytes.length);
    if (kind === 'set') bytes[at] = byte;
    else if (kind === 'cut') bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + (byte % 16))]);
    else bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at, at + byte), bytes.subarray(at)]);
  }
  return bytes;
}

test.each([
  ['LightGBM', 'text', importLightGbm],
  ['XGBoost', 'json', importXgboost],
  ['XGBoost', 'ubj', importXgboost],
] as const)('%s, %s', async (_, format, importer) => {
  using flour = await createFlour();
  let [refused, whole] = [0, 0];
  const file = fc
    .array(lightgbm.randomTree(3, 3).map(lightgbm.withLeaves), { minLength: 1, maxLength: 3 })
    .map((trees) => {
      if (format === 'text') return Buffer.from(lightgbm.lightGbmText({ features: 3, targets: 1, trees }));
      const document = xgboost.xgboostDocument({ features: 3, trees });
      return format === 'json' ? Buffer.from(xgboost.asJson(document)) : xgboost.asUbjson(document);
    });
  fc.assert(
    fc.property(file, damage, (bytes, changes) => {
      const before = flour.store.stats().objects;
      try {
        importer(damaged(bytes, changes), flour);
        whole++;
      } catch (error) {
        if (!(error instanceof BrezelError)) throw error;
        expect(flour.store.stats().objects).toBe(before);
        refused++;
      }
    }),
    { seed, numRuns: runs },
  );
  console.info(`${format}: ${runs} damaged files, ${refused} refused, ${whole} imported`);
  expect(refused).toBeGreaterThan(runs / 20);
});
