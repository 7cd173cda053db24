import { type ExternalOptions, externalPredictor } from '@brezel/external';
import { createFlour, createRuntime } from 'brezel';
import { expect, test } from 'vitest';
import { endAfterEach } from '../../../testing/end-after-each.js';
import { until } from '../../../testing/until.js';
import { type Answering, type Infer, send, startServer, sums } from './servers.js';

const flour = await createFlour();
const ends = endAfterEach();

async function model(answer?: Answering, options: Partial<ExternalOptions> = {}) {
  const server = await startServer(answer);
  ends.push(() => server.close());
  const external = await externalPredictor({ urls: [server.url], model: 'sums', deterministic: true, ...options });
  ends.push(() => external.close());
  const runtime = createRuntime({ store: flour.store, backends: [external] });
  ends.push(() => runtime.close());
  const plan = runtime.register(external.program(flour).plan());
  const ask = (a: number, more = {}) => runtime.predict(plan, [a, 1], more);
  const rows = () => server.requests.map(({ inputs }) => inputs[0]!.data.filter((_, at) => at % 2 === 0));
  return { server, external, runtime, plan, ask, rows, cache: () => external.stats().cache! };
}

function held() {
  const open: (() => void)[] = [];
  const answer: Answering = (infer, response) => open.push(() => send(response, sums(infer)));
  return { open, answer };
}

test('an equal row is not sent again, and answers are independent objects', async () => {
  const { ask, runtime, plan, rows, cache } = await model();
  const first = await ask(1);
  (first as { y: number }).y = 99;
  expect(await ask(1)).toEqual({ y: 2 });
  const batch = [1, 2, 2, 3, -0, 0].map((a) => [a, 1]);
  expect(await runtime.predictBatch(plan, batch)).toEqual([2, 3, 3, 4, 1, 1].map((y) => ({ y })));
  // -0 and 0 have different bits, so each is sent.
  expect(rows()).toEqual([[1], [2, 3, -0, 0]]);
  expect(cache()).toMatchObject({ hits: 2, joined: 1, misses: 5, entries: 5 });
});

test('concurrent equal rows wait for one computation', async () => {
  const { open, answer } = held();
  const { ask, runtime, plan, rows, cache } = await model(answer);
  const calls = [ask(1), ask(1), ask(1)];
  await until(() => cache().joined === 2 && open.length === 1);
  const batch = runtime.predictBatch(plan, [
    [1, 1],
    [2, 1],
  ]);
  await until(() => open.length === 2);
  for (const one of open) one();
  expect(await Promise.all(calls)).toEqual([{ y: 2 }, { y: 2 }, { y: 2 }]);
  expect(await batch).toEqual([{ y: 2 }, { y: 3 }]);
  expect(rows()).toEqual([[1], [2]]);
});

test('a canceled call does not cancel the computation for the others', async () => {
  const { open } = held();
  const closed: boolean[] = [];
  const { ask, cache, external } = await model((infer, response) => {
    response.on('close', () => closed.push(response.writableFinished));
    open.push(() => send(response, sums(infer)));
  });
  const stop = new AbortController();
  const [owner, joiner] = [ask(1, { signal: stop.signal }), ask(1)];
  await until(() => cache().joined === 1 && open.length === 1);
  stop.abort(new Error('enough'));
  await expect(owner).rejects.toThrow('enough');
  open[0]!();
  expect(await joiner).toEqual({ y: 2 });
  // The last call that waits cancels the request, and nothing is cached.
  const last = new AbortController();
  const canceled = ask(2, { signal: last.signal });
  await until(() => open.length === 2);
  last.abort(new Error('last'));
  await expect(canceled).rejects.toThrow('last');
  await until(() => closed.length === 2);
  expect(closed).toEqual([true, false]);
  const again = ask(2);
  await until(() => open.length === 3);
  open[2]!();
  expect(await again).toEqual({ y: 3 });
  expect(external.stats().replicas).toMatchObject([{ state: 'up', outstanding: 0 }]);
});

test('errors are not cached, and a call gets only the error of its own rows', async () => {
  const { open } = held();
  const has13 = ({ inputs }: Infer) => inputs[0]!.data.some((value) => value === 13);
  const { runtime, plan, ask, rows, cache } = await model((infer, response) => {
    const answer = () => (has13(infer) ? send(response, { error: 'unlucky' }, 500) : send(response, sums(infer)));
    if (open.length === 0) open.push(answer);
    else answer();
  });
  const owner = runtime.predictBatch(plan, [
    [13, 1],
    [1, 1],
  ]);
  const failed = expect(owner).rejects.toMatchObject({ code: 'ERR_EXTERNAL_REPLICA' });
  await until(() => open.length === 1);
  const joiner = ask(1);
  await until(() => cache().joined === 1);
  open[0]!();
  await failed;
  expect(await joiner).toEqual({ y: 2 });
  expect(rows()).toEqual([[13, 1], [1]]);
  await expect(ask(13)).rejects.toMatchObject({ code: 'ERR_EXTERNAL_REPLICA' });
  expect(cache()).toMatchObject({ entries: 1 });
});

test('after a failed computation, the calls that wait share the next one', async () => {
  const { open, answer } = held();
  const { ask, rows, cache, server } = await model(answer);
  server.answer = (_, response) => open.push(() => send(response, { error: 'busy' }, 500));
  const calls = Array.from({ length: 10 }, () => ask(1));
  const settled = Promise.allSettled(calls);
  await until(() => cache().joined === 9 && open.length === 1);
  server.answer = answer;
  open[0]!();
  await until(() => open.length === 2 && cache().joined === 9 + 8);
  open[1]!();
  const [failed, ...others] = await settled;
  expect(failed).toMatchObject({ reason: { code: 'ERR_EXTERNAL_REPLICA' } });
  expect(others).toEqual(others.map(() => ({ status: 'fulfilled', value: { y: 2 } })));
  expect(rows()).toEqual([[1], [1]]);
  expect(cache()).toMatchObject({ misses: 2 });
});

test('if each computation fails, each call gets an error', async () => {
  const { ask, cache } = await model((_, response) => send(response, { error: 'broken' }, 500));
  const settled = await Promise.allSettled(Array.from({ length: 10 }, () => ask(1)));
  for (const one of settled) expect(one).toMatchObject({ reason: { code: 'ERR_EXTERNAL_REPLICA' } });
  expect(cache()).toMatchObject({ misses: 10, entries: 0 });
});

test('the oldest rows that were not read again are evicted', async () => {
  const { ask, rows, cache } = await model(undefined, { cacheBytes: 1024 });
  for (const a of [1, 2, 3, 4]) await ask(a);
  expect(cache()).toMatchObject({ entries: 4 });
  await ask(1);
  await ask(5);
  expect(cache()).toMatchObject({ entries: 4 });
  expect(cache().bytes).toBeLessThanOrEqual(1024);
  await ask(1);
  await ask(2);
  expect(rows()).toEqual([[1], [2], [3], [4], [5], [2]]);
});

test('rows that were read again stay in the cache when many other rows are read once', async () => {
  const { ask, rows, cache } = await model(undefined, { cacheBytes: 1024 });
  for (const a of [1, 2, 1, 2]) await ask(a);
  for (let a = 10; a < 30; a++) await ask(a);
  const sent = rows().length;
  expect(cache().bytes).toBeLessThanOrEqual(1024);
  for (const a of [1, 2]) await ask(a);
  expect(rows().length).toBe(sent);
});

test('with batching, the missing rows of concurrent calls share a request', async () => {
  const { open, answer } = held();
  const batching = { sloMs: 20, controller: 'fixed' } as const;
  const { ask, rows, cache, external } = await model(answer, { batching, concurrency: 1 });
  const first = ask(0);
  await until(() => open.length === 1);
  const others = [ask(1), ask(2), ask(1)];
  await until(() => cache().joined === 1 && external.stats().waiting === 2);
  open[0]!();
  await until(() => open.length === 2);
  open[1]!();
  expect(await Promise.all([first, ...others])).toEqual([{ y: 1 }, { y: 2 }, { y: 3 }, { y: 2 }]);
  expect(rows()).toEqual([[0], [1, 2]]);
});

test.each([
  [{ deterministic: 'yes' }, /deterministic/],
  [{ cacheBytes: 5 }, /cacheBytes/],
  [{ cacheBytes: 2 ** 20 }, /deterministic/],
])('rejects the options %j', async (options, message) => {
  const failed = externalPredictor({ urls: ['http://a'], model: 'a', ...(options as object) });
  await expect(failed).rejects.toThrow(message);
});

test('without deterministic, equal rows are sent again', async () => {
  const { ask, rows, external } = await model(undefined, { deterministic: false });
  await ask(1);
  await ask(1);
  expect(rows()).toEqual([[1], [1]]);
  expect(external.stats().cache).toBeUndefined();
});
