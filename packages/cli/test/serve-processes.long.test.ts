import { fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ServerStatistics } from '@brezel/http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../testing/until.js';
import { failure, TestClient } from '../../grpc/test/client.js';
import { roleEnvironment } from '../src/serve/processes/role.js';
import { brezel, model, regressorModel, root, temporaryFolder } from './brezel.js';
import { killServers, serve } from './spawn-server.js';

const folder = temporaryFolder();
const { XDG_CACHE_HOME } = process.env;
beforeAll(() => {
  process.env.XDG_CACHE_HOME = folder.path('cache');
});
afterAll(() => {
  process.env.XDG_CACHE_HOME = XDG_CACHE_HOME;
  folder.remove();
});
afterEach(killServers);

const one = folder.file('film@1.onnx', regressorModel([1, 0]));
const two = folder.file('film@2.onnx', regressorModel([0, 1]));
const token = folder.file('token', 'secret');
const authorization = 'Bearer secret';
const row = { x: [3, 5] };
const cached = () => readdirSync(folder.path('cache/brezel'));

/** Sends a request on a new connection. The primary gives connections to the workers in turn. */
async function ask(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { ...init, headers: { connection: 'close', authorization, ...init.headers } });
}
const json = { 'content-type': 'application/json' };
const post = (url: string, body: unknown) => ask(url, { method: 'POST', headers: json, body: JSON.stringify(body) });
const statistics = async (url: string) => (await (await ask(`${url}/statistics`)).json()) as ServerStatistics;
const workersOf = async (url: string) =>
  (await statistics(url)).processes.filter(({ role }) => role === undefined).map(({ pid }) => pid);
/** Waits until a killed worker is replaced. A request to this worker fails. */
const replaced = (url: string, killed: number) =>
  until(async () => {
    const now = await workersOf(url).catch(() => []);
    return now.length === 2 && !now.includes(killed);
  });
const versions = async (url: string, count = 4) =>
  Promise.all(
    Array.from({ length: count }, async () => (await post(`${url}/predict/film`, row)).headers.get('x-model-version')),
  );

interface Stream {
  /** Sends the last row, and returns all answers. Rejects if the connection is broken. */
  finish(): Promise<string>;
}

/** Opens a request in flight: a stream of rows with an answer to its first row. */
async function openStream(url: string): Promise<Stream> {
  const sent: ClientRequest = request(`${url}/predict/film`, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/x-ndjson', authorization },
  });
  sent.on('error', () => undefined); // the response reports the error
  sent.write(`${JSON.stringify(row)}\n`);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let body = '';
  const ended = new Promise<string>((resolve, reject) => {
    response
      .on('data', (piece) => (body += piece))
      .once('end', () => resolve(body))
      .once('error', reject);
  });
  ended.catch(() => undefined);
  await until(() => body.includes('\n'));
  return {
    finish: () => {
      sent.end(`${JSON.stringify(row)}\n`);
      return ended;
    },
  };
}

/** Opens a connection, and waits for the answer to a request. The connection stays open. */
async function openIdle(url: string): Promise<Socket> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET /v2/health/live HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  await once(socket, 'data');
  return socket;
}

describe('brezel serve --processes 2', () => {
  test('answers in both workers, adds their numbers, and shows the memory', async () => {
    const server = await serve(one, model(0), '--processes', '2', '--access-log');
    for (let index = 0; index < 8; index++) expect((await post(`${server.url}/predict/film`, row)).status).toBe(200);
    const { requests, processes, versions } = await statistics(server.url);
    expect([requests.times.count, requests.failed]).toEqual([8, 0]);
    expect(versions.find(({ version }) => version === 'film@1')).toMatchObject({ requests: 8, loads: 2 });
    expect(processes).toHaveLength(3);
    const metrics = await (await ask(`${server.url}/metrics`)).text();
    expect(metrics).toMatch(/^brezel_registry_version_requests_total\{version="film@1"\} 8$/m);
    expect(metrics).toMatch(/^brezel_registry_models 2$/m);
    const top = await brezel(['top', server.url, '--once']);
    const memory = process.platform === 'linux' ? 'RSS [\\d.]+ MB, PSS [\\d.]+ MB' : 'RSS [\\d.]+ MB';
    expect(top.out).toMatch(new RegExp(`^processes {3}2 and a primary, ${memory}$`, 'm'));
    const { code, out, err } = await server.stop();
    expect([code, err, cached()]).toEqual([0, '', []]);
    const logged = out.split('\n').filter((line) => line.includes('"request"'));
    const records = logged.map((line) => JSON.parse(line) as { pid: number; reqId: string });
    expect(new Set(records.map(({ pid }) => pid)).size).toBe(2);
    expect(new Set(records.map(({ reqId }) => reqId)).size).toBe(records.length);
    expect(out.split('\n').filter((line) => line.startsWith('listening on '))).toHaveLength(1);
  });

  test('answers in both workers for --shutdown-delay-ms, but is not ready', async () => {
    const server = await serve(one, '--processes', '2', '--shutdown-delay-ms', '2000000000');
    const ready = () =>
      Promise.all(Array.from({ length: 4 }, async () => (await ask(`${server.url}/v2/health/ready`)).status));
    expect(await ready()).toEqual(Array(4).fill(200));
    const ended = server.stop();
    await until(async () => (await ready()).every((status) => status === 503));
    expect(await versions(server.url)).toEqual(Array(4).fill('film@1'));
    expect((await statistics(server.url)).processes).toHaveLength(3);
    await server.stop('SIGKILL');
    await ended;
    await until(() =>
      fetch(server.url).then(
        () => false,
        () => true,
      ),
    ); // the workers have ended
  });

  test('replaces a worker that is killed; only its own requests fail, and no number decreases', async () => {
    const server = await serve(one, '--processes', '2');
    const streams: Stream[] = [];
    // The primary gives connections to the workers in turn.
    for (let stream = 0; stream < 4; stream++) streams.push(await openStream(server.url));
    await versions(server.url);
    const before = await statistics(server.url);
    const [killed, other] = await workersOf(server.url);
    process.kill(killed!, 'SIGKILL');
    await replaced(server.url, killed!);
    const bodies = await Promise.allSettled(streams.map((stream) => stream.finish()));
    const answered = bodies.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(answered.length).toBeGreaterThan(0);
    expect(answered.length).toBeLessThan(4);
    for (const answer of answered) expect(answer).toBe('{"y":[3]}\n{"y":[3]}\n');
    expect(await workersOf(server.url)).toContain(other);
    expect(await versions(server.url)).toEqual(Array(4).fill('film@1'));
    const after = await statistics(server.url);
    expect(after.requests.times.count).toBeGreaterThanOrEqual(before.requests.times.count);
    expect(after.versions[0]!.requests).toBeGreaterThan(before.versions[0]!.requests);
    const { code, err } = await server.stop();
    expect(code).toBe(0);
    expect(err).toContain(`worker ${killed} ended (SIGKILL)`);
    expect(cached()).toEqual([]);
  });

  test('changes models in all workers, and accepts a session in all workers', async () => {
    const server = await serve(one, two, '--processes', '2', '--token-file', token, '--page');
    expect(await versions(server.url)).toEqual(Array(4).fill('film@1'));
    const alias = (action: string, body: unknown) => post(`${server.url}/admin/aliases/film/${action}`, body);
    expect(await (await alias('promote', { version: 2 })).json()).toMatchObject({ version: 'film@2' });
    expect(await versions(server.url)).toEqual(Array(4).fill('film@2'));
    expect((await alias('promote', { version: 3 })).status).toBe(404);
    const sign = await ask(`${server.url}/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: '' },
      body: 'token=secret',
      redirect: 'manual',
    });
    const cookie = sign.headers.get('set-cookie')!.split(';')[0]!;
    const headers = { ...json, cookie, origin: server.url, authorization: '' };
    for (const percent of [10, 20, 30, 40]) {
      const body = JSON.stringify({ to: 1, percent });
      const moved = await ask(`${server.url}/admin/aliases/film/canary`, { method: 'POST', headers, body });
      expect(await moved.json()).toMatchObject({ canary: { version: 'film@1', percent } });
    }
    expect((await alias('rollback', {})).status).toBe(200);
    const [killed] = await workersOf(server.url);
    process.kill(killed!, 'SIGKILL');
    await replaced(server.url, killed!);
    expect(await versions(server.url)).toEqual(Array(4).fill('film@2'));
    expect((await post(`${server.url}/v2/repository/models/film/unload`, {})).status).toBe(200);
    expect(await versions(server.url)).toEqual(Array(4).fill('film@2'));
    expect((await server.stop()).code).toBe(0);
  });

  test('follows a folder, skips a broken file, and drains at SIGTERM', async () => {
    const models = folder.path('watched');
    mkdirSync(models);
    copyFileSync(one, `${models}/film@1.onnx`);
    folder.file('watched/broken.onnx', 'no model');
    const server = await serve(models, '--watch', '--processes', '2');
    const streams = await Promise.all([openStream(server.url), openStream(server.url)]);
    copyFileSync(two, folder.path('next'));
    renameSync(folder.path('next'), `${models}/film@2.onnx`);
    await until(async () => (await versions(server.url, 1))[0] === 'film@2');
    expect(await versions(server.url)).toEqual(Array(4).fill('film@2'));
    const idle = await openIdle(server.url);
    const stopped = server.stop();
    await once(idle, 'close'); // a worker that drains closes idle connections
    for (const stream of streams) expect(await stream.finish()).toBe('{"y":[3]}\n{"y":[3]}\n');
    const { code, err } = await stopped;
    expect([code, cached()]).toEqual([0, []]);
    expect(err).toContain('broken.onnx is skipped');
  });

  test('ends with the error of a broken file or of a port in use', async () => {
    const broken = folder.file('broken.onnx', 'no model');
    expect(await brezelServe(broken)).toMatchObject({ code: 1, err: expect.stringContaining('ERR_ONNX') });
    const server = await serve(one);
    const inUse = await brezelServe(one, '--port', new URL(server.url).port);
    expect(inUse).toMatchObject({ code: 1, err: expect.stringContaining('EADDRINUSE') });
    expect(cached()).toEqual([]);
  });
});

describe('gRPC of brezel serve --processes 2', () => {
  const inputs = [{ name: 'x', datatype: 'FP32', shape: [1, 2], contents: { fp32_contents: [3, 5] } }];
  const infer = { model_name: 'film', inputs };
  const secret = { token: 'secret' };

  test('shares one port, changes all workers, and keeps the port when all workers are replaced', async () => {
    const server = await serve(one, two, '--processes', '2', '--grpc-port', '0', '--token-file', token);
    const address = await server.line(/^grpc: (127\.0\.0\.1:\d+)$/);
    /** Calls a method on a new connection. The primary gives connections to the workers in turn. */
    const call = async (method: string, request: object, options: object = secret) => {
      const client = new TestClient(address, undefined, undefined, { 'grpc.use_local_subchannel_pool': 1 });
      try {
        return await client.call(method, request, options);
      } finally {
        client.close();
      }
    };
    const answers = async () => {
      const seen = await Promise.all(Array.from({ length: 4 }, () => call('ModelInfer', infer)));
      return seen.map(({ model_version, outputs }) => [model_version, outputs[0].contents.fp32_contents[0]]);
    };
    expect(await answers()).toEqual(Array(4).fill(['1', 3]));
    const served = (await statistics(server.url)).versions.find(({ version }) => version === 'film@1');
    expect(served?.requests).toBe(4);
    expect((await failure(call('ModelInfer', infer, {}))).code).toBe('ERR_GRPC_TOKEN');
    await post(`${server.url}/admin/aliases/film/promote`, { version: 2 });
    expect(await answers()).toEqual(Array(4).fill(['2', 5]));
    await call('RepositoryModelUnload', { model_name: 'film' });
    const ready = () => Promise.all([1, 2, 3, 4].map(() => call('ModelReady', { name: 'film' })));
    expect(await ready()).toEqual(Array(4).fill({ ready: false }));
    await call('RepositoryModelLoad', { model_name: 'film' });
    expect(await ready()).toEqual(Array(4).fill({ ready: true }));
    for (const pid of await workersOf(server.url)) process.kill(pid, 'SIGKILL');
    await until(async () => (await workersOf(server.url).catch(() => [])).length === 2);
    expect(await answers()).toEqual(Array(4).fill(['2', 5]));
    const { code, out } = await server.stop();
    expect([code, out.match(/^grpc: /gm)?.length]).toEqual([0, 1]);
  });

  test('ends open streams after SIGTERM', async () => {
    const server = await serve(one, '--processes', '2', '--grpc-port', '0');
    const client = new TestClient(await server.line(/^grpc: (.+)$/));
    const stream = client.stub.ModelStreamInfer!();
    const failed = once(stream, 'error');
    stream.write(infer);
    const [answer] = await once(stream, 'data');
    expect(answer.infer_response.outputs[0].contents.fp32_contents).toEqual([3]);
    const stopped = server.stop();
    expect(await failed).toMatchObject([{ details: 'the server is closing' }]);
    client.close();
    expect(await stopped).toMatchObject({ code: 0, err: '' });
  });

  test('ends with the error of a port in use', async () => {
    const { port } = new URL((await serve(one)).url);
    const { code, err } = await brezelServe(one, '--port', '0', '--grpc-port', port);
    expect([code, err]).toEqual([1, expect.stringContaining('ERR_GRPC_ADDRESS')]);
    expect(cached()).toEqual([]);
  });
});

describe('a process of brezel serve --processes', () => {
  test('uses the token that the server read at its start', async () => {
    const rotated = folder.file('rotated', 'secret');
    const server = await serve(one, '--processes', '2', '--token-file', rotated);
    rmSync(rotated); // a new worker could not read the file
    const before = await workersOf(server.url);
    for (const pid of before) process.kill(pid, 'SIGKILL');
    await until(async () => {
      const now = await workersOf(server.url).catch(() => []);
      return now.length === 2 && !now.some((pid) => before.includes(pid));
    });
    expect(await versions(server.url)).toEqual(Array(4).fill('film@1'));
    expect((await ask(`${server.url}/metrics`, { headers: { authorization: 'Bearer other' } })).status).toBe(401);
    const { code, err } = await server.stop();
    expect([code, err.match(/ended \(SIGKILL\)/g)?.length, cached()]).toEqual([0, 2, []]);
  });

  test('is replaced when five of them end at once; two changes at once have one result', async () => {
    const server = await serve(one, two, '--processes', '5', '--token-file', token);
    const before = await workersOf(server.url);
    for (const pid of before) process.kill(pid, 'SIGKILL');
    await until(async () => {
      const now = await workersOf(server.url).catch(() => []);
      return now.length === 5 && !now.some((pid) => before.includes(pid));
    });
    const promoted = post(`${server.url}/admin/aliases/film/promote`, { version: 2 });
    const back = post(`${server.url}/admin/aliases/film/promote`, { version: 1 });
    expect([(await promoted).status, (await back).status]).toEqual([200, 200]);
    const seen = new Set(await versions(server.url, 10));
    expect(seen.size).toBe(1); // two changes at once: one of them is the last in all workers
    expect((await server.stop()).code).toBe(0);
  });

  test('reports its error and ends if it fails before it is ready', async () => {
    // createRegistry rejects an unknown limit. The primary would report it earlier.
    const child = fork('packages/brezel/bin/brezel.js', ['serve', one, '--limit', 'nods=5'], {
      cwd: root,
      env: roleEnvironment('worker'),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const exited = once(child, 'exit');
    const printed = text(child.stderr!);
    const [call] = (await once(child, 'message')) as [{ method: string; argument: { message: string } }];
    expect([call.method, call.argument.message]).toEqual(['failed', expect.stringContaining('nods')]);
    child.disconnect(); // a primary kills the process; here, the process loses its primary
    expect([(await exited)[0], await printed]).toEqual([1, expect.stringContaining('ERR_CLI_WORKER')]);
  });
});

async function brezelServe(
  ...args: readonly string[]
): Promise<{ readonly code: number | null; readonly err: string }> {
  const { brezelProcess } = await import('./brezel.js');
  return brezelProcess(['serve', ...args, '--processes', '2']);
}
