import type { Worker } from 'node:worker_threads';
import type { CompiledPlan } from 'brezel';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { difference } from '../conformance/engines.js';
import { buildNumberProgram, numberProgramShape, rowsFor } from '../conformance/random-numbers.js';
import { anyText, buildPipeline, pipelineShape } from '../conformance/random-programs.js';
import { seed } from '../conformance/seed.js';
import { dear, flour, oneByOne, rejection, runtimeWith, textPlan, textRows } from './fleets.js';
import { words } from './thread-operators.mjs';

/**
 * Runs more programs on worker threads in JavaScript than javascript.test.ts, and rows that end
 * their thread. BREZEL_JAVASCRIPT_PROGRAMS scales the number of programs.
 */

const PROGRAMS = Number(process.env.BREZEL_JAVASCRIPT_PROGRAMS ?? 40);
console.info(`BREZEL_JAVASCRIPT_PROGRAMS=${PROGRAMS}`);

const modules = [new URL('./thread-operators.mjs', import.meta.url)];
const runtime = runtimeWith(2, { native: false, operatorModules: modules, workerHeapBytes: 128 * 2 ** 20 });
const compiled = dear(textPlan(), 100);
const rows = textRows(600);
const answers = oneByOne(compiled, rows);
const plan = runtime.register(compiled);
afterAll(async () => {
  await runtime.close();
  compiled.release();
  flour.dispose();
});

/**
 * Checks that worker threads and single predictions give the same bits, with chunks of any size.
 */
async function sameThere(baked: CompiledPlan & { release(): void }, given: readonly object[], chunkRows: number) {
  const registered = runtime.register({ ...baked, nanosPerRow: 8e6 / chunkRows });
  const got = await runtime.predictBatch(registered, given as never);
  const want = given.map((row) => runtime.predictSync(registered, row as never));
  runtime.unregister(registered);
  baked.release();
  expect(difference(got, want)).toBeUndefined();
}

test('random programs with any chunks', async () => {
  await runtime.warm(plan);
  const texts = fc.array(anyText, { minLength: 30, maxLength: 30, size: 'max' });
  const chunk = fc.integer({ min: 1, max: 30 });
  await fc.assert(
    fc.asyncProperty(pipelineShape, texts, chunk, (shape, all, chunkRows) =>
      sameThere(
        buildPipeline(flour, shape).plan() as never,
        all.map((text) => ({ text })),
        chunkRows,
      ),
    ),
    { numRuns: PROGRAMS, seed },
  );
  const numbers = numberProgramShape.chain((shape) => fc.tuple(fc.constant(shape), rowsFor(shape)));
  await fc.assert(
    fc.asyncProperty(numbers, chunk, ([shape, given], chunkRows) =>
      sameThere(buildNumberProgram(flour, shape).plan() as never, given, chunkRows),
    ),
    { numRuns: PROGRAMS, seed },
  );
  const { rows: there, helped, chunks } = runtime.stats().executors.javascript;
  expect(there).toBeGreaterThan(10 * PROGRAMS);
  expect(helped).toBeLessThan(chunks / 2);
});

test.each(['exit', 'grow'])('a row that ends its thread (%s) fails its batch only', async (row) => {
  const text = flour.columns({ text: 'string' }).select('text');
  const deadly = dear(text.custom(words).plan(), 100);
  const registered = runtime.register(deadly);
  await runtime.warm(registered);
  const others = Array.from({ length: 6 }, () => runtime.predictBatch(plan, rows));
  const lost = await rejection(runtime.predictBatch(registered, rows.with(200, row)));
  expect(lost).toMatchObject({ code: 'ERR_RUNTIME_WORKER' });
  for (const other of others) expect(await other).toEqual(answers);
  expect(runtime.stats().executors.javascript.repeated).toBeGreaterThan(1);
  expect(runtime.stats().queue).toMatchObject({ rows: 0, bytes: 0 });
  runtime.unregister(registered);
  deadly.release();
});

test('if all threads end repeatedly, the calling thread answers', async () => {
  const kill = (worker: Worker) => void worker.terminate();
  process.on('worker', kill);
  for (let round = 0; round < 3; round++) {
    const batches = Array.from({ length: 4 }, () => runtime.predictBatch(plan, rows));
    for (const batch of batches) expect(await batch).toEqual(answers);
  }
  process.off('worker', kill);
  expect(await runtime.predictBatch(plan, rows)).toEqual(answers);
});
