import { bake, createFlour, createRuntime, type RegisteredPlan, type Row, type Runtime } from 'brezel';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Answers, expectSame } from './engines.js';
import { anyText, buildPipeline, pipelineShape } from './random-programs.js';
import { seed } from './seed.js';

const PIPELINES = 60;
const TEXTS_EACH = 12;
/** Sizes of the cache: two sizes that evict answers, and a size that holds all answers. */
const SIZES = [1024, 8192, 2 ** 24];

test('random pipelines with a prediction cache: the same bits as without', async () => {
  const flour = await createFlour();
  const { store } = flour;
  const runtimes = [createRuntime({ store }), createRuntime({ store, native: false })];
  const tried = { hits: 0, evictions: 0 };
  const property = fc.asyncProperty(
    pipelineShape,
    fc.array(anyText, { minLength: TEXTS_EACH, maxLength: TEXTS_EACH, size: 'max' }),
    fc.array(fc.nat(TEXTS_EACH - 1), { minLength: 40, maxLength: 40 }),
    fc.constantFrom(...SIZES),
    async (shape, texts, order, maxBytes) => {
      const rows = order.map((at) => ({ text: texts[at]! }));
      const compiled = bake(buildPipeline(flour, shape));
      for (const runtime of runtimes) {
        const plain = runtime.register(compiled);
        const cached = runtime.register(compiled, { name: 'cached', cache: { maxBytes } });
        const want = rows.map((row) => runtime.predictSync(plain, row));
        expectSame(await cachedAnswers(runtime, cached, rows), want);
        const { hits, evictions } = runtime.stats().plans.find(({ name }) => name === 'cached')!.cache!;
        tried.hits += hits;
        tried.evictions += evictions;
        for (const plan of [plain, cached]) runtime.unregister(plan);
      }
      compiled.release();
      flour.dispose();
    },
  );
  await fc.assert(property, { numRuns: PIPELINES, seed });
  expect(tried.hits).toBeGreaterThan(1000);
  expect(tried.evictions).toBeGreaterThan(100);
});

/**
 * Answers the rows with several verbs, one after another, with the same cache. Returns the answers
 * by verb.
 */
async function cachedAnswers(
  runtime: Runtime,
  plan: RegisteredPlan,
  rows: readonly Row[],
): Promise<Map<string, Answers>> {
  const half = rows.slice(0, rows.length / 2);
  const first = [
    ...half.map((row) => runtime.predictSync(plan, row)),
    ...(await runtime.predictBatch(plan, rows.slice(half.length))),
  ];
  return new Map<string, Answers>([
    ['one by one, then a batch', first],
    ['batch', await runtime.predictBatch(plan, rows)],
    ['one by one', rows.map((row) => runtime.predictSync(plan, row))],
    ['promises', await Promise.all(rows.map((row) => runtime.predict(plan, row)))],
  ]);
}
