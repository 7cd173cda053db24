import { BrezelError, createFlour, importMlNet } from 'brezel';
import fc from 'fast-check';
import { unzipSync, zipSync } from 'fflate';
import { expect } from 'vitest';
import { changes, damaged, sample, sampleOutputs } from './sample.js';
import { seed } from './seed.js';

/**
 * Imports damaged archives. The import either succeeds, or rejects the archive with an error code.
 * A rejected archive leaves nothing in the store.
 */
export async function checkDamage(runs: number): Promise<{ refused: number; whole: number }> {
  using flour = await createFlour();
  const files = unzipSync(sample());
  let [refused, whole] = [0, 0];
  const check = (bytes: Uint8Array) => {
    const before = flour.store.stats().objects;
    try {
      importMlNet(bytes, flour, { outputs: sampleOutputs, limits: { unpackedBytes: 2 ** 24 } });
      whole++;
    } catch (error) {
      if (!(error instanceof BrezelError)) throw error;
      expect(flour.store.stats().objects).toBe(before);
      refused++;
    }
  };
  fc.assert(
    fc.property(changes, fc.boolean(), (all, isPacked) => {
      if (!isPacked) return check(zipSync(damaged(files, all), { level: 0 }));
      // Also damages the archive itself, such as the entries of its directory.
      const { archive } = damaged({ archive: zipSync(files) }, all);
      if (archive !== undefined) check(archive);
    }),
    { seed, numRuns: runs },
  );
  return { refused, whole };
}
