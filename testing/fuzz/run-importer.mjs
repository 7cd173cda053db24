// Fuzzes one importer in this process. Arguments: BUNDLE ADDON TARGET SEEDS, then arguments of
// libFuzzer. Writes the seeds of the target to the folder SEEDS first. `npm run fuzz` starts it.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [bundle, addon, name, seeds, ...options] = process.argv.slice(2);
globalThis.__branches = new Uint8Array(Number(process.env.BREZEL_FUZZ_COUNTERS));
const { targets, importerOf } = await import(pathToFileURL(bundle).href);
const target = targets[name];
mkdirSync(seeds, { recursive: true });
for (const bytes of target.seeds()) writeFileSync(join(seeds, createHash('sha1').update(bytes).digest('hex')), bytes);

/** Draws eight numbers from a seed. */
function numbersOf(seed) {
  let state = seed;
  return Array.from({ length: 8 }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % 1_000_000;
  });
}

function mutate(bytes, seed) {
  try {
    return Buffer.from(target.mutate(bytes, numbersOf(seed)));
  } catch {
    return undefined; // not a file that can be read
  }
}

const run = await importerOf(target);
process.emitWarning = () => undefined;
const { fuzz } = createRequire(import.meta.url)(addon);
fuzz(globalThis.__branches, ['fuzz', ...options, seeds], run, target.mutate && mutate);
