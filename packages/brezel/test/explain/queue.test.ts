import { createFlour, createRuntime, vector } from 'brezel';
import { describe, expect, test } from 'vitest';
import { TickingClock } from '../../../../testing/ticking-clock.js';
import { turns } from '../../../../testing/turns.js';

type Flour = Awaited<ReturnType<typeof createFlour>>;
const sum = (flour: Flour) =>
  flour
    .input('x', vector('float32', 2))
    .linear({ weights: [1, 2] })
    .plan();
const x = { x: [1, 2] };
const nothing = { rows: 0, bytes: 0 };

describe('contributionsBatch and importance in the queue', () => {
  test('count rows until they are explained, so close waits for them', async () => {
    using flour = await createFlour();
    const runtime = createRuntime({ store: flour.store, executors: 0, clock: new TickingClock() });
    const plan = runtime.register(sum(flour));
    const batch = runtime.contributionsBatch(plan, new Array(50).fill(x));
    expect(runtime.stats().queue.rows).toBe(50);
    // The rows that importance has read are explained; then the plan is gone for further rows.
    const important = expect(runtime.importance(plan, new Array(100).fill(x))).rejects.toMatchObject({
      code: expect.stringMatching(/^ERR_RUNTIME_/),
    });
    await turns();
    expect(runtime.stats().queue.rows).toBe(50 + 64);
    const closed = runtime.close({ drainMs: 2 ** 31 - 1 });
    expect(await batch).toHaveLength(50);
    await closed;
    await important;
    expect(runtime.stats().queue).toMatchObject(nothing);
  });

  test('reject batches above the limits, and leave nothing in the queue', async () => {
    using flour = await createFlour();
    const limits = { maxQueuedRows: 10, maxQueuedBytes: 160 };
    await using runtime = createRuntime({ store: flour.store, executors: 0, limits, clock: new TickingClock() });
    const plan = runtime.register(sum(flour));
    const overloaded = { code: 'ERR_RUNTIME_OVERLOADED' };
    let reads = 0;
    const row = {
      get x() {
        reads++;
        return [1, 2];
      },
    };
    await expect(runtime.contributionsBatch(plan, new Array(11).fill(row))).rejects.toMatchObject(overloaded);
    expect(reads).toBe(0);
    const full = runtime.contributionsBatch(plan, new Array(10).fill(x));
    const more = [runtime.predict(plan, x, { contributions: true }), runtime.contributionsBatch(plan, [x])];
    await Promise.all(more.map((call) => expect(call).rejects.toMatchObject(overloaded)));
    expect(await full).toHaveLength(10);
    expect(runtime.stats().plans[0]!.calls).toMatchObject({ limited: 3, failed: 0 });
    expect(runtime.stats().queue).toEqual({ ...nothing, refused: 3 });
    // Like streams, importance reads its rows at its own pace, so they are never rejected.
    expect(await runtime.importance(plan, new Array(200).fill(x))).toMatchObject({ rows: 200 });
    await using small = createRuntime({ store: flour.store, executors: 0, limits: { maxQueuedBytes: 15 } });
    const tiny = small.register(sum(flour));
    await expect(small.contributionsBatch(tiny, [x])).rejects.toMatchObject(overloaded);
    expect(small.stats().queue).toMatchObject(nothing);
  });

  test('leave the queue after errors, deadlines and signals', async () => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0, clock: new TickingClock() });
    const plan = runtime.register(sum(flour));
    const rows = new Array(400).fill(x);
    await expect(runtime.contributionsBatch(plan, rows, { deadlineMs: 30 })).rejects.toMatchObject({
      code: 'ERR_RUNTIME_DEADLINE',
    });
    const control = new AbortController();
    const aborted = runtime.contributionsBatch(plan, rows, { signal: control.signal });
    const reading = runtime.importance(plan, rows, { signal: control.signal });
    control.abort(new Error('stopped'));
    await Promise.all([aborted, reading].map((call) => expect(call).rejects.toThrow('stopped')));
    const invalid = { code: 'ERR_RUNTIME_INPUT' };
    await expect(runtime.contributionsBatch(plan, [...rows, { x: [1] }])).rejects.toMatchObject(invalid);
    await expect(runtime.importance(plan, [x, { x: [1] }])).rejects.toMatchObject(invalid);
    await expect(runtime.contributionsBatch(plan, rows, { background: [] })).rejects.toMatchObject({
      code: 'ERR_RUNTIME_OPTION',
    });
    expect(runtime.stats().queue).toMatchObject(nothing);
  });
});

describe('the places of n-grams', () => {
  const limit = { code: 'ERR_EXPLAIN_LIMIT' };

  test.each(['wordNgram', 'hashNgram'] as const)('have a limit for a text (%s)', async (operator) => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const tokens = flour.columns({ text: 'string' }).select('text').tokenize();
    const grams =
      operator === 'wordNgram' ? tokens.wordNgram({ vocabulary: [['a'], ['b']] }) : tokens.hashNgram({ columns: 2 });
    const plan = runtime.register(grams.linear({ weights: [1, 2] }).plan());
    const explain = (words: number) => runtime.contributions(plan, { text: 'a '.repeat(words) });
    expect(() => explain(2 ** 19 + 1)).toThrow(expect.objectContaining(limit));
  });

  test('have a limit for a batch', async () => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const tokens = flour.columns({ text: 'string' }).select('text').tokenize();
    const plan = runtime.register(
      tokens
        .wordNgram({ vocabulary: [['a']] })
        .linear({ weights: [1] })
        .plan(),
    );
    // Each text has as many places as a text may have.
    const rows = new Array(3).fill({ text: 'a '.repeat(2 ** 19) });
    await expect(runtime.contributionsBatch(plan, rows)).rejects.toMatchObject({
      ...limit,
      details: { received: expect.stringMatching(/ in the first 3 rows/) },
    });
  });
});
