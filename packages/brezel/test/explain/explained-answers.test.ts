import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import {
  createFlour,
  createRegistry,
  createRuntime,
  importOnnx,
  type RegisteredPlan,
  type RegisterOptions,
  type Row,
  vector,
} from 'brezel';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TickingClock } from '../../../../testing/ticking-clock.js';
import { turns } from '../../../../testing/turns.js';

const bytes = readFileSync(new URL('../../../../examples/models/sa-fam-a-00.onnx', import.meta.url));
const rows = Array.from({ length: 40 }, (_, at) => ({ text: `Film ${at} was ${at % 3 === 0 ? 'not ' : ''}good.` }));

let flour: Awaited<ReturnType<typeof createFlour>>;
let runtime: ReturnType<typeof createRuntime>;
let plan: RegisteredPlan;
beforeAll(async () => {
  flour = await createFlour();
  runtime = createRuntime({ store: flour.store });
  plan = runtime.register(importOnnx(bytes, flour).program.plan() as never);
});
afterAll(async () => {
  await runtime.close();
  flour[Symbol.dispose]();
});

const choice = { output: 'probabilities', class: 1, top: 3 } as const;

describe('predictions with contributions', () => {
  test('return the answer of the plan and its explanation, for rows, batches and streams', async () => {
    const answers = rows.map((row) => runtime.predictSync(plan, row));
    const whys = rows.map((row) => runtime.contributions(plan, row, choice));
    const expected = answers.map((answer, row) => ({ answer, contributions: whys[row] }));
    expect(await runtime.predict(plan, rows[0]!, { contributions: choice })).toEqual(expected[0]);
    expect(await runtime.predict(plan, rows[0]!, { contributions: choice, engine: 'batch' })).toEqual(expected[0]);
    for (const engine of ['batch', 'request-response', 'reference'] as const)
      expect(await runtime.predictBatch(plan, rows, { contributions: choice, engine })).toEqual(expected);
    const streamed = [];
    for await (const one of runtime.predictStream(plan, rows, { contributions: choice, maxBatch: 7 }))
      streamed.push(one);
    expect(streamed).toEqual(expected);
    expect(await runtime.predictBatch(plan, [], { contributions: true })).toEqual([]);
  });

  test('with true explain the same as contributions without options', async () => {
    const { contributions } = await runtime.predict(plan, rows[3]!, { contributions: true });
    expect(contributions).toEqual(runtime.contributions(plan, rows[3]!));
  });

  test('with false return the answers alone', async () => {
    const answer = runtime.predictSync(plan, rows[0]!);
    expect(await runtime.predict(plan, rows[0]!, { contributions: false })).toEqual(answer);
    expect(await runtime.predictBatch(plan, [rows[0]!], { contributions: undefined })).toEqual([answer]);
    for await (const one of runtime.predictStream(plan, [rows[0]!], { contributions: false }))
      expect(one).toEqual(answer);
  });

  test('use the rows that the list had at the call', async () => {
    const list = rows.slice(0, 3);
    const pending = runtime.predictBatch(plan, list, { contributions: true });
    list.length = 0;
    expect(await pending).toHaveLength(3);
  });

  test('refuse invalid options', async () => {
    const call = (contributions: unknown) => runtime.predict(plan, rows[0]!, { contributions } as never);
    for (const wrong of ['yes', 1, null, [], () => true])
      await expect(call(wrong)).rejects.toMatchObject({ code: 'ERR_RUNTIME_OPTION' });
    await expect(call({ topp: 3 })).rejects.toThrow(/the option "contributions.top"/);
    await expect(call({ top: -1 })).rejects.toThrow(/an integer from 0/);
    await expect(runtime.predictBatch(plan, rows, { contribution: true } as never)).rejects.toThrow(/"contributions"/);
    await expect(runtime.predictBatch(plan, 'rows' as never, { contributions: true })).rejects.toThrow(/array of rows/);
    expect(() => runtime.predictStream(plan, 3 as never, { contributions: true })).toThrow(/iterable/);
    expect(() => runtime.predictStream(plan, rows, { contributions: { of: 1 } as never })).toThrow(/contributions.of/);
    await expect(call({ class: 2 })).rejects.toMatchObject({ code: 'ERR_EXPLAIN_OUTPUT' });
    const columns = runtime.predictColumns(plan, { text: [] } as never, { contributions: true } as never);
    await expect(columns).rejects.toThrow(/unknown option "contributions"/);
  });

  test('report the row of an error, and its index in a stream', async () => {
    const wrong: Row[] = [...rows];
    wrong[33] = { text: 3 } as never;
    const invalid = { code: 'ERR_RUNTIME_INPUT', details: { row: 33 } };
    await expect(runtime.predictBatch(plan, wrong, { contributions: true })).rejects.toMatchObject(invalid);
    const read = async () => {
      for await (const _ of runtime.predictStream(plan, wrong, { contributions: true, maxBatch: 8 }));
    };
    await expect(read()).rejects.toMatchObject(invalid);
  });

  test('end with the deadline and the signal', async () => {
    const clock = new TickingClock();
    await using timed = createRuntime({ store: flour.store, executors: 0, clock });
    const own = timed.register(importOnnx(bytes, flour).program.plan() as never) as RegisteredPlan;
    const many = Array.from({ length: 500 }, () => rows[0]!);
    await expect(timed.predictBatch(own, many, { contributions: true, deadlineMs: 30 })).rejects.toMatchObject({
      code: 'ERR_RUNTIME_DEADLINE',
    });
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(timed.predict(own, rows[0]!, { contributions: true, signal })).rejects.toThrow('stopped');
    expect(await timed.predictBatch(own, [rows[0]!], { contributions: true, deadlineMs: 1e6 })).toHaveLength(1);
  });

  test('fail for a plan that was removed', async () => {
    await using own = createRuntime({ store: flour.store, executors: 0 });
    const removed = own.register(sum());
    own.unregister(removed);
    await expect(own.predict(removed, { x: [1, 2] }, { contributions: true })).rejects.toMatchObject({
      code: 'ERR_RUNTIME_UNKNOWN_PLAN',
    });
  });
});

const sum = () =>
  flour
    .input('x', vector('float32', 2))
    .linear({ weights: [1, 1], bias: [0] })
    .plan();

describe('an answer and its explanation', () => {
  test('describe the values that the row had at the call', async () => {
    await using own = createRuntime({ store: flour.store, executors: 0 });
    const score = own.register(sum()) as RegisteredPlan;
    const same = { answer: { output: [3] }, contributions: { answer: 3 } };
    const values = [
      () => new Float32Array([1, 2]),
      () => new Float64Array([1, 2]),
      () => new Float64Array(new SharedArrayBuffer(16)).map((_, at) => at + 1),
      () => [1, 2],
    ];
    for (const make of values)
      for (const asRow of [(x: unknown) => ({ x }), (x: unknown) => x])
        for (const engine of [undefined, 'batch'] as const) {
          const x = make();
          const one = own.predict(score, asRow(x) as Row, { contributions: true, ...(engine && { engine }) });
          const many = own.predictBatch(score, [asRow(x) as Row], { contributions: true });
          x[0] = 100;
          expect(await one).toMatchObject(same);
          expect(await many).toMatchObject([same]);
        }
    const row = { x: [1, 2] };
    const stream = own.predictStream(score, [row], { contributions: true });
    expect(await stream.next()).toMatchObject({ value: same });
    const pending = own.predictBatch(score, [row], { contributions: true });
    row.x = [5, 6];
    expect(await pending).toMatchObject([same]);
  });

  test('describe the same values while the caller changes many rows', async () => {
    await using own = createRuntime({ store: flour.store, executors: 0, clock: new TickingClock() });
    const score = own.register(sum()) as RegisteredPlan;
    const list = Array.from({ length: 400 }, () => ({ x: new Float32Array([1, 2]) }));
    let isDone = false;
    const change = () => {
      for (const { x } of list) x[0]! += 1;
      if (!isDone) setImmediate(change);
    };
    setImmediate(change);
    const answers = await own.predictBatch(score, list, { contributions: true });
    isDone = true;
    for (const { answer, contributions } of answers) expect(contributions.answer).toBe((answer.output as number[])[0]);
  });

  test('read the getters of a row once', async () => {
    await using own = createRuntime({ store: flour.store, executors: 0 });
    const score = own.register(sum()) as RegisteredPlan;
    let reads = 0;
    const row = {
      get x() {
        reads++;
        return [reads, 2];
      },
    };
    for (const call of [
      () => own.predict(score, row, { contributions: true }),
      async () => (await own.predictBatch(score, [row], { contributions: true }))[0],
      async () => (await own.predictStream(score, [row], { contributions: true }).next()).value,
    ]) {
      reads = 0;
      expect(await call()).toMatchObject({ answer: { output: [3] }, contributions: { answer: 3 } });
      expect(reads).toBe(1);
    }
  });

  test('exist for every kind of value', async () => {
    const columns = flour.columns({ n: 'int64', t: 'string' });
    const every = flour.program({
      n: columns.select('n').asVector(),
      t: columns
        .select('t')
        .tokenize()
        .wordNgram({ vocabulary: [['good']] })
        .linear({ weights: [1] }),
    });
    await using own = createRuntime({ store: flour.store, executors: 0 });
    const plan = own.register(every.plan() as never) as RegisteredPlan;
    const t = new TextEncoder().encode('good');
    const row = { n: 2n ** 62n + 1n, t } as never;
    const options = { contributions: { output: 't' } };
    const pending = own.predict(plan, row, options);
    t[0] = 65;
    expect(await pending).toMatchObject({
      answer: { t: [1] },
      contributions: { answer: 1, contributions: [{ feature: 'good', value: 1 }] },
    });
    const same = { n: 2n ** 62n + 1n, t: 'good' } as never;
    expect((await pending).answer).toEqual(await own.predict(plan, same));
  });

  test('fail with the error of the row as without an explanation', async () => {
    await using own = createRuntime({ store: flour.store, executors: 0 });
    const score = own.register(sum()) as RegisteredPlan;
    const mine = new TypeError('mine');
    const wrong: unknown[] = [
      { x: [1] },
      { x: [1, 'two'] },
      { x: null },
      {},
      { x: [1, 2], y: 1 },
      [1, 2, 3],
      'text',
      null,
      undefined,
      3,
      {
        get x() {
          throw mine;
        },
      },
    ];
    const errorOf = (call: Promise<unknown>) =>
      call.then(
        () => undefined,
        ({ code, message, details }) => ({ code, message, details }),
      );
    for (const row of wrong as Row[])
      for (const engine of ['batch', 'request-response'] as const) {
        const plain = await errorOf(own.predict(score, row, { engine }));
        expect(plain).toMatchObject({ code: 'ERR_RUNTIME_INPUT' });
        expect(await errorOf(own.predict(score, row, { engine, contributions: true }))).toEqual(plain);
        const rows = [{ x: [1, 2] }, row];
        const batch = await errorOf(own.predictBatch(score, rows, { engine }));
        expect(await errorOf(own.predictBatch(score, rows, { engine, contributions: true }))).toEqual(batch);
      }
    const later = { x: [1] };
    const pending = own.predict(score, later, { contributions: true, engine: 'batch' });
    later.x = [1, 2];
    await expect(pending).rejects.toMatchObject({ code: 'ERR_RUNTIME_INPUT' });
  });
});

describe('the queue', () => {
  const nothing = { rows: 0, bytes: 0 };
  const cases: [string, RegisterOptions, 'batch' | 'request-response' | undefined][] = [
    ['by default', {}, undefined],
    ['in blocks', {}, 'batch'],
    ['row by row', {}, 'request-response'],
    ['with delayed batching', { batching: { maxDelayMs: 0 } }, undefined],
  ];

  test.each(cases)('counts rows until they are explained, so close waits for them, %s', async (_, register, engine) => {
    const own = createRuntime({ store: flour.store, executors: 0, clock: new TickingClock() });
    const score = own.register(sum(), register) as RegisteredPlan;
    const x = { x: [1, 2] };
    const options = { contributions: true, ...(engine && { engine }) } as const;
    const one = own.predict(score, x, options);
    const many = own.predictBatch(score, new Array(50).fill(x), options);
    expect(own.stats().queue.rows).toBe(51);
    const stream = own.predictStream(score, new Array(30).fill(x), { contributions: true });
    const first = stream.next();
    await turns();
    const closed = own.close({ drainMs: 2 ** 31 - 1 });
    const same = { answer: { output: [3] }, contributions: { answer: 3 } };
    expect(await one).toMatchObject(same);
    expect(await many).toMatchObject(new Array(50).fill(same));
    expect(await first).toMatchObject({ value: same });
    await closed;
    expect(own.stats().queue).toMatchObject(nothing);
  });

  test('rejects rows above its limits before it copies them, and counts each row once', async () => {
    const limits = { maxQueuedRows: 10, maxQueuedBytes: 160 };
    await using own = createRuntime({ store: flour.store, executors: 0, limits });
    const score = own.register(sum()) as RegisteredPlan;
    const x = { x: [1, 2] };
    expect(await own.predictBatch(score, new Array(10).fill(x), { contributions: true })).toHaveLength(10);
    let reads = 0;
    const read = {
      get x() {
        reads++;
        return [1, 2];
      },
    };
    const overloaded = { code: 'ERR_RUNTIME_OVERLOADED' };
    await expect(own.predictBatch(score, new Array(11).fill(read), { contributions: true })).rejects.toMatchObject(
      overloaded,
    );
    expect(reads).toBe(0);
    const full = own.predictBatch(score, new Array(10).fill(x), { contributions: true });
    await expect(own.predict(score, x, { contributions: true })).rejects.toMatchObject(overloaded);
    expect(await full).toHaveLength(10);
    expect(own.stats().plans[0]!.calls).toMatchObject({ limited: 2, failed: 0 });
    expect(own.stats().queue).toEqual({ ...nothing, refused: 2 });
    await using small = createRuntime({ store: flour.store, executors: 0, limits: { maxQueuedBytes: 15 } });
    const tiny = small.register(sum()) as RegisteredPlan;
    await expect(small.predictBatch(tiny, [x], { contributions: true })).rejects.toMatchObject(overloaded);
    expect(small.stats().queue).toMatchObject(nothing);
  });

  test('does not count the own rows of a call when the engine is selected', async () => {
    await using own = createRuntime({ store: flour.store, executors: 0 });
    const score = own.register({ ...sum(), nanosPerRow: 5e5 }, { engine: 'auto' }) as RegisteredPlan;
    const choices: unknown[] = [];
    const onStart = (message: unknown) => choices.push((message as { choice: unknown }).choice);
    subscribe('brezel:predict:start', onStart);
    await own.predict(score, { x: [1, 2] }, { contributions: true });
    unsubscribe('brezel:predict:start', onStart);
    expect(choices).toMatchObject([{ engine: 'request-response', queuedRows: 0 }]);
  });
});

/** A forest without covers, as ONNX files have it: predictions work, and explanations fail. */
const bare = {
  feature: Int32Array.of(0, 0, 0),
  threshold: Float32Array.of(1, 0, 0),
  mode: Int32Array.of(0, 6, 6),
  trueChild: Int32Array.of(2, 0, 0),
  falseChild: Int32Array.of(1, 0, 0),
  missingTrue: new Int32Array(3),
  roots: Int32Array.of(0),
  leafStart: Int32Array.of(0, 0, 1, 2),
  leafTarget: Int32Array.of(0, 0),
  leafWeight: Float32Array.of(1, 8),
  base: Float32Array.of(0),
};

describe('a registry', () => {
  test('explains answers by reference, and its shadow compares plain answers', async () => {
    await using registry = await createRegistry();
    using own = await createFlour({ store: registry.store });
    const build = (weight: number) =>
      own
        .input('x', vector('float32', 2))
        .linear({ weights: [weight, 2], bias: 0.5 })
        .plan();
    for (const version of [1, 2]) registry.add('score', build(version), { version });
    const compared = new Promise((resolve) => registry.once('shadow', resolve));
    registry.shadow('score', { to: 2 });
    const explained = await registry.predict('score@1', { x: [1, 3] }, { contributions: { top: 1 } });
    expect(explained).toMatchObject({
      answer: { output: [7.5] },
      contributions: { raw: 7.5, base: 0.5, rest: 1, contributions: [{ index: 1, value: 6 }] },
    });
    const byAlias = await registry.predict('score', { x: [1, 3] }, { contributions: true });
    expect(byAlias.answer).toEqual({ output: [7.5] });
    expect(await compared).toMatchObject({ answer: { output: [7.5] }, shadowAnswer: { output: [8.5] } });
    const route = registry.route('score@2');
    const [first] = await route.predictBatch([{ x: [1, 3] }], { contributions: true });
    expect(first).toMatchObject({ answer: { output: [8.5] }, contributions: { raw: 8.5 } });
    expect(await registry.predictBatch('score@2', [{ x: [1, 3] }], { contributions: true })).toEqual([first]);
    expect(await registry.typed().predict('score@2', { x: [1, 3] }, { contributions: true })).toEqual(first);
    const wrong = { contributions: { topp: 1 } } as never;
    await expect(registry.predict('score', { x: [1, 3] }, wrong)).rejects.toThrow(/contributions.top/);
    await expect(route.load({ contributions: true } as never)).rejects.toMatchObject({ code: 'ERR_REGISTRY_OPTION' });
  });

  test('does not start a quarantine when an explanation fails', async () => {
    await using registry = await createRegistry({ quarantineAfter: 1 });
    using own = await createFlour({ store: registry.store });
    registry.add('forest', own.input('x', vector('float32', 1)).treeEnsemble(bare).plan());
    for (let time = 0; time < 3; time++)
      await expect(registry.predict('forest', { x: [2] }, { contributions: true })).rejects.toMatchObject({
        code: 'ERR_EXPLAIN_COVERS',
      });
    expect(await registry.predict('forest', { x: [2] })).toEqual({ output: [1] });
  });
});
