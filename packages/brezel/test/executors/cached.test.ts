import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import { type Answer, bake, type CompiledPlan, type RegisteredPlan, type Row, type Runtime } from 'brezel';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { difference } from '../conformance/engines.js';
import { anyText, buildPipeline, pipelineShape } from '../conformance/random-programs.js';
import { seed } from '../conformance/seed.js';
import { dear, flour, hasAddon, oneByOne, rejection, runtimeWith, textPlan, textRows } from './fleets.js';

/**
 * Batches of plans with a prediction cache: each distinct miss goes to the executors once.
 */

const compiled = dear(textPlan(), 100);
const rows = textRows(1000);
const answers = oneByOne(compiled, rows);
const distinct = new Set(rows).size;
const cache = { maxBytes: 16 * 2 ** 20 };

const runtime = runtimeWith(2, { limits: { maxQueuedRows: 1_000_000 } });
const onExecutors = (of: Runtime = runtime) => {
  const { shared, reserved } = of.stats().executors;
  return [shared, ...reserved].reduce((sum, group) => sum + group.rows, 0);
};
const kept = (plan: RegisteredPlan) => runtime.stats().plans.find(({ name }) => name === plan.name)!.cache!;

afterEach(() => {
  expect(runtime.stats().queue).toMatchObject({ rows: 0, bytes: 0 });
});
afterAll(async () => {
  await runtime.close();
  compiled.release();
  flour.dispose();
});

describe.skipIf(!hasAddon)('a batch', () => {
  test('sends each missing row once, and no cached row', async () => {
    const plan = runtime.register(compiled, { name: 'once', cache });
    const before = onExecutors();
    expect(await runtime.predictBatch(plan, rows)).toEqual(answers);
    expect(onExecutors() - before).toBe(distinct);
    expect(kept(plan)).toMatchObject({ hits: 0, misses: rows.length, entries: distinct });
    expect(await runtime.predictBatch(plan, rows)).toEqual(answers);
    expect(onExecutors() - before).toBe(distinct);
    expect(kept(plan)).toMatchObject({ hits: rows.length, entries: distinct });
    runtime.unregister(plan);
  });

  test('runs a few missing rows on the calling thread', async () => {
    const plan = runtime.register(compiled, { name: 'little', cache });
    await runtime.predictBatch(plan, rows);
    const before = onExecutors();
    const more = [...rows, ...textRows(50, 100_000).map((row) => `${row} new`)];
    expect(await runtime.predictBatch(plan, more)).toEqual(oneByOne(compiled, more));
    expect(onExecutors()).toBe(before);
    runtime.unregister(plan);
  });

  test('answers with separate objects', async () => {
    const plan = runtime.register(compiled, { name: 'own', cache });
    const got = (await runtime.predictBatch(plan, rows)) as { output: number[] }[];
    for (const answer of got) answer.output.fill(Number.NaN);
    expect(await runtime.predictBatch(plan, rows)).toEqual(answers);
    runtime.unregister(plan);
  });

  test('of rows that change during the call gives the answers of the original rows', async () => {
    const plan = runtime.register(compiled, { name: 'given', cache });
    const bytes = rows.map((row) => ({ text: Buffer.from(row as string) }));
    const list = [...bytes];
    const batch = runtime.predictBatch(plan, list);
    list.fill(list[0]!);
    expect(await batch).toEqual(answers);
    runtime.unregister(plan);
  });

  test('of a stream, block by block', async () => {
    const plan = runtime.register(compiled, { name: 'stream', cache });
    const before = onExecutors();
    const got: Answer[] = [];
    for await (const answer of runtime.predictStream(plan, rows)) got.push(answer);
    expect(got).toEqual(answers);
    expect(onExecutors() - before).toBeGreaterThan(0);
    expect(kept(plan)).toMatchObject({ entries: distinct });
    runtime.unregister(plan);
  });

  test('with an invalid row gives the same error as without a cache, and caches no wrong answer', async () => {
    const text = flour.columns({ text: 'string' }).select('text');
    const colours = dear(
      flour.program({ y: text.oneHot({ categories: [...new Set(rows as string[])], unknown: 'error' }) }).plan(),
      100,
    );
    const other = runtimeWith(2);
    const [cached, plain] = [runtime.register(colours, { cache }), other.register(colours)];
    const faults: [number, Row][] = [
      [0, 'no colour'],
      [517, 'no colour'],
      [518, 5 as never],
      [999, { text: Uint8Array.of(0xff) }],
    ];
    // From here on, the misses of a batch are not adjacent rows.
    await runtime.predictBatch(cached, rows.slice(0, 300));
    for (const [at, row] of faults) {
      const given = rows.with(at, row);
      const got = await rejection(runtime.predictBatch(cached, given));
      const want = await rejection(other.predictBatch(plain, given));
      expect([got.code, got.message]).toEqual([want.code, want.message]);
      expect(got.message).toContain(`row ${at}`);
    }
    expect(await runtime.predictBatch(cached, rows)).toEqual(await other.predictBatch(plain, rows));
    runtime.unregister(cached);
    await other.close();
    colours.release();
  });
});

describe.skipIf(!hasAddon)('the end of a batch', () => {
  const many = textRows(40_000).map((row, at) => `${row} ${at}`);

  test('comes immediately with its signal, its deadline or the removal of its plan', async () => {
    const plan = runtime.register(compiled, { name: 'ends', cache });
    const controller = new AbortController();
    const aborted = rejection(runtime.predictBatch(plan, many, { signal: controller.signal }));
    const late = rejection(runtime.predictBatch(plan, many, { deadlineMs: 5 }));
    const other = runtime.predictBatch(runtime.register(compiled, { name: 'other', cache }), rows);
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await aborted).toBe(reason);
    expect(await late).toMatchObject({ code: 'ERR_RUNTIME_DEADLINE' });
    const gone = rejection(runtime.predictBatch(plan, many));
    await turnOfTheEventLoop();
    runtime.unregister(plan);
    expect(await gone).toMatchObject({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' });
    expect(await other).toEqual(answers);
  });
});

test.each([undefined, false])(
  'a plan that is removed after the lookup of its rows and before they are sent (native: %s)',
  async (native) => {
    const own = runtimeWith(2, { native });
    const plan = own.register(compiled, { cache });
    const batches = [200, 500].map((count) => rejection(own.predictBatch(plan, rows.slice(0, count))));
    own.unregister(plan);
    for (const batch of batches) expect(await batch).toMatchObject({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' });
    await own.close();
  },
);

describe.skipIf(!hasAddon)('a reservation', () => {
  test('runs every missing row, even if few rows are missing', async () => {
    const own = runtimeWith(2);
    const plan = own.register(compiled, { cache, reserve: { executors: 1 } });
    expect(await own.predictBatch(plan, rows.slice(0, 2))).toEqual(answers.slice(0, 2));
    expect(await own.predictBatch(plan, rows.slice(0, 2))).toEqual(answers.slice(0, 2));
    expect(onExecutors(own)).toBe(2);
    await own.close();
  });
});

test.skipIf(!hasAddon)(
  'random pipelines with repeated rows, any chunks and any cache contents give the bits of single rows',
  async () => {
    const property = fc.asyncProperty(
      pipelineShape,
      fc.array(anyText, { minLength: 1, maxLength: 12, size: 'max' }),
      fc.array(fc.array(fc.nat(11), { maxLength: 40 }), { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 10 }),
      async (shape, texts, batches, chunk) => {
        const plan = bake(buildPipeline(flour, shape)) as CompiledPlan & { release(): void };
        const registered = runtime.register({ ...plan, nanosPerRow: 1e6 / chunk }, { cache });
        for (const batch of batches) {
          const given = batch.map((at) => ({ text: texts[at % texts.length]! }));
          const got = await runtime.predictBatch(registered, given);
          expect(difference(got, oneByOne(plan, given))).toBeUndefined();
        }
        runtime.unregister(registered);
        plan.release();
      },
    );
    await fc.assert(property, { numRuns: 15, seed });
  },
);
