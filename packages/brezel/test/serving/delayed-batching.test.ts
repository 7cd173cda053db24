import { execFileSync } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  type BatchingStatistics,
  createFlour,
  createRuntime,
  type Flow,
  type RegisteredPlan,
  type Runtime,
  tensor,
} from 'brezel';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { GUARD_MS } from '../../../../testing/guard.js';
import { ManualClock } from '../../../../testing/manual-clock.js';
import type { UntypedPlan } from '../../../../testing/untyped.js';
import { seed } from '../conformance/seed.js';
import { runtimes } from './runtimes.js';

const flour = await createFlour();
const text = flour.columns({ text: 'string' }).select('text');
const counts = text.tokenize().wordNgram({ vocabulary: [['good'], ['bad']] });
const owned = counts.linear({ weights: [1, -1] }).plan();
const colours = flour.program({ y: text.oneHot({ categories: ['red', 'green'], unknown: 'error' }) }).plan();
const two = flour.columns({ a: 'float32', b: 'string', c: 'int64' });
const mixed = flour.program({ a: two.select('a'), b: two.select('b'), c: two.select('c') }).plan();
const vector = flour.input('v', { kind: 'vector', dtype: 'float32', size: 3 });
const sums = flour.program({ y: vector.linear({ weights: [1, 10, 100], bias: [0] }) }).plan();
const looked = flour.program({ y: flour.dictionary('d').lookupKeys(['n', 'm']) }).plan();
const matrix = flour.input('x', tensor('float32', [2, 2])) as Flow<'tensor'>;
const turned = flour.program({ y: matrix.asVector().map('negate').asTensor([2, 2]) }).plan();
const clock = new ManualClock();
const all = runtimes(flour, { limits: { maxQueuedRows: 100 }, clock });
const answer = (goods: number) => ({ output: [goods] });
const FOREVER = { maxDelayMs: 1000 };

afterAll(async () => {
  for (const [, runtime] of all) await runtime.close();
  for (const plan of [owned, colours, mixed, sums, looked, turned]) plan.release();
  flour.dispose();
});

describe.each(all)('%s', (_, runtime) => {
  const statistics = (plan: RegisteredPlan): BatchingStatistics =>
    runtime.stats().plans.find(({ name }) => name === plan.name)!.batching!;
  const register = (name: string, batching: Parameters<Runtime['register']>[1], compiled: UntypedPlan = owned) =>
    runtime.register(compiled, { name, ...batching });

  test('rows of one turn are one block, in order', async () => {
    const plan = register('turn', { batching: { maxDelayMs: 0 } });
    const settled: number[] = [];
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        runtime.predict(plan, 'good '.repeat(at)).then((one) => {
          settled.push(at);
          return one;
        }),
      ),
    );
    expect(answers).toEqual(Array.from({ length: 10 }, (_, at) => answer(at)));
    expect(settled).toEqual(Array.from({ length: 10 }, (_, at) => at));
    expect(statistics(plan)).toEqual({ blocks: 1, rows: 10, waiting: 0 });
    expect(await runtime.predict(plan, 'good')).toEqual(answer(1));
    expect(statistics(plan)).toEqual({ blocks: 2, rows: 11, waiting: 0 });
    runtime.unregister(plan);
  });

  test('a full block starts immediately, other rows start after the delay', async () => {
    const plan = register('full', { batching: { maxDelayMs: 40, maxBatch: 4 } });
    const rows = Array.from({ length: 10 }, (_, at) => runtime.predict(plan, 'good '.repeat(at)));
    expect(statistics(plan)).toEqual({ blocks: 2, rows: 8, waiting: 2 });
    expect(await Promise.all(rows.slice(0, 8))).toHaveLength(8);
    clock.advance(39);
    expect(statistics(plan).waiting).toBe(2);
    clock.advance(1);
    expect(await Promise.all(rows)).toEqual(Array.from({ length: 10 }, (_, at) => answer(at)));
    expect(statistics(plan)).toEqual({ blocks: 3, rows: 10, waiting: 0 });
    runtime.unregister(plan);
  });

  test('predictSync and predictBatch do not wait', async () => {
    const plan = register('others', { batching: FOREVER });
    expect(runtime.predictSync(plan, 'good')).toEqual(answer(1));
    expect(await runtime.predictBatch(plan, ['good'])).toEqual([answer(1)]);
    expect(statistics(plan)).toEqual({ blocks: 0, rows: 0, waiting: 0 });
    runtime.unregister(plan);
  });

  test('an invalid row fails alone, in the schema check and in a kernel', async () => {
    const plan = register('bad rows', { batching: { maxDelayMs: 0 } }, colours);
    const rows = ['red', 1 as never, 'blue', 'green', { text: 'red', more: 1 }, 'red', 'pink'];
    const settled = await Promise.allSettled(rows.map((row) => runtime.predict(plan, row)));
    const short = settled.map((one) => (one.status === 'fulfilled' ? one.value.y : one.reason.code));
    const wrong = 'ERR_RUNTIME_INPUT';
    expect(short).toEqual([[1, 0], wrong, wrong, [0, 1], wrong, [1, 0], wrong]);
    for (const one of settled) if (one.status === 'rejected') expect(one.reason.message).toContain('row 0');
    expect(runtime.stats().queue.rows).toBe(0);
    runtime.unregister(plan);
  });

  test('a row that changes after the call gives the answer of the original row', async () => {
    const plan = register('own', { batching: { maxDelayMs: 0 } }, sums);
    const v = Float64Array.of(1, 2, 3);
    const row = { v };
    const [first, second] = [runtime.predict(plan, row), runtime.predict(plan, { v: [4, 5, 6] })];
    v.fill(0);
    row.v = Float64Array.of(9, 9, 9);
    expect(await first).toEqual({ y: [321] });
    expect(await second).toEqual({ y: [654] });
    const words = register('own bytes', { batching: { maxDelayMs: 0 } });
    const bytes = new TextEncoder().encode('good');
    const third = runtime.predict(words, { text: bytes });
    bytes.fill(0);
    expect(await third).toEqual(answer(1));
    const entries = register('own entries', { batching: { maxDelayMs: 0 } }, looked);
    const d = new Map([['n', 1]]);
    const all = [runtime.predict(entries, { d }), runtime.predict(entries, { d: { m: 2 } })];
    d.set('n', 9).set('m', 9);
    expect(await Promise.all(all)).toEqual([{ y: [1, 0] }, { y: [0, 2] }]);
    const lists = register('own lists', { batching: { maxDelayMs: 0 } }, turned);
    const x = [[1, 2], [3, 4]]; // biome-ignore format: as it is meant
    const turning = [runtime.predict(lists, { x }), runtime.predict(lists, { x: Float64Array.of(5, 6, 7, 8) })];
    x[0]![0] = 9;
    const negated = [[[-1, -2], [-3, -4]], [[-5, -6], [-7, -8]]]; // biome-ignore format: as it is meant
    expect((await Promise.all(turning)).map(({ y }) => y)).toEqual(negated);
    for (const one of [plan, words, entries, lists]) runtime.unregister(one);
  });

  test('an aborted row does not affect other rows', async () => {
    const plan = register('abort', { batching: { maxDelayMs: 20 } });
    const [one, other] = [new AbortController(), new AbortController()];
    const rows = [one, other, other].map(({ signal }, at) => runtime.predict(plan, 'good '.repeat(at), { signal }));
    const settled = expect(rows[0]).rejects.toMatchObject({ name: 'AbortError' });
    one.abort();
    await settled;
    expect(runtime.stats().queue.rows).toBe(2);
    clock.advance(20);
    expect(await Promise.all(rows.slice(1))).toEqual([answer(1), answer(2)]);
    for (const { signal } of [one, other]) expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(statistics(plan)).toEqual({ blocks: 1, rows: 2, waiting: 0 });
    other.abort();
    runtime.unregister(plan);
  });

  test('if all rows are aborted, no block runs', async () => {
    const plan = register('none', { batching: { maxDelayMs: 5 } });
    const controller = new AbortController();
    const rows = [1, 2].map(() => runtime.predict(plan, 'good', { signal: controller.signal }));
    const settled = Promise.allSettled(rows);
    controller.abort(new Error('gone'));
    expect((await settled).map((one) => one.status === 'rejected' && one.reason.message)).toEqual(['gone', 'gone']);
    clock.advance(15);
    expect(statistics(plan)).toEqual({ blocks: 0, rows: 0, waiting: 0 });
    expect(await clock.run(runtime.predict(plan, 'good'), 5)).toEqual(answer(1));
    runtime.unregister(plan);
  });

  test('a row with a near deadline starts the block', async () => {
    const plan = register('hurried', { batching: FOREVER });
    const patient = runtime.predict(plan, 'good good', { deadlineMs: 60_000 });
    expect(await runtime.predict(plan, 'good', { deadlineMs: 500 })).toEqual(answer(1));
    expect(await patient).toEqual(answer(2));
    runtime.unregister(plan);
  });

  test('a deadline that passes while the thread is busy', async () => {
    const plan = register('late', { batching: { maxDelayMs: 2 } });
    const [late, patient] = [runtime.predict(plan, 'good', { deadlineMs: 8 }), runtime.predict(plan, 'good')];
    const settled = expect(late).rejects.toMatchObject({ code: 'ERR_RUNTIME_DEADLINE' });
    clock.stall(12);
    await settled;
    expect(await patient).toEqual(answer(1));
    runtime.unregister(plan);
  });

  test('a plan that is removed while rows wait', async () => {
    const plan = register('going', { batching: FOREVER });
    const rows = Promise.allSettled([runtime.predict(plan, 'good'), runtime.predict(plan, 'bad')]);
    runtime.unregister(plan);
    for (const one of await rows) expect(one).toMatchObject({ reason: { code: 'ERR_RUNTIME_UNKNOWN_PLAN' } });
    expect(runtime.stats().queue.rows).toBe(0);
  });

  test('a plan that is removed between two slices of a block', async () => {
    await using here = createRuntime({ store: flour.store, native: runtime.isa !== undefined, executors: 0 });
    const plan = here.register({ ...owned, nanosPerRow: 2e6 }, { batching: { maxDelayMs: 0 } });
    const rows = Array.from({ length: 5 }, () => here.predict(plan, 'good'));
    const settled = Promise.allSettled(rows);
    expect(await rows[0]).toEqual(answer(1));
    here.unregister(plan);
    const states = (await settled).map((one) => (one.status === 'fulfilled' ? 'answered' : one.reason.code));
    expect(states[0]).toBe('answered');
    expect(states.at(-1)).toBe('ERR_RUNTIME_UNKNOWN_PLAN');
    await setImmediate();
  });

  test('rows that wait count in the queue', async () => {
    const plan = register('queue', { batching: { maxDelayMs: 20, maxBatch: 256 } });
    const rows = Array.from({ length: 100 }, () => runtime.predict(plan, 'good'));
    expect(runtime.stats().queue).toMatchObject({ rows: 100, bytes: 400 });
    await expect(runtime.predict(plan, 'good')).rejects.toMatchObject({ code: 'ERR_RUNTIME_OVERLOADED' });
    clock.advance(20);
    expect(await Promise.all(rows)).toHaveLength(100);
    expect(runtime.stats().queue).toMatchObject({ rows: 0, bytes: 0 });
    runtime.unregister(plan);
  });

  test('a row in the cache does not wait', async () => {
    const plan = register('cached', { batching: { maxDelayMs: 5 }, cache: { maxBytes: 65536 } });
    expect(await clock.run(runtime.predict(plan, 'good'), 5)).toEqual(answer(1));
    expect(await runtime.predict(plan, { text: 'good' })).toEqual(answer(1));
    const { cache, batching } = runtime.stats().plans.find(({ name }) => name === 'cached')!;
    expect(cache).toMatchObject({ hits: 1, misses: 1 });
    expect(batching).toEqual({ blocks: 1, rows: 1, waiting: 0 });
    runtime.unregister(plan);
  });

  test('random rows at random times: every caller gets the answer to its row', async () => {
    const plans = [0, 1, 3].map((maxDelayMs) =>
      register(`random ${maxDelayMs}`, { batching: { maxDelayMs, maxBatch: 7 } }, mixed),
    );
    const row = fc.record({ a: fc.float(), b: fc.string({ unit: 'grapheme' }), c: fc.maxSafeInteger() });
    const call = fc.record({ row, plan: fc.nat(2), pause: fc.constantFrom('none', 'none', 'none', 'turn', 'wait') });
    const property = fc.asyncProperty(fc.array(call, { maxLength: 40 }), async (calls) => {
      const answers: Promise<unknown>[] = [];
      for (const { row, plan, pause } of calls) {
        answers.push(runtime.predict(plans[plan]!, row));
        if (pause === 'turn') await setImmediate();
        if (pause === 'wait') clock.advance(1);
      }
      const want = calls.map(({ row, plan }) => runtime.predictSync(plans[plan]!, row));
      clock.advance(3);
      expect(await Promise.all(answers)).toEqual(want);
    });
    await fc.assert(property, { seed, numRuns: 60 });
    for (const plan of plans) runtime.unregister(plan);
  });
});

test('closing the runtime rejects waiting rows', async () => {
  const runtime = createRuntime({ store: flour.store });
  const plan = runtime.register(owned, { batching: FOREVER });
  const waiting = Promise.allSettled([runtime.predict(plan, 'good')]);
  await runtime.close();
  expect(await waiting).toMatchObject([{ reason: { code: 'ERR_RUNTIME_CLOSED' } }]);
  await expect(runtime.predict(plan, 'good')).rejects.toMatchObject({ code: 'ERR_RUNTIME_CLOSED' });
});

test.each<[unknown, unknown]>([
  [-1, 1],
  [0.5, 1],
  [1001, 1],
  [undefined, 1],
  [1, 0],
  [1, 257],
  [1, Number.NaN],
])('maxDelayMs %s with maxBatch %s is out of range', (maxDelayMs, maxBatch) => {
  const [, runtime] = all[0]!;
  const batching = { maxDelayMs, maxBatch } as { maxDelayMs: number };
  expect(() => runtime.register(owned, { batching })).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_OPTION' }));
});

test('a process stays alive only while rows wait for answers', () => {
  const script = fileURLToPath(new URL('./waiting-process.mjs', import.meta.url));
  const printed = execFileSync(process.execPath, [script], { encoding: 'utf8', timeout: GUARD_MS });
  const { answers, timers } = JSON.parse(printed);
  expect(answers).toEqual([{ output: [1] }, { output: [-1] }]);
  expect(timers, 'an aborted row leaves no timer').toBe(0);
});
