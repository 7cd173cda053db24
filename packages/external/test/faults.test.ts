import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { type ExternalOptions, type ExternalPredictor, externalPredictor } from '@brezel/external';
import { createFlour, createRuntime } from 'brezel';
import { describe, expect, test } from 'vitest';
import { endAfterEach } from '../../../testing/end-after-each.js';
import { ManualClock } from '../../../testing/manual-clock.js';
import { until } from '../../../testing/until.js';
import { type Answering, send, startServer, sums, type TestServer } from './servers.js';

const flour = await createFlour();
const ends = endAfterEach();

async function server(...parameters: Parameters<typeof startServer>): Promise<TestServer> {
  const started = await startServer(...parameters);
  ends.push(() => started.close());
  return started;
}

/** Registers the model `sums` of some servers, with a clock that the test advances. */
async function model(servers: readonly { readonly url: string }[], options: Partial<ExternalOptions> = {}) {
  const clock = new ManualClock();
  const urls = servers.map(({ url }) => url);
  const external = await externalPredictor({ urls, model: 'sums', clock, restMs: 1000, maxRestMs: 4000, ...options });
  ends.push(() => external.close());
  const runtime = createRuntime({ store: flour.store, backends: [external] });
  ends.push(() => runtime.close());
  const plan = runtime.register(external.program(flour).plan(), { quarantine: { failures: 100 } });
  return { external, runtime, plan, clock, ask: (a = 1, b = 2) => runtime.predict(plan, [a, b]) };
}

const states = (external: ExternalPredictor) => external.stats().replicas.map(({ state }) => state);
const answering =
  (change: (answer: ReturnType<typeof sums>) => unknown): Answering =>
  (infer, response) =>
    send(response, change(sums(infer)));

describe('an invalid answer is an error that names the replica', () => {
  const output = (fields: object) =>
    answering((answer) => ({ ...answer, outputs: [{ ...answer.outputs[0], ...fields }] }));
  test.each<[string, Answering, RegExp]>([
    ['fewer rows', output({ shape: [2], data: [1, 2] }), /expected 3 rows.*received 2 rows/],
    ['more rows', output({ shape: [4], data: [1, 2, 3, 4] }), /expected 3 rows.*received 4 rows/],
    ['fewer elements than its shape', output({ data: [1, 2] }), /3 elements/],
    ['another datatype', output({ datatype: 'BYTES', data: ['a', 'b', 'c'] }), /expected FP64.*received BYTES/],
    ['texts instead of numbers', output({ data: ['a', 'b', 'c'] }), /element 0/],
    ['null instead of numbers', output({ data: [1, null, 3] }), /element 1.*|null/],
    ['another shape', output({ shape: [3, 2], data: [1, 2, 3, 4, 5, 6] }), /expected shape \[3\]/],
    ['another output', output({ name: 'z' }), /output "y"/],
    [
      'an output twice',
      answering((answer) => ({ ...answer, outputs: [...answer.outputs, ...answer.outputs] })),
      /twice/,
    ],
    ['no outputs', answering(({ id }) => ({ id })), /outputs/],
    ['the id of another request', answering((answer) => ({ ...answer, id: 'other' })), /expected the id/],
    ['a deep id', (_, response) => response.end(`{"id":${'['.repeat(1e5)}${']'.repeat(1e5)}}`), /expected/],
    ['no id', answering(({ outputs }) => ({ outputs })), /expected the id/],
    ['no JSON', (_, response) => response.end('nothing'), /expected JSON/],
    ['bytes that are not UTF-8', (_, response) => response.end(Buffer.of(0xff)), /expected JSON in UTF-8/],
    ['no body', (_, response) => response.end(), /expected JSON/],
  ])('%s', async (_, answer, message) => {
    const one = await server(answer);
    const { runtime, plan, external, clock } = await model([one]);
    const failed = runtime.predictBatch(plan, [
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    await expect(failed).rejects.toMatchObject({
      code: 'ERR_EXTERNAL_ANSWER',
      message: expect.stringContaining(one.url),
    });
    await expect(failed).rejects.toThrow(message);
    expect(states(external)).toEqual(['resting']);
    one.answer = (infer, response) => send(response, sums(infer));
    clock.advance(1000);
    await until(() => states(external)[0] === 'up');
    expect(await runtime.predict(plan, [1, 2])).toEqual({ y: 3 });
    expect(runtime.stats().plans).toMatchObject([{ calls: { answered: 1, failed: 1 } }]);
  });

  test('an answer that is too long', async () => {
    const one = await server((_, response) => response.end(Buffer.alloc(5000, 'a')));
    const { ask } = await model([one], { maxAnswerBytes: 4096 });
    await expect(ask()).rejects.toThrow(/at most 4096 bytes/);
  });

  test('a second answer on the same connection never answers another request', async () => {
    // A server that answers each request twice. The second answer has the id of the first request.
    const sockets: Socket[] = [];
    const raw = createServer((socket) => {
      sockets.push(socket);
      let text = '';
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        text += chunk;
        const end = text.indexOf('\r\n\r\n');
        if (end < 0) return;
        const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
        if (text.length < end + 4 + length) return;
        const [path, body] = [text.slice(0, text.indexOf('\r\n')), text.slice(end + 4)];
        text = '';
        const json = path.startsWith('POST') ? sums(JSON.parse(body)) : path.includes('/models/') ? META : {};
        const answer = JSON.stringify(json);
        const one = `HTTP/1.1 200 OK\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`;
        socket.write(path.startsWith('POST') ? one + one : one);
      });
    });
    raw.listen(0, '127.0.0.1');
    await once(raw, 'listening');
    ends.push(() => {
      for (const socket of sockets) socket.destroy();
      raw.close();
    });
    const { port } = raw.address() as { port: number };
    const { runtime, plan, external, clock } = await model([{ url: `http://127.0.0.1:${port}` }], { concurrency: 1 });
    for (let row = 0; row < 20; row++) {
      const answer = await runtime.predict(plan, [row, 1]).catch((error) => error);
      if (answer instanceof Error)
        expect(answer).toMatchObject({ code: expect.stringMatching(/^ERR_EXTERNAL_(ANSWER|LOST)$/) });
      else expect(answer).toEqual({ y: row + 1 });
      if (states(external)[0] !== 'up') {
        clock.advance(4000);
        await until(() => states(external)[0] === 'up');
      }
    }
  });
});

const META = {
  name: 'sums',
  inputs: [{ name: 'x', datatype: 'FP32', shape: [-1, 2] }],
  outputs: [{ name: 'y', datatype: 'FP64', shape: [-1] }],
};

describe('replicas', () => {
  test('the replica with the fewest requests in flight takes the next request', async () => {
    const held: (() => void)[] = [];
    const hold: Answering = (infer, response) => held.push(() => send(response, sums(infer)));
    const [slow, fast] = [await server(hold), await server()];
    const { ask, external } = await model([slow, fast]);
    const first = ask();
    await until(() => held.length === 1);
    for (let count = 0; count < 5; count++) expect(await ask(count)).toEqual({ y: count + 2 });
    expect(external.stats().replicas).toMatchObject([
      { requests: 1, outstanding: 1 },
      { requests: 5, outstanding: 0 },
    ]);
    held[0]!();
    expect(await first).toEqual({ y: 3 });
  });

  test('the delay before the probe of a dead replica doubles after each failure, until a probe succeeds', async () => {
    const [live, dead] = [await server(), await server()];
    const { ask, external, clock } = await model([live, dead]);
    await dead.close();
    // A request that was not sent goes to the other replica: no call fails.
    for (let count = 0; count < 4; count++) expect(await ask()).toEqual({ y: 3 });
    expect(states(external)).toEqual(['up', 'resting']);
    expect(external.stats().replicas[1]).toMatchObject({ failures: 1, lastError: expect.stringContaining(dead.url) });
    for (const [restMs, failures] of [
      [1000, 2],
      [2000, 3],
      [4000, 4],
      [4000, 5],
    ] as const) {
      clock.advance(restMs - 1);
      expect(external.stats().replicas[1]!.failures).toBe(failures - 1);
      clock.advance(1);
      await until(() => external.stats().replicas[1]!.failures === failures);
    }
    const revived = await server(undefined, dead.port);
    clock.advance(4000);
    await until(() => states(external)[1] === 'up');
    await Promise.all([ask(), ask()]);
    expect(revived.requests.length).toBeGreaterThan(0);
  });

  test('a replica that restarts with another schema receives no requests', async () => {
    const [live, other] = [await server(), await server((_, response) => send(response, 'busy', 503))];
    const { ask, external, clock } = await model([live, other]);
    other.metadata = { ...META, inputs: [{ name: 'x', datatype: 'FP32', shape: [-1, 3] }] };
    const answers = await Promise.allSettled([ask(), ask()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(states(external)).toEqual(['up', 'resting']);
    clock.advance(1000);
    await until(() => external.stats().replicas[1]!.failures === 2);
    expect(external.stats().replicas[1]!.lastError).toMatch(/x: FP32\[rows, 2\].*received x: FP32\[rows, 3\]/);
    expect(await ask()).toEqual({ y: 3 });
  });

  test('if all replicas are resting, a call fails immediately and lists them', async () => {
    const [one, two] = [await server(), await server()];
    const { ask } = await model([one, two]);
    await Promise.all([one.close(), two.close()]);
    await expect(ask()).rejects.toMatchObject({ code: 'ERR_EXTERNAL_UNAVAILABLE' });
    const failed = ask();
    await expect(failed).rejects.toMatchObject({ code: 'ERR_EXTERNAL_UNAVAILABLE', statusCode: 503 });
    await expect(failed).rejects.toThrow(one.url);
    await expect(failed).rejects.toThrow(two.url);
  });

  test('after an error of the model, the replica still receives requests', async () => {
    const one = await server((_, response) => send(response, { error: 'row 0: NaN' }, 500));
    const { ask, external } = await model([one]);
    await expect(ask()).rejects.toMatchObject({
      code: 'ERR_EXTERNAL_REPLICA',
      message: expect.stringContaining('row 0: NaN'),
    });
    expect(states(external)).toEqual(['up']);
  });

  test.each([
    [{ error: { toString: 1 } }, /toString/],
    [{ error: Object.fromEntries([['a', 1]]) }, /"a":1/],
    [{ error: null }, /null/],
    ['nothing', /nothing/],
    [null, /null/],
  ])('an error message of any shape: %j', async (body, message) => {
    const one = await server((_, response) => send(response, body, 500));
    const { ask } = await model([one]);
    const failed = ask();
    await expect(failed).rejects.toMatchObject({ code: 'ERR_EXTERNAL_REPLICA' });
    await expect(failed).rejects.toThrow(message);
  });

  test('a request after an error uses another connection', async () => {
    const ports: unknown[] = [];
    const one = await server((infer, response, { socket }) => {
      ports.push(socket.remotePort);
      if (ports.length === 1) send(response, { error: 'first' }, 500);
      else send(response, sums(infer));
    });
    const { ask } = await model([one], { concurrency: 1 });
    await expect(ask()).rejects.toThrow('first');
    expect(await ask()).toEqual({ y: 3 });
    expect(ports[1]).not.toBe(ports[0]);
  });

  test('a replica that dies during a request: the request fails, and is not sent again', async () => {
    const [dying, live] = [await server((_, __, request) => request.socket.destroy()), await server()];
    const { ask, external } = await model([dying, live]);
    const answers = await Promise.allSettled([ask(), ask()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(answers.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'ERR_EXTERNAL_LOST', message: expect.stringContaining(dying.url) },
    });
    expect(dying.requests.length + live.requests.length).toBe(2);
    expect(states(external)).toEqual(['resting', 'up']);
  });
});

describe('time', () => {
  const never: Answering = () => undefined;

  test('a replica that never answers: the call fails after timeoutMs, and the replica receives no requests until a probe succeeds', async () => {
    const one = await server(never);
    const { ask, external, clock } = await model([one], { timeoutMs: 500 });
    const failed = ask();
    await until(() => one.requests.length === 1);
    clock.advance(499);
    expect(states(external)).toEqual(['up']);
    clock.advance(1);
    await expect(failed).rejects.toMatchObject({
      code: 'ERR_EXTERNAL_TIMEOUT',
      message: expect.stringContaining(one.url),
    });
    expect(states(external)).toEqual(['resting']);
  });

  test('a late answer is ignored', async () => {
    let late: (() => void) | undefined;
    const one = await server((infer, response) => {
      late = () => send(response, sums(infer));
    });
    const { ask, clock, external } = await model([one], { timeoutMs: 500 });
    const failed = ask(40, 2);
    await until(() => late !== undefined);
    clock.advance(500);
    await expect(failed).rejects.toMatchObject({ code: 'ERR_EXTERNAL_TIMEOUT' });
    late!();
    one.answer = (infer, response) => send(response, sums(infer));
    clock.advance(1000);
    await until(() => states(external)[0] === 'up');
    expect(await ask(1, 2)).toEqual({ y: 3 });
  });

  test('the signal of a call closes its connection, and the replica still receives requests', async () => {
    const closed: number[] = [];
    const one = await server((_, response) => response.on('close', () => closed.push(1)));
    const { runtime, plan, external } = await model([one]);
    const stop = new AbortController();
    const failed = runtime.predict(plan, [1, 2], { signal: stop.signal });
    await until(() => one.requests.length === 1);
    stop.abort(new Error('enough'));
    await expect(failed).rejects.toThrow('enough');
    await until(() => closed.length === 1);
    expect(states(external)).toEqual(['up']);
    expect(external.stats().replicas).toMatchObject([{ outstanding: 0, failures: 0 }]);
  });

  test('the deadline of a call reaches the request', async () => {
    const closed: number[] = [];
    const one = await server((_, response) => response.on('close', () => closed.push(1)));
    const external = await externalPredictor({ urls: [one.url], model: 'sums' });
    const clock = new ManualClock();
    const runtime = createRuntime({ store: flour.store, backends: [external], clock });
    ends.push(
      () => external.close(),
      () => runtime.close(),
    );
    const plan = runtime.register(external.program(flour).plan());
    const failed = runtime.predict(plan, [1, 2], { deadlineMs: 20 });
    await until(() => one.requests.length === 1);
    clock.advance(21);
    await expect(failed).rejects.toMatchObject({ code: 'ERR_RUNTIME_DEADLINE' });
    await until(() => closed.length === 1);
  });

  test('requests beyond concurrency wait, and too many are rejected', async () => {
    const held: (() => void)[] = [];
    const one = await server((infer, response) => held.push(() => send(response, sums(infer))));
    const { ask, external } = await model([one], { concurrency: 2, maxWaiting: 1 });
    const asked = [ask(1), ask(2), ask(3)];
    await until(() => held.length === 2 && external.stats().waiting === 1);
    await expect(ask(4)).rejects.toMatchObject({ code: 'ERR_EXTERNAL_OVERLOADED' });
    held[0]!();
    await until(() => held.length === 3);
    for (const answer of held.slice(1)) answer();
    expect(await Promise.all(asked)).toEqual([{ y: 3 }, { y: 4 }, { y: 5 }]);
    expect(external.stats().waiting).toBe(0);
  });

  test('close during requests: each call has one answer or one error', async () => {
    const held: (() => void)[] = [];
    const one = await server((infer, response) => held.push(() => send(response, sums(infer))));
    const { ask, external } = await model([one], { concurrency: 2 });
    const asked = [ask(1), ask(2), ask(3), ask(4)];
    const settled = Promise.allSettled(asked);
    await until(() => held.length === 2 && external.stats().waiting === 2);
    const closing = external.close();
    const [third] = await Promise.allSettled([asked[2]!]);
    expect(third).toMatchObject({ status: 'rejected', reason: { code: 'ERR_EXTERNAL_CLOSED' } });
    for (const answer of held) answer();
    await closing;
    expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
    await expect(ask()).rejects.toMatchObject({ code: 'ERR_EXTERNAL_CLOSED' });
    await external.close();
  });
});
