import type { Worker } from 'node:worker_threads';
import {
  type CompiledPlan,
  createFlour,
  createRuntime,
  defineOperator,
  type Row,
  type Runtime,
  type StageLatency,
} from 'brezel';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { turns } from '../../../../testing/turns.js';
import { until } from '../../../../testing/until.js';
import { difference } from '../conformance/engines.js';
import { anyText, buildPipeline, pipelineShape } from '../conformance/random-programs.js';
import { seed } from '../conformance/seed.js';
import { dear, flour, numberPlan, oneByOne, rejection, runtimeWith, textPlan, textRows } from './fleets.js';
import { sleep, thread, words } from './thread-operators.mjs';

/**
 * Worker threads run batches in JavaScript if the addon is missing, or if a plan has custom
 * operators.
 */

const module = new URL('./thread-operators.mjs', import.meta.url);
const compiled = dear(textPlan(), 100);
const numbers = dear(numberPlan(), 100);
const rows = textRows(1200);
const answers = oneByOne(compiled, rows);
const text = flour.columns({ text: 'string' }).select('text');
const mixed = dear(
  text
    .custom(words)
    .concat(text.tokenize().wordNgram({ vocabulary: [['good'], ['film']] }))
    .linear({ weights: [1, 2, 4, 8] })
    .plan(),
  100,
);
/** If a batch of a plan of `dear` has this many rows, worker threads always run it. */
const MANY = 400;

const threads = new Set<Worker>();
const onWorker = (worker: Worker) => {
  threads.add(worker);
  worker.on('exit', () => threads.delete(worker));
};
process.on('worker', onWorker);

const runtime = runtimeWith(2, { native: false, operatorModules: [module], limits: { maxQueuedRows: 100_000 } });
const plan = runtime.register(compiled);
const javascript = (of: Runtime = runtime) => of.stats().executors.javascript;

beforeAll(async () => {
  // Worker threads do not exist yet. The calling thread runs the batch, and starts the threads if
  // that saves time.
  expect(await runtime.predictBatch(plan, rows.slice(0, MANY))).toEqual(answers.slice(0, MANY));
  expect(javascript()).toMatchObject({ threads: 0, chunks: 0 });
  for (let round = 0; round < 10 && javascript().helped === 0; round++)
    expect(await runtime.predictBatch(plan, rows)).toEqual(answers);
  expect(javascript().helped).toBeGreaterThan(0);
  expect(await runtime.warm(plan, { rows: rows.slice(0, 10) })).toMatchObject({ executors: 2 });
});
afterEach(() => {
  expect(runtime.stats().queue).toMatchObject({ rows: 0, bytes: 0 });
});
afterAll(async () => {
  process.off('worker', onWorker);
  await runtime.close();
  for (const one of [compiled, numbers, mixed]) one.release();
  flour.dispose();
});

describe('batches', () => {
  test.each([0, 1, 2, 20, MANY, 1000])('of %i rows', async (count) => {
    const before = javascript();
    expect(await runtime.predictBatch(plan, rows.slice(0, count))).toEqual(answers.slice(0, count));
    // The calling thread runs small batches.
    expect(javascript().rows - before.rows).toBe(count < MANY ? 0 : count);
    expect(javascript().helped).toBe(before.helped);
  });

  test('run on other threads, and the event loop continues', async () => {
    const where = dear(text.custom(thread).plan(), 100);
    const registered = runtime.register(where);
    expect(runtime.predictSync(registered, 'here')).toEqual({ output: 0 });
    const ids = (await runtime.predictBatch(registered, rows)).map(({ output }) => output as number);
    expect(ids.every((id) => id > 0)).toBe(true);
    runtime.unregister(registered);
    where.release();
  });

  test('of several plans run concurrently', async () => {
    const others = [1, 2, 3].map((n) => dear(textPlan(n), 100));
    const all = [compiled, ...others];
    const registered = [plan, ...others.map((other) => runtime.register(other, { weight: 2 }))];
    const wanted = all.map((one) => oneByOne(one, rows.slice(0, MANY)));
    const got = await Promise.all(
      Array.from({ length: 20 }, (_, at) => runtime.predictBatch(registered[at % 4]!, rows.slice(0, MANY))),
    );
    for (const [at, batch] of got.entries()) expect(batch).toEqual(wanted[at % 4]);
    for (const one of registered.slice(1)) runtime.unregister(one);
    for (const other of others) other.release();
  });

  test('of rows and typed arrays that change during the call give the answers of the original rows', async () => {
    const given = Array.from({ length: MANY }, (_, at) => ({ x: Float64Array.of(at, 1, -at, -0) }));
    const want = oneByOne(numbers, given);
    const batch = runtime.predictBatch(runtime.register(numbers), given);
    expect(await batch).toEqual(want);
    const texts = rows.map((row) => ({ text: Buffer.from(row as string) }));
    expect(await runtime.predictBatch(plan, texts)).toEqual(answers);
  });

  test('and streams', async () => {
    const before = javascript().rows;
    const got = [];
    for await (const answer of runtime.predictStream(plan, rows)) got.push(answer);
    expect(got).toEqual(answers);
    expect(javascript().rows).toBeGreaterThan(before);
  });
});

describe('the same bits', () => {
  test('as the reference and as single rows, for random pipelines over random texts', async () => {
    const texts = fc.array(anyText, { minLength: 24, maxLength: 24, size: 'max' });
    const property = fc.asyncProperty(
      pipelineShape,
      texts,
      fc.integer({ min: 1, max: 24 }),
      async (shape, all, chunk) => {
        const baked = buildPipeline(flour, shape).plan() as CompiledPlan & { release(): void };
        const given = all.map((one) => ({ text: one }));
        const registered = runtime.register({ ...baked, nanosPerRow: 4e6 / chunk });
        const before = javascript().rows;
        const got = await runtime.predictBatch(registered, given);
        expect(javascript().rows - before).toBe(given.length);
        expect(
          difference(
            got,
            given.map((row) => runtime.predictSync(registered, row)),
          ),
        ).toBeUndefined();
        expect(difference(got, await runtime.predictBatch(registered, given, { engine: 'reference' }))).toBeUndefined();
        runtime.unregister(registered);
        baked.release();
      },
    );
    await fc.assert(property, { numRuns: 8, seed });
  });

  test('with and without the addon, for plans with a custom operator', async () => {
    const given = rows.slice(0, MANY);
    const want = oneByOne(mixed, given);
    const both = runtimeWith(1, { operatorModules: [module] });
    for (const one of [runtime, both]) {
      const registered = one.register(mixed);
      await one.warm(registered);
      expect(await one.predictBatch(registered, given)).toEqual(want);
      expect(javascript(one).rows).toBeGreaterThanOrEqual(MANY);
      one.unregister(registered);
    }
    await both.close();
  });

  test('with a store without the addon, whose parameters are not copied', async () => {
    await using own = await createFlour({ native: false });
    const vocabulary = Array.from({ length: 20_000 }, (_, at) => [`word${at}`]);
    const weights = vocabulary.map((_, at) => Math.sin(at));
    const large = dear(
      own.columns({ text: 'string' }).select('text').tokenize().wordNgram({ vocabulary }).linear({ weights }).plan(),
      100,
    );
    const given = Array.from({ length: MANY }, (_, at) => `word${at} word${at * 7}`);
    await using other = createRuntime({ store: own.store, executors: 1 });
    const registered = other.register(large);
    await other.warm(registered);
    const want = given.map((row) => other.predictSync(registered, row));
    expect(await other.predictBatch(registered, given)).toEqual(want);
    const { copiedBytes, rows: answered } = javascript(other);
    expect(answered).toBe(MANY);
    expect(copiedBytes).toBeLessThan(other.stats().parameters.bytes / 4);
    large.release();
  });
});

describe('features in front of worker threads', () => {
  // Idle worker threads end. Without threads, the calling thread would run the first batch.
  beforeEach(async () => {
    await runtime.warm(plan, { rows: rows.slice(0, 10) });
  });

  test('a cache: each missing row is sent to a thread once', async () => {
    const cached = runtime.register(compiled, { name: 'cached', cache: { maxBytes: 2 ** 24 } });
    const before = javascript().rows;
    for (let round = 0; round < 2; round++) expect(await runtime.predictBatch(cached, rows)).toEqual(answers);
    expect(javascript().rows - before).toBe(new Set(rows).size);
    const where = dear(text.custom(words).plan(), 100);
    const mine = runtime.register(where, { name: 'words', cache: { maxBytes: 2 ** 24 } });
    await runtime.predictBatch(mine, rows.slice(0, MANY));
    const given = rows.with(1000, 'throw');
    const message = 'test-threads/words, row 1000, plan words, stage 1';
    expect(await rejection(runtime.predictBatch(mine, given))).toMatchObject({
      code: 'ERR_RUNTIME_CUSTOM',
      message: expect.stringContaining(message),
      cause: { operator: 'test-threads/words' },
    });
    for (const one of [cached, mine]) runtime.unregister(one);
    where.release();
  });

  test('delayed batching: a block runs on a thread, and each call ends separately', async () => {
    const slow = dear(text.custom(sleep).plan(), 1);
    const gathering = runtime.register(slow, { name: 'gathering', batching: { maxDelayMs: 0 } });
    const before = javascript().rows;
    const controller = new AbortController();
    const answered = ['200', '0', '1'].map((row) => runtime.predict(gathering, row, { deadlineMs: 600_000 }));
    const late = ['200', '200'].map((row) => rejection(runtime.predict(gathering, row, { deadlineMs: 30 })));
    const aborted = rejection(runtime.predict(gathering, '200', { signal: controller.signal }));
    const bad = rejection(runtime.predict(gathering, 'no number'));
    for (const one of late) expect(await one).toMatchObject({ code: 'ERR_RUNTIME_DEADLINE' });
    controller.abort();
    expect(await aborted).toMatchObject({ name: 'AbortError' });
    expect((await Promise.all(answered)).map(({ output }) => output)).toEqual([200, 0, 1]);
    expect(await bad).toMatchObject({ code: 'ERR_RUNTIME_INPUT' });
    expect(javascript().rows).toBeGreaterThan(before);
    runtime.unregister(gathering);
    slow.release();
  });
});

describe('an invalid row', () => {
  const bad: [string, Row][] = [
    ['of another type', { text: 5 }],
    ['without its field', {}],
    ['no UTF-8', { text: Uint8Array.of(0xff, 0xfe) }],
    ['too long', { text: 'x'.repeat(2000) }],
  ];

  test.each(bad)('%s: the same error as on the calling thread', async (_, row) => {
    const short = { name: 'short', maxInputBytes: 1500 };
    const inline = runtimeWith(0, { native: false });
    const inlinePlan = inline.register(compiled, short);
    const registered = runtime.register(compiled, short);
    for (const at of [0, 128, 999]) {
      const given = rows.slice(0, 1000).with(at, row).with(999, row);
      const other = runtime.predictBatch(plan, rows);
      const got = await rejection(runtime.predictBatch(registered, given));
      const want = await rejection(inline.predictBatch(inlinePlan, given));
      expect([got.code, got.message]).toEqual([want.code, want.message]);
      expect(got.message).toContain(`row ${at}`);
      expect(await other).toEqual(answers);
    }
    runtime.unregister(registered);
    await inline.close();
  });

  test.each(['throw', 'refuse'])('an operator that says %s', async (word) => {
    const registered = runtime.register(mixed, { name: 'mixed' });
    const inline = runtimeWith(0, { native: false });
    const given = rows.with(321, word);
    const got = await rejection(runtime.predictBatch(registered, given));
    const want = await rejection(inline.predictBatch(inline.register(mixed, { name: 'mixed' }), given));
    expect([got.code, got.message]).toEqual([want.code, want.message]);
    if (word === 'throw') {
      expect(got.cause).toMatchObject({ operator: 'test-threads/words' });
      expect((got.cause as Error).cause).toEqual(new RangeError('thrown'));
    }
    runtime.unregister(registered);
    await inline.close();
  });
});

describe('threads', () => {
  test('that are terminated cause no missing answers', async () => {
    const before = javascript().lost;
    for (let round = 0; round < 20 && javascript().lost === before; round++) {
      const batches = [1, 2, 3].map(() => runtime.predictBatch(plan, rows));
      await turns(round);
      void [...threads][0]?.terminate();
      for (const batch of batches) expect(await batch).toEqual(answers);
    }
    expect(javascript().lost).toBeGreaterThan(before);
  });

  test('that have all ended are restarted by warm', async () => {
    expect(await runtime.warm(plan)).toMatchObject({ executors: 2 });
    for (const thread of threads) void thread.terminate();
    await until(() => javascript().threads === 0);
    expect(await runtime.warm(plan)).toMatchObject({ executors: 2 });
    expect(javascript().threads).toBe(2);
  });

  test('that lack an operator: the calling thread runs the plan', async () => {
    const here = defineOperator({
      name: 'test-here/length',
      inputs: ['text'],
      output: 'float32',
      run: (one) => one.length,
    });
    const own = dear(text.custom(here).plan(), 100);
    const registered = runtime.register(own);
    const want = rows.map((row) => ({ output: (row as string).length }));
    for (let round = 0; round < 2; round++) expect(await runtime.predictBatch(registered, rows)).toEqual(want);
    runtime.unregister(registered);
    own.release();
  });
});

test('stages are measured on worker threads, too', async () => {
  const timed = runtimeWith(1, { native: false, latencies: { stagesEvery: 1 } });
  const registered = timed.register(compiled);
  await timed.warm(registered);
  expect(await timed.predictBatch(registered, rows)).toEqual(answers);
  const { latencies, stageLatencies } = timed.stats().plans[0]!;
  expect(latencies?.predictBatch).toMatchObject({ samples: 1 });
  expect(stageLatencies).toHaveLength(compiled.stages.length);
  for (const { nanoseconds, engine } of stageLatencies as StageLatency[]) {
    expect(engine).toBe('wasm');
    expect(nanoseconds.samples).toBe(javascript(timed).chunks);
    for (const figure of ['p50', 'p90', 'p99', 'p999', 'max'] as const) expect(nanoseconds[figure]).toBeGreaterThan(0);
  }
  await timed.close();
});

describe('a reservation', () => {
  test('starts while batches run, which fewer threads then answer', async () => {
    const batches = [1, 2, 3].map(() => runtime.predictBatch(plan, rows));
    const own = runtime.register(compiled, { name: 'own', reserve: { executors: 1 } });
    expect(javascript()).toMatchObject({ limit: 1, reserved: [{ plan: 'own', limit: 1 }] });
    const mine = runtime.predictBatch(own, rows);
    for (const batch of [...batches, mine]) expect(await batch).toEqual(answers);
    expect(javascript().reserved[0]!.rows).toBe(rows.length);
    runtime.unregister(own);
    expect(javascript()).toMatchObject({ limit: 2, reserved: [] });
    expect(await runtime.predictBatch(plan, rows)).toEqual(answers);
    await runtime.warm(plan);
  });
});

describe('the end of a batch', () => {
  test('an abort ends the batch immediately with its reason, and other batches continue', async () => {
    const controller = new AbortController();
    const reason = new Error('gone');
    const aborted = rejection(runtime.predictBatch(plan, rows, { signal: controller.signal }));
    const other = runtime.predictBatch(plan, rows);
    await turns();
    controller.abort(reason);
    expect(await aborted).toBe(reason);
    expect(await other).toEqual(answers);
  });

  test('a deadline', async () => {
    const many = Array.from({ length: 40 }, () => rows).flat();
    const late = await rejection(runtime.predictBatch(plan, many, { deadlineMs: 2 }));
    expect(late).toMatchObject({ code: 'ERR_RUNTIME_DEADLINE' });
    expect(await runtime.predictBatch(plan, rows)).toEqual(answers);
  });

  test('a removed plan or a closed runtime', async () => {
    const gone = runtime.register(compiled);
    const batch = rejection(runtime.predictBatch(gone, rows));
    runtime.unregister(gone);
    expect(await batch).toMatchObject({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' });
    const other = runtimeWith(1, { native: false });
    const last = rejection(other.predictBatch(other.register(compiled), rows));
    await other.close();
    expect(await last).toMatchObject({ code: 'ERR_RUNTIME_CLOSED' });
  });

  test('rows beyond the queue limit are rejected', async () => {
    const many = Array.from({ length: 100_001 }, () => 'x');
    expect(await rejection(runtime.predictBatch(plan, many))).toMatchObject({ code: 'ERR_RUNTIME_OVERLOADED' });
  });

  test('high priority comes first', async () => {
    const [slow, fast] = (['low', 'high'] as const).map((priority) => runtime.register(compiled, { priority }));
    const order: string[] = [];
    const done = (name: string) => () => void order.push(name);
    const many = Array.from({ length: 30 }, () => rows).flat();
    const long = runtime.predictBatch(slow!, many).then(done('long'));
    await Promise.all([1, 2, 3].map(() => runtime.predictBatch(fast!, rows).then(done('short'))));
    await long;
    expect(order).toEqual(['short', 'short', 'short', 'long']);
    for (const one of [slow!, fast!]) runtime.unregister(one);
  });
});
