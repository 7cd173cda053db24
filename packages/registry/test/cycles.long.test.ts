import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createRegistry, loadNative, openStore, packFleet } from 'brezel';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../brezel/test/fleet/folder.js';
import { constantPlan, writeOnnx } from './models.js';

const CYCLES = 10_000;
/**
 * The number of loads before the first sample. The memory allocator has an arena for each thread.
 * The arenas of the import threads grow during the first thousands of loads, to about 8 MiB in
 * total.
 *
 * A trace of malloc found a leak besides the arenas: each imported file compiled a WebAssembly
 * module for checksums, and V8 never freed the types of the module (300 bytes an import). A thread
 * now compiles this module once. In 8000 imports of the small ONNX file, the bytes in use of all
 * arenas (mallinfo2) grew from 6.9 to 9.2 MiB before, and stayed between 6.8 and 8.2 MiB after.
 */
const WARM_UP = 6_000;
const SAMPLES = 20;
const FLAT = 1.05;

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;

/**
 * Returns the resident memory without the free pages of V8's heap. V8 returns free pages to the
 * operating system when it chooses, so their number differs by megabytes between two samples.
 */
async function residentBytes(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    global.gc!();
    await wait(20);
  }
  const { rss, heapTotal, heapUsed } = process.memoryUsage();
  return rss - (heapTotal - heapUsed);
}

/**
 * Loads and unloads three models in turn: text pipelines of an ONNX file, a small ONNX file, and a
 * fleet file. Each is unloaded before the next one is loaded.
 */
test(`${CYCLES} loads and unloads: resident memory is flat within 5 %`, async () => {
  const files = temporaryFolder();
  const store = await openStore();
  const plan = await constantPlan(store, 1, 4000);
  await packFleet([{ plan, name: 'text' }], files.path('text.brezel'), { store });
  plan.release();
  writeOnnx(files.path('small.onnx'), 2);
  const example = fileURLToPath(new URL('../../../examples/models/sa-fam-a-00.onnx', import.meta.url));

  const registry = await createRegistry({ store });
  registry.add('text', files.path('text.brezel'));
  registry.add('small', files.path('small.onnx'));
  registry.add('example', example);
  const rows = { text: 'a text', small: { x: [1, 2] }, example: { text: 'a good film' } };
  const answers = new Map<string, unknown>();
  const cycle = async (name: keyof typeof rows) => {
    const answer = await registry.predict(name, rows[name]);
    if (!answers.has(name)) answers.set(name, answer);
    expect(answer).toEqual(answers.get(name));
    registry.unload(name);
  };
  let loads = 0;
  const cycles = async (count: number) => {
    for (let turn = 0; turn < count; turn++) {
      await cycle(turn % 50 === 0 ? 'example' : turn % 2 === 0 ? 'text' : 'small');
      loads++;
    }
  };
  await cycles(WARM_UP);
  const samples = [await residentBytes()];
  for (let sample = 0; sample < SAMPLES; sample++) {
    await cycles(CYCLES / SAMPLES);
    samples.push(await residentBytes());
  }
  console.info(`MiB resident: ${samples.map((bytes) => (bytes / 2 ** 20).toFixed(1)).join(', ')}`);
  expect(registry.stats().versions.reduce((sum, version) => sum + version.loads, 0)).toBe(loads);
  // Garbage collection changes a sample by some MiB.
  expect(median(samples.slice(-5))).toBeLessThan(median(samples.slice(0, 5)) * FLAT);
  await registry.close();
  expect(store.stats().references).toBe(0);
  expect(loadNative().addon?.parameterStats().bytes ?? 0).toBe(0);
  files.remove();
});
