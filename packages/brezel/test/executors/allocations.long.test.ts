import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { temporaryFolder } from '../fleet/folder.js';
import { hasAddon } from './fleets.js';

/**
 * Predictions allocate nothing once buffers have grown. A preloaded allocator counts allocations.
 * BREZEL_PREDICTIONS scales the number of predictions.
 */

const PREDICTIONS = Number(process.env.BREZEL_PREDICTIONS ?? 1_000_000);
console.info(`BREZEL_PREDICTIONS=${PREDICTIONS}`);
/**
 * The largest number of `malloc` calls for each row. Node itself allocates for garbage collection,
 * promises and timers.
 */
const MOST_MALLOCS_A_ROW = 0.2;
const MIB = 2 ** 20;

interface Way {
  readonly name: string;
  readonly allocated: { readonly addonNew: number; readonly addonMap: number; readonly malloc: number };
  readonly before: NodeJS.MemoryUsage;
  readonly after: NodeJS.MemoryUsage;
  readonly executors: { readonly grows: number; readonly vectorsMade: number; readonly rows: number };
}

const local = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const files = temporaryFolder();
afterAll(() => files.remove());

function whyNot(): string | undefined {
  if (!hasAddon) return 'there is no addon';
  if (process.platform !== 'linux' || readdirSync('/lib').every((name) => !/^(x86_64|aarch64)-linux-gnu$/.test(name)))
    return 'the allocator is preloaded with glibc on Linux';
  const compiled = spawnSync('cc', [
    '-O2',
    '-shared',
    '-fPIC',
    local('counting-allocator.c'),
    '-o',
    files.path('count.so'),
    '-ldl',
  ]);
  return compiled.error === undefined ? undefined : 'there is no C compiler';
}

const reason = whyNot();
if (reason !== undefined) console.warn(`allocations are not counted: ${reason}`);

test.skipIf(reason !== undefined)(
  `${PREDICTIONS} predictions in each way: the addon allocates nothing, heaps are flat`,
  () => {
    const counts = files.path('counts');
    writeFileSync(counts, new Uint8Array(32));
    const env = {
      ...process.env,
      BREZEL_PREDICTIONS: `${PREDICTIONS}`,
      BREZEL_ALLOCATIONS: counts,
      LD_PRELOAD: files.path('count.so'),
    };
    const printed = execFileSync(process.execPath, ['--expose-gc', local('allocations.mjs')], {
      env,
      encoding: 'utf8',
    });
    const { addonNew, ways } = JSON.parse(printed) as { addonNew: number; ways: Way[] };
    expect(addonNew).toBeGreaterThan(100); // plans and warm-ups allocate, so the allocator counts
    expect(ways).toHaveLength(4);
    for (const { name, allocated, before, after, executors } of ways) {
      const per = (count: number) => (count / PREDICTIONS).toFixed(4);
      const grown = (what: 'heapUsed' | 'rss') => `${((after[what] - before[what]) / MIB).toFixed(2)} MiB`;
      console.info(
        `${name}: ${allocated.addonNew} new and ${allocated.addonMap} mappings by the addon, ${per(allocated.malloc)} malloc a row by the process; heap ${grown('heapUsed')}, resident ${grown('rss')}`,
      );
      if (name.includes('executor')) expect(executors.rows).toBeGreaterThan(PREDICTIONS);
      // Which of the 64 chunks are in flight together is random, and so is which of them the
      // calling thread runs. So a buffer may still grow, or a thread may need vectors for the first
      // time. A chunk has at most 256 rows, so an allocation for each chunk would exceed this limit
      // 7 times.
      const late = name.includes('executor') ? PREDICTIONS / 2000 : 0;
      expect({ name, new: allocated.addonNew <= late, map: allocated.addonMap <= late }).toEqual({
        name,
        new: true,
        map: true,
      });
      expect(allocated.malloc / PREDICTIONS).toBeLessThan(MOST_MALLOCS_A_ROW);
      expect(after.heapUsed - before.heapUsed).toBeLessThan(2 * MIB);
      expect(after.external - before.external).toBeLessThan(MIB);
    }
  },
);
