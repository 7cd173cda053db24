import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { createFlour, createRuntime, type Row, type Runtime } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { busyFor } from '../../../../testing/busy.mjs';
import type { UntypedPlan } from '../../../../testing/untyped.js';
import { runtimes } from './runtimes.js';

const flour = await createFlour();
const text = flour.columns({ text: 'string' }).select('text');
const owned: UntypedPlan = text
  .tokenize()
  .wordNgram({ vocabulary: [['good'], ['bad']] })
  .linear({ weights: [1, -1] })
  .plan();
/** Declares a cost that gives each row a separate turn of the event loop. */
const slow: UntypedPlan = { ...owned, nanosPerRow: 2e6 };
const rows: Row[] = Array.from({ length: 20 }, (_, at) => `good ${'good '.repeat(at)}`);
const answers = rows.map((_, at) => ({ output: [at + 1] }));
const all = runtimes(flour, { limits: { maxQueuedRows: 25, maxQueuedBytes: 3000 } });
const overloaded = expect.objectContaining({ code: 'ERR_RUNTIME_OVERLOADED' });
const late = expect.objectContaining({ code: 'ERR_RUNTIME_DEADLINE' });
const nothing = { rows: 0, bytes: 0 };

afterAll(async () => {
  for (const [, runtime] of all) await runtime.close();
  owned.release();
  flour.dispose();
});

describe.each(all)('%s', (_, runtime) => {
  const plan = runtime.register(slow, { name: 'slow' });
  const quick = runtime.register({ ...owned, nanosPerRow: 1 }, { name: 'quick' });
  const queue = (one: Runtime = runtime) => one.stats().queue;

  test('rows are in the queue from the call to the answer', async () => {
    const batch = runtime.predictBatch(plan, rows);
    expect(queue()).toMatchObject({ rows: 20, bytes: rows.reduce((sum: number, row) => sum + row.length, 0) });
    const single = runtime.predict(plan, rows[0]!);
    expect(queue().rows).toBe(21);
    expect(await batch).toEqual(answers);
    expect(await single).toEqual(answers[0]);
    expect(queue()).toMatchObject(nothing);
  });

  test('rows beyond the limit are rejected immediately, and other rows are answered', async () => {
    const { refused } = queue();
    const [batch, second] = [runtime.predictBatch(plan, rows), runtime.predictBatch(plan, rows.slice(0, 5))];
    await expect(runtime.predict(plan, 'good')).rejects.toThrow(overloaded);
    await expect(runtime.predictBatch(plan, ['good'])).rejects.toThrow(overloaded);
    expect(runtime.predictSync(plan, 'good')).toEqual(answers[0]);
    expect(await runtime.predict(quick, 'good')).toEqual(answers[0]); // this request does not wait
    expect(await batch).toEqual(answers);
    expect(await second).toEqual(answers.slice(0, 5));
    expect(queue()).toEqual({ ...nothing, refused: refused + 2 });
    expect(await runtime.predict(plan, 'good')).toEqual(answers[0]);
  });

  test('bytes beyond the limit are rejected immediately', async () => {
    const long = 'good '.repeat(300);
    const batch = runtime.predictBatch(plan, [long, 'good', 'good']);
    const second = runtime.predictBatch(plan, ['good', long, long]);
    expect(queue().bytes).toBe(long.length + 8);
    await expect(second).rejects.toThrow(
      expect.objectContaining({ message: expect.stringContaining('bytes, the limit is 3000') }),
    );
    expect(await batch).toEqual([{ output: [300] }, ...[1, 1].map((one) => ({ output: [one] }))]);
    expect(queue()).toMatchObject(nothing);
  });

  test('bytes of numbers, lists and dictionaries', async () => {
    const wide = flour.input('v', { kind: 'vector', dtype: 'float32', size: 3 });
    const program = flour.program({
      y: flour.dictionary('d').lookupKeys(['n']),
      v: wide,
    });
    const compiled = program.plan();
    const one = runtime.register({ ...compiled, nanosPerRow: 2e6 });
    const settled = runtime.predictBatch(one, [
      { d: { n: 1, mm: 2 }, v: [1, 2, 3] },
      { d: new Map([['n', 1]]), v: Float64Array.of(1, 2, 3) },
    ]);
    expect(queue().bytes).toBe(3 + 16 + 24 + 1 + 8 + 24);
    expect((await settled).map(({ y }) => y)).toEqual([[1], [1]]);
    runtime.unregister(one);
    compiled.release();
  });

  test('a failed batch leaves the queue', async () => {
    await expect(runtime.predictBatch(plan, ['good', 1 as never])).rejects.toThrow('row 1');
    await expect(runtime.predictBatch(plan, 7 as never)).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_RUNTIME_INPUT', message: expect.stringContaining('an array of rows') }),
    );
    await expect(runtime.predictBatch(plan, rows, { engine: 'gpu' as never })).rejects.toThrow(
      'request-response, batch',
    );
    expect(queue()).toMatchObject(nothing);
  });

  test('an invalid row of an expensive plan fails without waiting', async () => {
    const waiting = runtime.predictBatch(plan, rows);
    await expect(runtime.predict(plan, { text: 1 as never })).rejects.toMatchObject({ code: 'ERR_RUNTIME_INPUT' });
    expect(queue().rows).toBe(20);
    expect(await waiting).toEqual(answers);
  });

  describe('an abort', () => {
    test('before the call: nothing runs', async () => {
      const signal = AbortSignal.abort();
      for (const engine of ['request-response', 'batch', 'reference'] as const)
        await expect(runtime.predictBatch(plan, rows, { engine, signal })).rejects.toBe(signal.reason);
      await expect(runtime.predict(quick, 'good', { signal })).rejects.toMatchObject({ name: 'AbortError' });
      expect(queue()).toMatchObject(nothing);
    });

    test.each(['batch', 'reference'] as const)('between rows, by %s: rejects with its reason', async (engine) => {
      const reason = new Error('the client is gone');
      let aborted = 0;
      for (let round = 0; round < 50 && aborted === 0; round++) {
        const controller = new AbortController();
        const other = runtime.predictBatch(plan, rows.slice(0, 5));
        const batch = runtime.predictBatch(plan, rows, { engine, signal: controller.signal });
        const [settled] = await Promise.all([
          Promise.allSettled([batch]),
          setImmediate().then(() => controller.abort(reason)),
        ]);
        // executors may have answered all rows in one turn of a busy thread
        if (settled[0].status === 'fulfilled') expect(settled[0].value).toEqual(answers);
        else expect(settled[0].reason).toBe(reason);
        aborted += Number(settled[0].status === 'rejected');
        expect(await other).toEqual(answers.slice(0, 5));
        expect(queue()).toMatchObject(nothing);
        expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
      }
      expect(aborted).toBe(1);
    });

    test('of a long prediction that waits in the queue', async () => {
      const controller = new AbortController();
      const settled = expect(runtime.predict(plan, 'good', { signal: controller.signal })).rejects.toMatchObject({
        name: 'AbortError',
      });
      controller.abort();
      await settled;
      expect(queue()).toMatchObject(nothing);
    });

    test('after the answer changes nothing', async () => {
      const controller = new AbortController();
      expect(await runtime.predictBatch(plan, rows, { signal: controller.signal })).toEqual(answers);
      controller.abort();
    });
  });

  describe('a deadline', () => {
    test('between rows: ERR_RUNTIME_DEADLINE, with the number of answered rows', async () => {
      const signal = new AbortController().signal;
      const busy = runtime.predictBatch(plan, rows, { deadlineMs: 3, signal, engine: 'reference' });
      const settled = expect(busy).rejects.toThrow(late);
      await setImmediate();
      busyFor(5);
      await settled;
      await expect(busy).rejects.toThrow(/\d+ of 20 rows answered after [\d.]+ ms, deadlineMs 3/);
      expect(queue()).toMatchObject(nothing);
    });

    test('of a prediction that waits in the queue', async () => {
      const settled = expect(runtime.predict(plan, 'good', { deadlineMs: 1 })).rejects.toThrow(late);
      busyFor(2);
      await settled;
    });

    test('that does not pass', async () => {
      expect(await runtime.predictBatch(plan, rows, { deadlineMs: 1e6 })).toEqual(answers);
      expect(await runtime.predict(plan, 'good', { deadlineMs: Infinity })).toEqual(answers[0]);
    });
  });

  test.each([0, -1, Number.NaN, '5', null])('deadlineMs %s is rejected', async (deadlineMs) => {
    const options = { deadlineMs: deadlineMs as number };
    await expect(runtime.predict(quick, 'good', options)).rejects.toMatchObject({ code: 'ERR_RUNTIME_OPTION' });
    await expect(runtime.predictBatch(quick, rows, options)).rejects.toMatchObject({ code: 'ERR_RUNTIME_OPTION' });
  });

  test('a signal must be an AbortSignal', async () => {
    const options = { signal: new AbortController() as never };
    await expect(runtime.predict(quick, 'good', options)).rejects.toMatchObject({ code: 'ERR_RUNTIME_OPTION' });
  });

  test('a plan that is removed during a call', async () => {
    const going = runtime.register(slow, { name: 'going' });
    const settled = expect(runtime.predictBatch(going, rows, { engine: 'reference' })).rejects.toMatchObject({
      code: 'ERR_RUNTIME_UNKNOWN_PLAN',
    });
    await setImmediate();
    runtime.unregister(going);
    await settled;
    expect(queue()).toMatchObject(nothing);
  });
});

test.each([{ maxQueuedRows: 0 }, { maxQueuedRows: 1.5 }, { maxQueuedBytes: -1 }, { maxQueuedBytes: '9' as never }])(
  'limits %j are rejected',
  (limits) => {
    expect(() => createRuntime({ store: flour.store, limits })).toThrow(
      expect.objectContaining({ code: 'ERR_RUNTIME_OPTION' }),
    );
  },
);

test.each([undefined, null, {}, { store: 'models' }])('a runtime over %j is rejected', (options) => {
  expect(() => createRuntime(options as never)).toThrow(
    expect.objectContaining({
      code: 'ERR_RUNTIME_OPTION',
      message: expect.stringContaining('createRuntime({ store: flour.store })'),
    }),
  );
});
