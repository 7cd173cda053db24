import { vector } from '@brezel/core';
import type { Flow, Row } from 'brezel';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { turns } from '../../../../testing/turns.js';
import { dear, flour, hasAddon, numberPlan, oneByOne, rejection, runtimeWith, textPlan, textRows } from './fleets.js';

/** Batches on executors, from zero rows to the end of the runtime. */

const compiled = dear(textPlan(), 100);
const numbers = dear(numberPlan(), 100);
const rows = textRows(3000);
const answers = oneByOne(compiled, rows);
let runtime = runtimeWith(2);
let plan = runtime.register(compiled);

beforeEach(() => {
  runtime = runtimeWith(2);
  plan = runtime.register(compiled);
});
afterEach(() => runtime.close());
afterAll(() => {
  compiled.release();
  numbers.release();
  flour.dispose();
});

describe.skipIf(!hasAddon)('batches', () => {
  test.each([0, 1, 2, 99, 100, 101, 1000, 3000])('of %i rows', async (count) => {
    expect(await runtime.predictBatch(plan, rows.slice(0, count))).toEqual(answers.slice(0, count));
    // The calling thread answers small batches.
    expect(runtime.stats().executors.shared.rows).toBe(count < 100 ? 0 : count);
    expect(runtime.stats().queue).toMatchObject({ rows: 0, bytes: 0 });
  });

  test('of several plans run concurrently', async () => {
    const others = [1, 2, 3].map((n) => dear(textPlan(n), 100));
    const all = [plan, ...others.map((other) => runtime.register(other))];
    const wanted = [compiled, ...others].map((one) => oneByOne(one, rows.slice(0, 400)));
    const batches = Array.from({ length: 40 }, (_, at) => runtime.predictBatch(all[at % 4]!, rows.slice(0, 400)));
    for (const [at, batch] of batches.entries()) expect(await batch).toEqual(wanted[at % 4]);
    for (const other of others) other.release();
  });

  test('of rows that change during the call give the answers of the original rows', async () => {
    const given = [...rows];
    const batch = runtime.predictBatch(plan, given);
    given.fill('something else');
    given.length = 5;
    expect(await batch).toEqual(answers);
  });

  test('of many wide rows, which are copied in pieces, give the answers of the original rows', async () => {
    const v = flour.input('v', vector('float32', 50)) as Flow<'vector'>;
    const wide = dear(v.linear({ weights: Float32Array.from({ length: 50 }, (_, at) => at) }).plan(), 100);
    const many = Array.from({ length: 20_000 }, (_, row) => ({ v: new Array(50).fill(0).with(row % 50, row) }));
    const given = [...many];
    const batch = runtime.predictBatch(runtime.register(wide), given);
    given.fill({ v: [] });
    expect(await batch).toEqual(many.map((_, row) => ({ output: [row * (row % 50)] })));
    wide.release();
  });

  test('of rows with typed arrays', async () => {
    const given = Array.from({ length: 500 }, (_, at) => ({ x: Float64Array.of(at, 1, -at, 0.5) }));
    const want = oneByOne(numbers, given);
    const registered = runtime.register(numbers);
    expect(await runtime.predictBatch(registered, given)).toEqual(want);
  });

  test('can start in the callback or in a getter of another batch', async () => {
    const inner: unknown[] = [];
    const curious = rows.slice(0, 300).map(
      (text, at): Row => ({
        get text() {
          if (at % 100 === 50)
            inner.push(runtime.predictSync(plan, 'good'), runtime.predictBatch(plan, rows.slice(0, 200)));
          return text;
        },
      }),
    );
    const outer = await runtime.predictBatch(plan, curious).then(async (all) => {
      expect(await runtime.predictBatch(plan, rows.slice(0, 150))).toEqual(answers.slice(0, 150));
      return all;
    });
    expect(outer).toEqual(answers.slice(0, 300));
    expect(await Promise.all(inner)).toEqual(
      [0, 1, 2].flatMap(() => [runtime.predictSync(plan, 'good'), answers.slice(0, 200)]),
    );
  });

  test('over 100 plans', async () => {
    const hundred = Array.from({ length: 100 }, (_, n) => dear(textPlan(n), 100));
    const all = hundred.map((one) => runtime.register(one));
    const sample = rows.slice(0, 100);
    const got = await Promise.all(all.map((one) => runtime.predictBatch(one, sample)));
    for (const n of [0, 1, 50, 98, 99]) expect(got[n]).toEqual(oneByOne(hundred[n]!, sample));
    expect(new Set(got.map((batch) => JSON.stringify(batch))).size).toBe(100);
    for (const one of hundred) one.release();
  });
});

describe.skipIf(!hasAddon)('an invalid row', () => {
  const bytes = (...values: number[]) => Uint8Array.from(values);
  const bad: [string, Row][] = [
    ['of another type', { text: 5 }],
    ['without its field', {}],
    ['no UTF-8', { text: bytes(0xff, 0xfe) }],
    ['too long', { text: 'x'.repeat(2000) }],
  ];

  test.each(bad)('%s: the same error as on the calling thread', async (_, row) => {
    const short = runtime.register(compiled, { name: 'short', maxInputBytes: 1500 });
    for (const at of [0, 128, 1999]) {
      const given = rows.slice(0, 2000).with(at, row).with(1999, row);
      const other = runtime.predictBatch(short, rows.slice(0, 500));
      const got = await rejection(runtime.predictBatch(short, given));
      const inline = runtimeWith(0);
      const want = await rejection(
        inline.predictBatch(inline.register(compiled, { name: 'short', maxInputBytes: 1500 }), given),
      );
      expect([got.code, got.message]).toEqual([want.code, want.message]);
      expect(got.message).toContain(`row ${at}`);
      expect(await other).toEqual(answers.slice(0, 500));
      await inline.close();
    }
    runtime.unregister(short);
  });

  test('of several invalid rows, the first is reported; rows that do not match the schema come before rows that the addon rejects', async () => {
    const refused = rows.with(7, { text: bytes(0xff) }).with(300, { text: bytes(0xff) });
    expect((await rejection(runtime.predictBatch(plan, refused))).message).toContain('row 7');
    expect((await rejection(runtime.predictBatch(plan, refused.with(2900, { text: 1 })))).message).toContain(
      'row 2900',
    );
  });

  test('that a kernel rejects', async () => {
    const colour = flour.columns({ text: 'string' }).select('text');
    const list = dear(
      colour
        .oneHot({ categories: ['red', 'green'], unknown: 'error' })
        .linear({ weights: [1, 2] })
        .plan(),
      100,
    );
    const one = runtime.register(list);
    const given: Row[] = Array.from({ length: 400 }, (_, at) => (at % 3 === 0 ? 'red' : 'green'));
    expect(await runtime.predictBatch(one, given)).toEqual(oneByOne(list, given));
    const got = await rejection(runtime.predictBatch(one, given.with(390, 'blue').with(333, 'black')));
    expect(got).toMatchObject({ code: 'ERR_RUNTIME_INPUT' });
    expect(got.message).toContain('row 333');
    expect(got.message).toContain('an unknown category');
    list.release();
  });
});

describe.skipIf(!hasAddon)('the end of a batch', () => {
  test('an abort ends the batch immediately with its reason, and other batches continue', async () => {
    const controller = new AbortController();
    const reason = new Error('gone');
    const aborted = rejection(runtime.predictBatch(plan, rows, { signal: controller.signal }));
    const other = runtime.predictBatch(plan, rows);
    await turns();
    controller.abort(reason);
    expect(await aborted).toBe(reason);
    expect(await other).toEqual(answers);
    expect(runtime.stats().queue).toMatchObject({ rows: 0, bytes: 0 });
  });

  test('a deadline', async () => {
    const many = Array.from({ length: 50 }, () => rows).flat();
    const late = await rejection(runtime.predictBatch(plan, many, { deadlineMs: 2 }));
    expect(late).toMatchObject({ code: 'ERR_RUNTIME_DEADLINE' });
    expect(late.message).toMatch(/\d+ of 150000 rows answered after/);
    expect(await runtime.predictBatch(plan, rows, { deadlineMs: 1e6 })).toEqual(answers);
  });

  test('removing a plan ends its batches only', async () => {
    const again = runtime.register(compiled, { name: 'again' });
    const gone = [1, 2, 3].map(() => rejection(runtime.predictBatch(plan, rows)));
    const other = runtime.predictBatch(again, rows);
    await turns();
    runtime.unregister(plan);
    for (const one of gone) expect(await one).toMatchObject({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' });
    expect(await other).toEqual(answers);
  });

  test('too many rows', async () => {
    const small = runtimeWith(2, { limits: { maxQueuedRows: 4000 } });
    const one = small.register(compiled);
    const first = small.predictBatch(one, rows);
    expect(await rejection(small.predictBatch(one, rows))).toMatchObject({ code: 'ERR_RUNTIME_OVERLOADED' });
    expect(await first).toEqual(answers);
    expect(await small.predictBatch(one, rows)).toEqual(answers);
    expect(small.stats().queue).toEqual({ rows: 0, bytes: 0, refused: 1 });
    await small.close();
  });

  test('the runtime is closed', async () => {
    const batches = [1, 2, 3].map(() => rejection(runtime.predictBatch(plan, rows)));
    await turns();
    await runtime.close();
    for (const one of batches) expect(await one).toMatchObject({ code: 'ERR_RUNTIME_CLOSED' });
    expect(await rejection(runtime.predictBatch(plan, rows))).toMatchObject({ code: 'ERR_RUNTIME_CLOSED' });
    await runtime.close(); // a second close changes nothing
  });

  test('a runtime that drains answers started batches and starts no new batch', async () => {
    const batch = runtime.predictBatch(plan, rows);
    const closing = runtime.close({ drainMs: 10_000 });
    expect(await rejection(runtime.predictBatch(plan, rows))).toMatchObject({ code: 'ERR_RUNTIME_CLOSED' });
    expect(() => runtime.predictSync(plan, 'good')).toThrow(/closed/);
    expect(await batch).toEqual(answers);
    await closing;
  });

  test('the runtime drains for at most drainMs', async () => {
    const many = Array.from({ length: 40 }, () => rows).flat();
    const batch = rejection(runtime.predictBatch(plan, many));
    await runtime.close({ drainMs: 2 });
    expect(await batch).toMatchObject({ code: 'ERR_RUNTIME_CLOSED' });
    expect(await rejection(runtime.close({ drainMs: -1 }))).toMatchObject({ code: 'ERR_RUNTIME_OPTION' });
  });
});

describe.skipIf(!hasAddon)('memory', () => {
  test('does not grow over forty batches after the warm-up', async () => {
    const counters = () => {
      const { inputGrows, inputOverflows, shared } = runtime.stats().executors;
      return { inputGrows, overflows: inputOverflows + shared.overflows, grows: shared.grows, chunks: shared.chunks };
    };
    for (let batch = 0; batch < 10; batch++) await runtime.predictBatch(plan, rows);
    const before = counters();
    expect(before.inputGrows * before.grows).toBeGreaterThan(0);
    for (let batch = 0; batch < 40; batch++) await runtime.predictBatch(plan, rows);
    const after = counters();
    expect(after.chunks - before.chunks).toBeGreaterThan(2000);
    expect(after.overflows).toBe(0);
    // A buffer may still grow at its first longer text, and when a thread that was idle runs its
    // first chunks. If buffers grew with each chunk, they would grow about as often as there are
    // chunks.
    const chunks = after.chunks - before.chunks;
    expect(after.inputGrows - before.inputGrows).toBeLessThan(chunks / 10);
    expect(after.grows - before.grows).toBeLessThan(chunks / 10);
  });

  test('of unusually large rows is freed and counted', async () => {
    const large = runtime.register({ ...compiled, nanosPerRow: 1e6 }, { name: 'large' });
    const long = 'good film '.repeat(900_000);
    expect(await runtime.predictBatch(large, [long, long])).toEqual(oneByOne(compiled, [long, long]));
    expect(runtime.stats().executors.inputOverflows).toBeGreaterThan(0);
  });
});
