import { type AdaptiveBatching, type ExternalOptions, externalPredictor } from '@brezel/external';
import { createFlour, createRuntime } from 'brezel';
import { describe, expect, test } from 'vitest';
import { endAfterEach } from '../../../testing/end-after-each.js';
import { ManualClock } from '../../../testing/manual-clock.js';
import { turns } from '../../../testing/turns.js';
import { until } from '../../../testing/until.js';
import { type Answering, type Infer, send, startServer, sums } from './servers.js';

const flour = await createFlour();
const ends = endAfterEach();

async function model(batching: AdaptiveBatching, answer?: Answering, options: Partial<ExternalOptions> = {}) {
  const clock = new ManualClock();
  const server = await startServer(answer);
  ends.push(() => server.close());
  const urls = [server.url];
  const external = await externalPredictor({ urls, model: 'sums', clock, batching, concurrency: 1, ...options });
  ends.push(() => external.close());
  const runtime = createRuntime({ store: flour.store, backends: [external] });
  ends.push(() => runtime.close());
  const plan = runtime.register(external.program(flour).plan());
  const ask = (a: number, more = {}) => runtime.predict(plan, [a, 1], more);
  const sizes = () => server.requests.map(({ inputs }) => inputs[0]!.shape[0]);
  return { clock, server, external, runtime, plan, ask, sizes };
}

/** Returns a handler that answers a request when the test calls its function in `open`. */
function held() {
  const open: (() => void)[] = [];
  const answer: Answering = (infer, response) => open.push(() => send(response, sums(infer)));
  return { open, answer };
}

const hasRow = ({ inputs }: Infer, row: number) => inputs[0]!.data.some((value, at) => at % 2 === 0 && value === row);

describe('rows of concurrent calls share a request', () => {
  test('while the replica is busy', async () => {
    const { open, answer } = held();
    const { ask, sizes, external } = await model({ sloMs: 20, controller: 'fixed' }, answer, { maxBatch: 4 });
    const first = ask(0);
    await until(() => open.length === 1);
    const others = [1, 2, 3, 4, 5].map((a) => ask(a));
    await until(() => external.stats().waiting === 5);
    open[0]!();
    await until(() => open.length === 2);
    open[1]!();
    await until(() => open.length === 3);
    open[2]!();
    expect(await Promise.all([first, ...others])).toEqual([0, 1, 2, 3, 4, 5].map((a) => ({ y: a + 1 })));
    expect(sizes()).toEqual([1, 4, 1]);
    expect(external.stats()).toMatchObject({ waiting: 0, replicas: [{ requests: 3, rows: 6, batchSize: 4 }] });
  });

  test('up to maxWaitMs, or until the request is full', async () => {
    const batching = { sloMs: 20, controller: 'fixed', maxWaitMs: 5 } as const;
    const { ask, sizes, external, clock } = await model(batching, undefined, { maxBatch: 3 });
    const two = [ask(1), ask(2)];
    await until(() => external.stats().waiting === 2);
    clock.advance(4);
    await turns(5);
    expect(sizes()).toEqual([]);
    clock.advance(1);
    expect(await Promise.all(two)).toEqual([{ y: 2 }, { y: 3 }]);
    expect(await Promise.all([ask(1), ask(2), ask(3)])).toEqual([{ y: 2 }, { y: 3 }, { y: 4 }]);
    expect(sizes()).toEqual([2, 3]);
  });

  test('a long call is divided, and its rows keep their order', async () => {
    const { runtime, plan, sizes } = await model({ sloMs: 20, controller: 'fixed' }, undefined, { maxBatch: 8 });
    const rows = Array.from({ length: 20 }, (_, row) => [row, 1]);
    expect(await runtime.predictBatch(plan, rows)).toEqual(rows.map(([row]) => ({ y: row! + 1 })));
    expect(sizes()).toEqual([8, 8, 4]);
  });
});

test('the size follows the latency of the replica', async () => {
  let latencyMs = 1;
  const { runtime, plan, external, clock } = await model({ sloMs: 20 }, (infer, response) => {
    clock.advance(latencyMs);
    send(response, sums(infer));
  });
  const size = () => external.stats().replicas[0]!.batchSize;
  const rows = Array.from({ length: 100 }, (_, row) => [row, 1]);
  await runtime.predictBatch(plan, rows);
  const grown = size()!;
  expect(grown).toBeGreaterThan(10);
  latencyMs = 21;
  await runtime.predictBatch(plan, rows.slice(0, grown));
  expect(size()).toBe(Math.floor(grown * 0.9));
});

test('requests that calls cancel after the objective are late', async () => {
  const { open } = held();
  const { runtime, plan, external, clock } = await model({ sloMs: 20 }, (infer, response) => {
    if (infer.inputs[0]!.shape[0]! > 8) open.push(() => undefined);
    else send(response, sums(infer));
  });
  const size = () => external.stats().replicas[0]!.batchSize!;
  const rows = Array.from({ length: 36 }, (_, row) => [row, 1]);
  await runtime.predictBatch(plan, rows);
  expect(size()).toBe(9);
  const cancel = async (afterMs: number) => {
    const stop = new AbortController();
    const { length } = open;
    const call = runtime.predictBatch(plan, rows, { signal: stop.signal });
    await until(() => open.length > length);
    clock.advance(afterMs);
    stop.abort(new Error('too late'));
    await expect(call).rejects.toThrow('too late');
    await until(() => external.stats().replicas[0]!.outstanding === 0);
  };
  await cancel(20);
  expect(size()).toBe(9);
  await cancel(21);
  expect(size()).toBe(8);
  expect(await runtime.predictBatch(plan, rows.slice(0, 8))).toHaveLength(8);
});

test('an invalid row does not fail the rows of other calls', async () => {
  const { open } = held();
  const { ask, sizes, external } = await model({ sloMs: 20, controller: 'fixed' }, (infer, response) => {
    if (open.length === 0) return open.push(() => send(response, sums(infer)));
    return hasRow(infer, 13) ? send(response, { error: '13 is unlucky' }, 500) : send(response, sums(infer));
  });
  const first = ask(0);
  await until(() => open.length === 1);
  const others = Promise.allSettled([ask(1), ask(13), ask(2)]);
  await until(() => external.stats().waiting === 3);
  open[0]!();
  expect(await first).toEqual({ y: 1 });
  expect(await others).toMatchObject([
    { value: { y: 2 } },
    { reason: { code: 'ERR_EXTERNAL_REPLICA', message: expect.stringContaining('13 is unlucky') } },
    { value: { y: 3 } },
  ]);
  expect(sizes().slice(0, 2)).toEqual([1, 3]);
});

test('a canceled call does not cancel the others; the last one cancels the request', async () => {
  const { open } = held();
  const closed: unknown[] = [];
  const { ask, external } = await model({ sloMs: 20, controller: 'fixed', maxWaitMs: 0 }, (infer, response) => {
    response.on('close', () => closed.push(response.writableFinished));
    open.push(() => send(response, sums(infer)));
  });
  const first = ask(0);
  await until(() => open.length === 1);
  const stops = [1, 2, 3].map(() => new AbortController());
  const calls = stops.map(({ signal }, at) => ask(at, { signal }));
  const settled = Promise.allSettled(calls);
  await until(() => external.stats().waiting === 3);
  stops[0]!.abort(new Error('waiting'));
  await expect(calls[0]).rejects.toThrow('waiting');
  open[0]!();
  await first;
  await until(() => open.length === 2);
  stops[1]!.abort(new Error('in flight'));
  await expect(calls[1]).rejects.toThrow('in flight');
  expect(closed).toEqual([true]);
  stops[2]!.abort(new Error('last'));
  await until(() => closed.length === 2);
  expect(closed).toEqual([true, false]);
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(external.stats().replicas).toMatchObject([{ state: 'up', outstanding: 0 }]);
});

test('canceled rows do not count as waiting rows', async () => {
  const { open, answer } = held();
  const batching = { sloMs: 20, controller: 'fixed', maxWaitMs: 5 } as const;
  const { runtime, plan, ask, sizes, external, clock } = await model(batching, answer, { maxBatch: 4 });
  const stop = new AbortController();
  const rows = Array.from({ length: 7 }, (_, row) => [row, 1]);
  const canceled = [runtime.predictBatch(plan, rows, { signal: stop.signal }), ask(7, { signal: stop.signal })];
  const settled = Promise.allSettled(canceled);
  await until(() => open.length === 1); // a request contains four of the seven rows
  await until(() => external.stats().waiting === 2);
  stop.abort(new Error('canceled'));
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const outstanding = () => external.stats().replicas[0]!.outstanding;
  await until(() => outstanding() === 0);
  const later = ask(8);
  await until(() => external.stats().waiting + outstanding() === 1);
  await turns(5);
  expect(outstanding()).toBe(0);
  expect(sizes()).toEqual([4]);
  clock.advance(5);
  await until(() => open.length === 2);
  open[1]!();
  expect(await later).toEqual({ y: 9 });
});

test('close rejects the waiting rows, and the rows in flight are answered', async () => {
  const { open, answer } = held();
  const { ask, external } = await model({ sloMs: 20, controller: 'fixed' }, answer);
  const calls = [ask(1)];
  await until(() => open.length === 1);
  calls.push(ask(2), ask(3));
  const settled = Promise.allSettled(calls);
  await until(() => external.stats().waiting === 2);
  const closing = external.close();
  await expect(calls[2]).rejects.toMatchObject({ code: 'ERR_EXTERNAL_CLOSED' });
  open[0]!();
  await closing;
  expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
});

test('rows that wait for a timer are rejected when the predictor closes', async () => {
  const { ask, external } = await model({ sloMs: 20, controller: 'fixed', maxWaitMs: 20 });
  const call = ask(1);
  await until(() => external.stats().waiting === 1);
  await Promise.all([external.close(), expect(call).rejects.toMatchObject({ code: 'ERR_EXTERNAL_CLOSED' })]);
});

test('with maxWaiting 0, calls are answered while a replica is free', async () => {
  const { open, answer } = held();
  const { ask } = await model({ sloMs: 20, controller: 'fixed' }, answer, { maxWaiting: 0 });
  const first = ask(1);
  await until(() => open.length === 1);
  await expect(ask(2)).rejects.toMatchObject({ code: 'ERR_EXTERNAL_OVERLOADED' });
  open[0]!();
  expect(await first).toEqual({ y: 2 });
});

test('rows of a canceled call are not sent alone', async () => {
  const { open } = held();
  const { ask, external, sizes } = await model({ sloMs: 20, controller: 'fixed' }, (infer, response) => {
    const isWrong = infer.inputs[0]!.shape[0]! > 1;
    open.push(() => (isWrong ? send(response, { error: 'rows' }, 500) : send(response, sums(infer))));
  });
  const first = ask(0);
  await until(() => open.length === 1);
  const stop = new AbortController();
  const others = Promise.allSettled([ask(1), ask(2, { signal: stop.signal }), ask(3)]);
  await until(() => external.stats().waiting === 3);
  open[0]!();
  await first;
  await until(() => open.length === 2);
  open[1]!();
  await until(() => open.length === 3);
  stop.abort(new Error('enough'));
  open[2]!();
  await until(() => open.length === 4);
  open[3]!();
  expect(await others).toMatchObject([{ value: { y: 2 } }, { reason: { message: 'enough' } }, { value: { y: 4 } }]);
  expect(sizes()).toEqual([1, 3, 1, 1]);
  expect(external.stats().replicas).toMatchObject([{ outstanding: 0 }]);
});

test('if all replicas rest, waiting rows are rejected', async () => {
  const { ask, server, external } = await model({ sloMs: 20 });
  await server.close();
  const settled = await Promise.allSettled([ask(1), ask(2)]);
  expect(settled).toMatchObject([
    { reason: { code: 'ERR_EXTERNAL_UNAVAILABLE' } },
    { reason: { code: 'ERR_EXTERNAL_UNAVAILABLE' } },
  ]);
  expect(external.stats().waiting).toBe(0);
});

test.each([
  [{}, /sloMs/],
  [{ sloMs: 0 }, /sloMs/],
  [{ sloMs: Number.NaN }, /sloMs/],
  [{ sloMs: 20, controller: 'pid' }, /aimd, quantile, greedy, fixed/],
  [{ sloMs: 20, maxWaitMs: 21 }, /maxWaitMs/],
  [{ sloMs: 20, maxWait: 2 }, /maxWaitMs/],
  [7, /batching/],
])('rejects the option batching: %j', async (batching, message) => {
  const failed = externalPredictor({ urls: ['http://a'], model: 'a', batching: batching as never });
  await expect(failed).rejects.toMatchObject({ code: 'ERR_EXTERNAL_OPTION' });
  await expect(failed).rejects.toThrow(message);
});
