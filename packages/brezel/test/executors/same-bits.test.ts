import { vector } from '@brezel/core';
import { bake, type Flow, type Row } from 'brezel';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { expectColumns } from '../conformance/columns.js';
import { difference } from '../conformance/engines.js';
import { buildNumberProgram, numberProgramShape, rowsFor } from '../conformance/random-numbers.js';
import { anyText, buildPipeline, pipelineShape } from '../conformance/random-programs.js';
import { seed } from '../conformance/seed.js';
import { dear, flour, hasAddon, runtimeWith } from './fleets.js';

const PIPELINES = 20;
const TEXTS = 30;

const runtimes = [1, 2, 3].map((executors) => runtimeWith(executors));
const inline = runtimeWith(0);
afterAll(async () => {
  for (const runtime of [...runtimes, inline]) await runtime.close();
  flour.dispose();
});

/**
 * Checks that executors give the answers of the calling thread, for any number of shared or
 * reserved executors, and for any size of chunks. Returns the engine of the plan.
 */
async function sameEverywhere(compiled: ReturnType<typeof bake>, rows: readonly object[], chunkRows: number) {
  const plan = inline.register(compiled);
  const want = rows.map((row) => inline.predictSync(plan, row as never));
  inline.unregister(plan);
  for (const [at, runtime] of runtimes.entries()) {
    const reserve = at === 1 ? { reserve: { executors: 1 } } : {};
    const isNative = plan.engine === 'native';
    const priced = { ...compiled, nanosPerRow: 500_000 / chunkRows };
    const registered = runtime.register(priced, isNative ? reserve : {});
    const before = chunksOf(runtime);
    const answers = await runtime.predictBatch(registered, rows as never);
    if (isNative && rows.length > 2 * chunkRows && at !== 1) expect(chunksOf(runtime)).toBeGreaterThan(before);
    if (at === 0) await expectColumns(runtime, registered, rows as readonly Row[], ['batch']);
    runtime.unregister(registered);
    expect(difference(answers, want)).toBeUndefined();
  }
  return plan.engine;
}

const chunksOf = (runtime: (typeof runtimes)[number]) => runtime.stats().executors.shared.chunks;

test.skipIf(!hasAddon)('random pipelines over random texts, with any executors and chunks', async () => {
  let native = 0;
  const texts = fc.array(anyText, { minLength: TEXTS, maxLength: TEXTS, size: 'max' });
  const property = fc.asyncProperty(
    pipelineShape,
    texts,
    fc.integer({ min: 1, max: 256 }),
    async (shape, all, chunk) => {
      const plan = bake(buildPipeline(flour, shape));
      const rows = all.map((text) => ({ text }));
      if ((await sameEverywhere(plan, rows, chunk)) === 'native') native++;
      plan.release();
    },
  );
  await fc.assert(property, { numRuns: PIPELINES, seed });
  expect(native).toBeGreaterThan(PIPELINES / 4);
});

test.skipIf(!hasAddon)('random programs over random numbers, with any executors and chunks', async () => {
  const property = fc.asyncProperty(
    numberProgramShape.chain((shape) => fc.tuple(fc.constant(shape), rowsFor(shape))),
    fc.integer({ min: 1, max: 20 }),
    async ([shape, rows], chunk) => {
      const plan = bake(buildNumberProgram(flour, shape));
      await sameEverywhere(plan, rows, chunk);
      plan.release();
    },
  );
  await fc.assert(property, { numRuns: PIPELINES, seed });
});

test.skipIf(!hasAddon)('rows in several columns', async () => {
  const text = flour.columns({ text: 'string' }).select('text');
  const counts = text.tokenize().wordNgram({ vocabulary: [['a'], ['b']] });
  const plan = counts
    .concat(flour.input('x', vector('float32', 2)) as Flow<'vector'>)
    .linear({ weights: [1, 2, 3, 4] })
    .plan();
  const rows = Array.from({ length: 700 }, (_, at) => ({ text: 'a b '.repeat(at % 5), x: [at, -at] }));
  await sameEverywhere(dear(plan, 100), rows, 50);
  plan.release();
});
