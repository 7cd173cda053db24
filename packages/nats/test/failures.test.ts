import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, headers, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { createRegistry, type ModelRegistry } from 'brezel';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { GUARD_MS } from '../../../testing/guard.js';
import { until } from '../../../testing/until.js';
import { addModel, constantModel } from '../../http/test/models.js';
import { type ClusterServer, connectFleet, type Fleet, joinCluster } from '../dist/index.js';
import { decodeReply, encodeRequest, encodeRows } from '../src/protocol/messages.js';
import { errorOf } from './errors.js';
import { hasNatsServer, type NatsServer, startNats } from './nats-server.js';

const model = new URL('../../../examples/models/sa-fam-a-00.onnx', import.meta.url).pathname;

/** Adds a model whose load waits until the test opens the gate. */
async function gatedModel(registry: ModelRegistry, name: string): Promise<{ open(): void }> {
  const source = await createRegistry();
  addModel(source, 'x', constantModel(1));
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  registry.add(name, {
    async load() {
      await opened;
      const { createFlour, importOnnx } = await import('brezel');
      using flour = await createFlour({ store: registry.store });
      return { plan: importOnnx(constantModel(1), flour).program.plan() };
    },
  });
  await source.close();
  return { open };
}

/** Calls a model in several loops until `stop`. Returns the number of answers. */
function steadyLoad(fleet: Fleet, expected: unknown, loops: number) {
  let isStopping = false;
  let answers = 0;
  const loop = async () => {
    while (!isStopping) {
      expect(await fleet.predict('text', 'a good film')).toStrictEqual(expected);
      answers++;
    }
  };
  const done = Promise.all(Array.from({ length: loops }, loop));
  return {
    answered: () => answers,
    async stop() {
      isStopping = true;
      await done;
    },
    done,
  };
}

describe.skipIf(!hasNatsServer)('a cluster', () => {
  let nats: NatsServer;
  let registry: ModelRegistry;
  let fleet: Fleet;
  let expected: unknown;
  const servers: ClusterServer[] = [];
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    nats = await startNats();
  });
  afterAll(() => nats?.kill());
  beforeEach(async () => {
    registry = await createRegistry();
    registry.add('text', model);
    expected = await registry.predict('text', 'a good film');
    fleet = await connectFleet({ servers: nats.url, timeoutMs: GUARD_MS, retryMs: 50 });
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await fleet.close();
    await Promise.all(servers.splice(0).map((server) => server.close()));
    await registry.close();
  });

  const join = async (options = {}) => {
    const server = await joinCluster({ registry, servers: nats.url, ...options });
    servers.push(server);
    return server;
  };

  async function startReplica(): Promise<ChildProcess> {
    const script = new URL('replica.mjs', import.meta.url).pathname;
    const child = spawn(process.execPath, [script, nats.url, model], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    await once(child.stdout!, 'data');
    return child;
  }

  test('answers every request while a server is killed', async () => {
    const [first] = await Promise.all([startReplica(), startReplica()]);
    const load = steadyLoad(fleet, expected, 16);
    await until(() => load.answered() > 200);
    first!.kill('SIGKILL');
    await once(first!, 'exit');
    const atKill = load.answered();
    await until(() => load.answered() > atKill + 200);
    await load.stop();
  });

  test('loses no request while a server closes', async () => {
    const server = await join();
    await join();
    const load = steadyLoad(fleet, expected, 16);
    await until(() => server.stats().requests > 50);
    await server.close();
    const { requests, inFlight } = server.stats();
    expect(inFlight).toBe(0);
    const atClose = load.answered();
    await until(() => load.answered() > atClose + 100);
    await load.stop();
    expect(server.stats().requests).toBe(requests);
    expect(server.close()).toBe(server.close());
  });

  test('a closing server answers the requests in flight', async () => {
    const gate = await gatedModel(registry, 'gated');
    const server = await join();
    const answer = fleet.predict('gated', { x: [1, 2] });
    await until(() => server.stats().inFlight === 1);
    const closed = server.close();
    await until(() => server.stats().models.length === 0);
    gate.open();
    expect(await answer).toEqual({ y: [1] });
    await closed;
  });

  /** Asks the servers whether one of them works on a request. Rejects if no server receives it. */
  async function isWorking(connection: NatsConnection, id: string): Promise<boolean> {
    const sent = headers();
    sent.set('Brezel-Id', id);
    sent.set('Brezel-Control', 'status');
    const subject = 'brezel.v1.control.gated';
    const { data } = await connection.request(subject, '', { headers: sent, timeout: GUARD_MS });
    return data.length === 0;
  }

  /** Waits until NATS reports that no server receives a subject. */
  async function untilNoServer(connection: NatsConnection, subject: string): Promise<void> {
    let hasServer = true;
    const callback = (_: unknown, message: Msg) => {
      if (message.headers?.code === 503) hasServer = false;
    };
    const subscription = connection.subscribe('probe', { callback });
    await until(() => {
      connection.publish(subject, 'x', { reply: 'probe' });
      return !hasServer;
    });
    subscription.unsubscribe();
  }

  test.each([
    ['the server closes', (server: ClusterServer) => server.close()],
    ['the model is removed', () => registry.remove('gated')],
  ])('while %s, the server reports that it works on a request', async (_, end) => {
    const gate = await gatedModel(registry, 'gated');
    const server = await join();
    const connection = await connect({ servers: nats.url });
    const sent = headers();
    sent.set('Brezel-Id', 'slow');
    const row = encodeRows([{ x: [1, 2] }], 2 ** 20);
    const answered = connection.request(
      'brezel.v1.predict.gated',
      encodeRequest({ verb: 'predict', reference: 'gated' }, row),
      {
        headers: sent,
        timeout: GUARD_MS,
      },
    );
    await until(() => server.stats().inFlight === 1);
    const ended = end(server);
    await untilNoServer(connection, 'brezel.v1.predict.gated');
    expect(await isWorking(connection, 'slow')).toBe(true);
    gate.open();
    expect(decodeReply((await answered).data)).toMatchObject({ answers: [{ y: [1] }] });
    await ended;
    await untilNoServer(connection, 'brezel.v1.control.gated');
    expect(server.stats().inFlight).toBe(0);
    await connection.close();
  });

  test('after drainMs, a closing server leaves its requests to other servers', async () => {
    await gatedModel(registry, 'gated');
    const server = await join({ drainMs: 0 });
    const answer = fleet.predict('gated', { x: [1, 2] });
    await until(() => server.stats().inFlight === 1);
    const second = await createRegistry();
    addModel(second, 'gated', constantModel(2));
    const other = await joinCluster({ registry: second, servers: nats.url });
    await server.close();
    expect(server.stats()).toMatchObject({ inFlight: 0, requests: 0, models: [], isConnected: false });
    expect(await answer).toEqual({ y: [2] });
    await other.close();
    await second.close();
  });

  test('a repeated request gets the same answer, without a second prediction', async () => {
    const server = await join();
    const connection = await connect({ servers: nats.url });
    const request = encodeRequest({ verb: 'predict', reference: 'text' }, encodeRows(['a good film'], 2 ** 20));
    const answers: unknown[] = [];
    connection.subscribe('probe.*', { callback: (_, { data }) => void answers.push(decodeReply(data)) });
    const send = (reply: string, id?: string) => {
      const sent = headers();
      if (id !== undefined) sent.set('Brezel-Id', id);
      connection.publish('brezel.v1.predict.text', request, { reply, headers: sent });
    };
    send('probe.1', 'a');
    await until(() => answers.length === 1);
    send('probe.1', 'a');
    await until(() => answers.length === 2);
    expect(server.stats().requests).toBe(1);
    send('probe.2', 'a'); // another client with the same id
    await until(() => answers.length === 3);
    expect(server.stats().requests).toBe(2);
    for (let request = 0; request < 5; request++) send('probe.3'); // without an id
    await until(() => answers.length === 8);
    expect(server.stats().requests).toBe(7);
    for (const answer of answers) expect(answer).toMatchObject({ answers: [expected] });
    await connection.close();
  });

  test('sends a request again if the server ends before it answers', async () => {
    await join();
    expect(await fleet.predict('text', 'a good film')).toStrictEqual(expected);
    const connection = await connect({ servers: nats.url });
    const silent: string[] = [];
    connection.subscribe('brezel.v1.predict.text', {
      queue: 'brezel',
      callback: (_, message) => void silent.push(message.subject),
    });
    await connection.flush();
    const load = steadyLoad(fleet, expected, 8);
    await until(() => silent.length > 3);
    await connection.close();
    await load.stop();
    expect(fleet.stats().resends).toBeGreaterThan(0);
  });

  test('rejects requests beyond maxInFlight', async () => {
    const gate = await gatedModel(registry, 'gated');
    const server = await join({ maxInFlight: 1, name: 'small' });
    const first = fleet.predict('gated', { x: [1, 2] });
    await until(() => server.stats().inFlight === 1);
    expect(await errorOf(fleet.predict('gated', { x: [1, 2] }))).toMatchObject({
      name: 'RuntimeError',
      code: 'ERR_RUNTIME_OVERLOADED',
      statusCode: 503,
      message: 'expected at most 1 requests in flight at small',
    });
    gate.open();
    expect(await first).toEqual({ y: [1] });
    expect(server.stats()).toMatchObject({ inFlight: 0, requests: 2, errors: 1 });
  });

  test.each([1, 2])('a batch does not overload a server with maxInFlight %i', async (maxInFlight) => {
    await join({ maxInFlight });
    const rows = Array.from({ length: 5000 }, (_, index) => `a good film ${index}`);
    expect(await fleet.predictBatch('text', rows)).toStrictEqual(await registry.predictBatch('text', rows));
  });

  test('a request ends at its deadline', async () => {
    await gatedModel(registry, 'gated');
    const server = await join();
    const { code, name } = await errorOf(fleet.predict('gated', { x: [1, 2] }, { deadlineMs: 20 }));
    expect([code, name]).toEqual(['ERR_RUNTIME_DEADLINE', 'RuntimeError']);
    await until(() => server.stats().inFlight === 0);
  });

  test('a canceled request ends on the server too', async () => {
    await gatedModel(registry, 'gated');
    const server = await join();
    const abort = new AbortController();
    const call = fleet.predict('gated', { x: [1, 2] }, { signal: abort.signal });
    const batch = fleet.predictBatch('gated', [{ x: [1, 2] }], { signal: abort.signal });
    await until(() => server.stats().inFlight === 2);
    const reason = new Error('stop');
    const ended = Promise.allSettled([call, batch]);
    abort.abort(reason);
    expect(await ended).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ]);
    await until(() => server.stats().inFlight === 0);
    await expect(fleet.predict('text', 'x', { signal: abort.signal })).rejects.toBe(reason);
    expect(server.stats().requests).toBe(0);
  });

  test('continues after the NATS server was stopped and started again', async () => {
    const own = await startNats();
    const joined = await joinCluster({ registry, servers: own.url });
    const connection = await connect({ servers: own.url, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
    const client = await connectFleet({ connection, timeoutMs: GUARD_MS, retryMs: 50 });
    expect(await client.predict('text', 'a good film')).toStrictEqual(expected);
    const disconnected = (async () => {
      for await (const { type } of connection.status()) if (type === 'disconnect') return;
    })();
    await own.kill();
    await disconnected;
    const calls = Array.from({ length: 20 }, () => client.predict('text', 'a good film'));
    const { code } = await errorOf(client.predict('text', 'a good film', { deadlineMs: 20 }));
    expect(code).toBe('ERR_NATS_CONNECTION');
    const again = await startNats(own.port);
    for (const answer of await Promise.all(calls)) expect(answer).toStrictEqual(expected);
    expect(await client.predict('text', 'a good film')).toStrictEqual(expected);
    await client.close();
    await joined.close();
    await connection.close();
    await again.kill();
  });

  test('a server logs that its connection is lost', async () => {
    const own = await startNats();
    const logged: unknown[] = [];
    const logError = (error: unknown) => void logged.push(error);
    const joined = await joinCluster({ registry, servers: own.url, logError });
    expect(joined.stats().isConnected).toBe(true);
    await own.kill();
    await until(() => !joined.stats().isConnected);
    expect(logged).toMatchObject([{ code: 'ERR_NATS_CONNECTION', message: expect.stringContaining(`${own.port}`) }]);
    const again = await startNats(own.port);
    await until(() => joined.stats().isConnected);
    await joined.close();
    expect([logged.length, joined.stats().isConnected]).toEqual([1, false]);
    await again.kill();
  });

  test('a server on a connection that drains or closes reports an error', async () => {
    const logged: unknown[] = [];
    const logError = (error: unknown) => void logged.push(error);
    const connection = await connect({ servers: nats.url });
    const joined = await joinCluster({ registry, connection, logError });
    const listeners = registry.listenerCount('added');
    const drained = connection.drain();
    addModel(registry, 'later', constantModel(1)); // the listener of the server must not throw
    const joining = errorOf(joinCluster({ registry, connection, logError }));
    expect(await joining).toMatchObject({ code: 'ERR_NATS_CONNECTION', message: expect.stringContaining('draining') });
    await drained;
    await until(() => logged.length > 0);
    expect(logged).toMatchObject([{ code: 'ERR_NATS_CONNECTION', message: expect.stringContaining('closed') }]);
    expect((await errorOf(joined.synchronized())).code).toBe('ERR_NATS_CONNECTION');
    expect((await errorOf(joinCluster({ registry, connection }))).code).toBe('ERR_NATS_CONNECTION');
    expect(registry.listenerCount('added')).toBe(listeners);
    await joined.close();
    expect((await errorOf(joined.synchronized())).code).toBe('ERR_NATS_CONNECTION');
    expect(registry.listenerCount('added')).toBe(listeners - 1);
  });

  test('a server and a client close while the NATS server is away', async () => {
    const own = await startNats();
    const joined = await joinCluster({ registry, servers: own.url });
    const client = await connectFleet({ servers: own.url });
    await own.kill();
    await Promise.all([client.close(), joined.close()]);
  });

  test('calls fail if the caller closes its connection', async () => {
    const gate = await gatedModel(registry, 'gated');
    await join();
    const connection = await connect({ servers: nats.url });
    const client = await connectFleet({ connection });
    const call = client.predict('gated', { x: [1, 2] });
    await until(() => servers[0]!.stats().inFlight === 1);
    const ended = errorOf(call);
    await connection.close();
    expect((await ended).code).toBe('ERR_NATS_CONNECTION');
    expect((await errorOf(client.predict('text', 'x'))).code).toBe('ERR_NATS_CONNECTION');
    gate.open();
    await client.close();
  });
});
