import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, createServer as createHttpServer, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { ServerStatistics } from '@brezel/http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../testing/until.js';
import { TestClient } from '../../grpc/test/client.js';
import { regressorModel, root, temporaryFolder } from './brezel.js';
import { killServers, type Serving, serve } from './spawn-server.js';

const read = (file: string) => readFileSync(join(root, 'examples/deploy/haproxy', file), 'utf8');
const config = read('haproxy.cfg');
const hasHaproxy = spawnSync('haproxy', ['-v']).status === 0;

const folder = temporaryFolder();
const agent = new Agent({ keepAlive: true });
const balancers: ChildProcess[] = [];
afterAll(() => {
  agent.destroy();
  for (const haproxy of balancers) haproxy.kill('SIGKILL');
  killServers();
  folder.remove();
});

const MODELS = Array.from({ length: 12 }, (_, model) => `model-${model}`);
const file = folder.file('model.onnx', regressorModel([1, 10]));
const models = MODELS.map((name) => `${name}=${file}`);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

const portOf = (address: string) => Number(address.slice(address.lastIndexOf(':') + 1));

/** The addresses of a balancer. */
interface Balancer {
  readonly url: string;
  readonly metrics: string;
  /** `HOST:PORT` for gRPC, if the configuration has a frontend for gRPC. */
  readonly grpc: string;
}

/**
 * Starts HAProxy with a configuration whose ports are replaced, and waits until a server is ready.
 * With one thread, HAProxy ends a request before it accepts the next request.
 */
async function balance(text: string, http: readonly number[], grpc: readonly number[] = []): Promise<Balancer> {
  const [front, exporter, calls] = [await freePort(), await freePort(), await freePort()];
  const ports = new Map([
    [8080, front],
    [8404, exporter],
    [9080, calls],
    ...http.map((port, index): [number, number] => [8081 + index, port]),
    ...grpc.map((port, index): [number, number] => [9081 + index, port]),
  ]);
  const changed = text
    .replace(/(?<=127\.0\.0\.1:|port )\d+/g, (port) => String(ports.get(Number(port))))
    .replace('global\n', 'global\n    nbthread 1\n');
  expect(changed).not.toContain('undefined');
  const file = folder.file(`haproxy-${front}.cfg`, changed);
  balancers.push(spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' }));
  const url = `http://127.0.0.1:${front}`;
  const isReady = () =>
    fetch(`${url}/v2/health/ready`).then(
      ({ status }) => status === 200,
      () => false,
    );
  await until(isReady);
  return { url, metrics: `http://127.0.0.1:${exporter}/metrics`, grpc: `127.0.0.1:${calls}` };
}

/**
 * Waits until HAProxy reports this state of a server. A server is up only after a successful check,
 * because HAProxy also counts servers as up before their first check.
 */
const state = (metrics: string, proxy: 'models' | 'grpc', server: number, up: boolean) =>
  until(async () => {
    const text = await (await fetch(metrics)).text().catch(() => '');
    const labels = `proxy="${proxy}",server="r${server + 1}"`;
    const checked = text.includes(`haproxy_server_check_status{${labels},state="L7OK"} 1`);
    return text.includes(`haproxy_server_status{${labels},state="UP"} ${up ? 1 : 0}`) && checked === up;
  });

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** Sends a row over connections that stay open, as clients of a service do. */
async function predict(url: string, name: string, x: number, host?: string): Promise<Reply> {
  const headers = { 'content-type': 'application/json', ...(host !== undefined && { host }) };
  const sent = request(`${url}/predict/${name}`, { method: 'POST', agent, headers });
  sent.end(JSON.stringify({ x: [x, 1] }));
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, body: await json(response) };
}

/** Sends requests, eight at a time, and calls `halfway` after half of them. */
async function load(url: string, count: number, halfway: () => void = () => undefined): Promise<readonly Reply[]> {
  const replies: Reply[] = [];
  let next = 0;
  const client = async () => {
    for (let index = next++; index < count; index = next++) {
      replies[index] = await predict(url, MODELS[index % MODELS.length]!, index);
      if (index === count >> 1) halfway();
    }
  };
  await Promise.all(Array.from({ length: 8 }, client));
  return replies;
}

const right = (count: number): Reply[] =>
  Array.from({ length: count }, (_, index) => ({ status: 200, body: { y: [index + 10] } }));

/** Returns how many requests each model has answered on a server. Omits models without requests. */
async function requestsOf({ url }: Serving): Promise<ReadonlyMap<string, number>> {
  const { versions } = (await (await fetch(`${url}/statistics`)).json()) as ServerStatistics;
  const used = versions.filter(({ requests }) => requests > 0);
  return new Map(used.map(({ version, requests }) => [version.replace('@1', ''), requests]));
}

/** Sends a request for each model, one by one. Returns the models that each server answered. */
async function homesOf(url: string, servers: readonly Serving[]): Promise<readonly (readonly string[])[]> {
  const before = await Promise.all(servers.map(requestsOf));
  for (const name of MODELS) expect(await predict(url, name, 1)).toEqual({ status: 200, body: { y: [11] } });
  const after = await Promise.all(servers.map(requestsOf));
  return after.map((counts, server) =>
    MODELS.filter((name) => (counts.get(name) ?? 0) > (before[server]!.get(name) ?? 0)),
  );
}

describe.skipIf(!hasHaproxy)('haproxy.cfg', () => {
  let servers: Serving[];
  let url: string;
  let metrics: string;
  let homes: readonly (readonly string[])[];

  beforeAll(async () => {
    servers = await Promise.all([
      serve(...models, '--shutdown-delay-ms', '2000000000'),
      serve(...models),
      serve(...models),
    ]);
    const ports = servers.map(({ url }) => portOf(url));
    ({ url, metrics } = await balance(config, ports));
    for (const server of servers.keys()) await state(metrics, 'models', server, true);
  });

  test('sends all requests of a model to one server, also with a version, an alias and as tensors', async () => {
    const inputs = [{ name: 'x', datatype: 'FP32', shape: [1, 2], data: [1, 1] }];
    for (const name of MODELS)
      for (const path of ['predict/NAME', 'predict/NAME@1', 'predict/NAME:default', 'predict/%6dodel-NAME']) {
        const reference = path.replace('%6dodel-NAME', name.replace('m', '%6d')).replace('NAME', name);
        expect(await predict(url, reference.slice('predict/'.length), 1)).toEqual({ status: 200, body: { y: [11] } });
      }
    for (const name of MODELS)
      for (const path of [`/v2/models/${name}/infer`, `/v2/models/${name}/versions/1/infer`]) {
        const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
        expect((await fetch(url + path, { ...init, body: JSON.stringify({ inputs }) })).status).toBe(200);
      }
    const used = await Promise.all(servers.map(requestsOf));
    expect(used.filter(({ size }) => size > 0).length).toBeGreaterThan(1);
    for (const name of MODELS) expect([name, used.flatMap((counts) => counts.get(name) ?? [])]).toEqual([name, [6]]);
  });

  test('forwards no route that belongs to one server', async () => {
    const paths = ['/metrics', '/statistics', '/page', '/admin/models', '/v2/repository/index', '//predict/model-0'];
    for (const path of paths) expect([path, (await fetch(url + path)).status]).toEqual([path, 403]);
    for (const path of ['/v2', '/v2/health/live', '/openapi.json', '/v2/models/model-0'])
      expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
  });

  test('servers without --host reject other Host headers', async () => {
    expect((await predict(url, 'model-0', 1, 'models.example.com')).status).toBe(403);
    expect((await predict(url, 'model-0', 1, 'localhost')).status).toBe(200);
  });

  test('no request fails while a server ends after SIGTERM; its models move, and no others', async () => {
    homes = await homesOf(url, servers);
    expect(homes.flat().sort()).toEqual([...MODELS].sort());
    const replies = await load(url, 400, () => {
      void servers[0]!.stop();
    });
    expect(replies).toEqual(right(400));
    await state(metrics, 'models', 0, false);
    const before = await requestsOf(servers[0]!);
    const [none, ...others] = await homesOf(url, servers);
    expect(none).toEqual([]);
    expect(others.flat().sort()).toEqual([...MODELS].sort());
    for (const [index, names] of others.entries())
      expect(names).toEqual(expect.arrayContaining([...homes[index + 1]!]));
    expect(await load(url, 200)).toEqual(right(200));
    expect(await requestsOf(servers[0]!)).toEqual(before);
    expect((await fetch(`${servers[0]!.url}/v2/health/ready`)).status).toBe(503);
  });

  test('no request fails when one server ends after SIGKILL, and its models move to the other server', async () => {
    const killed = servers[2]!;
    let ended: Promise<unknown> | undefined;
    const replies = await load(url, 2000, () => {
      ended = killed.stop('SIGKILL');
    });
    await ended;
    expect(replies).toEqual(right(2000));
    await state(metrics, 'models', 2, false);
    expect(homes[2]!.length).toBeGreaterThan(0);
    expect(await homesOf(url, [servers[1]!])).toEqual([MODELS]);
  });

  test('without a server that is ready, the balancer is not ready', async () => {
    await servers[1]!.stop();
    await state(metrics, 'models', 1, false);
    expect((await fetch(`${url}/v2/health/ready`)).status).toBe(503);
    expect((await fetch(`${url}/predict/model-0`, { method: 'POST', body: '{}' })).status).toBe(503);
  });
});

test.skipIf(!hasHaproxy)('haproxy.cfg repeats no request that a server rejects', async () => {
  const paths: string[] = [];
  const rejecting = Array.from({ length: 3 }, () =>
    createHttpServer(({ url }, response) => {
      const isCheck = url === '/v2/health/ready';
      if (!isCheck) paths.push(url!);
      response.writeHead(isCheck ? 200 : 503, { 'content-type': 'application/json' }).end('{}');
    }).listen(0, '127.0.0.1'),
  );
  await Promise.all(rejecting.map((server) => once(server, 'listening')));
  const ports = rejecting.map((server) => (server.address() as AddressInfo).port);
  const { url } = await balance(config, ports);
  for (const name of MODELS) expect((await predict(url, name, 1)).status).toBe(503);
  expect(paths).toEqual(MODELS.map((name) => `/predict/${name}`));
  for (const server of rejecting) {
    server.close();
    server.closeAllConnections();
  }
});

/** Returns the file with the two alternatives that its comments name. */
function alternative(): string {
  const lines = config.split('\n').filter((line) => !/^ {4}(balance hash|hash-)/.test(line));
  const text = lines.join('\n').replace(/^ {4}#(?=balance leastconn$|http-request set-header Host)/gm, '    ');
  expect(text.match(/^ {4}(balance|hash-|http-request set-header).*$/gm)).toEqual([
    '    balance leastconn',
    '    http-request set-header Host localhost',
  ]);
  return text;
}

describe.skipIf(!hasHaproxy)('haproxy.cfg for one model, with grpc.cfg', () => {
  let servers: Serving[];
  let balancer: Balancer;
  const counts = async () => (await Promise.all(servers.map(requestsOf))).map((used) => used.get('model-0') ?? 0);

  beforeAll(async () => {
    const flags = ['--grpc-port', '0', '--shutdown-delay-ms', '2000000000'];
    servers = await Promise.all(Array.from({ length: 3 }, () => serve(models[0]!, ...flags)));
    const grpc = await Promise.all(servers.map((server) => server.line(/^grpc: (.*)$/)));
    const ports = servers.map(({ url }) => portOf(url));
    balancer = await balance(alternative() + read('grpc.cfg'), ports, grpc.map(portOf));
    for (const server of servers.keys()) {
      await state(balancer.metrics, 'models', server, true);
      await state(balancer.metrics, 'grpc', server, true);
    }
  });

  test('all servers answer requests for one model, with any Host', async () => {
    for (let x = 0; x < 30; x++)
      expect(await predict(balancer.url, 'model-0', x, 'models.example.com')).toEqual(right(x + 1)[x]);
    expect((await counts()).filter((count) => count === 0)).toEqual([]);
  });

  test('all servers answer the calls of one gRPC connection, and no call fails after SIGTERM', async () => {
    const client = new TestClient(balancer.grpc);
    const inputs = [{ name: 'x', datatype: 'FP32', shape: [1, 2], contents: { fp32_contents: [1, 1] } }];
    const call = async () => {
      const { outputs } = await client.call('ModelInfer', { model_name: 'model-0', inputs });
      expect(outputs[0].shape).toEqual(['1', '1']);
    };
    const before = await counts();
    for (let index = 0; index < 30; index++) await call();
    expect((await counts()).filter((count, server) => count === before[server])).toEqual([]);
    void servers[0]!.stop();
    for (let index = 0; index < 30; index++) await call();
    await state(balancer.metrics, 'grpc', 0, false);
    await state(balancer.metrics, 'grpc', 1, true);
    const [ended] = await counts();
    for (let index = 0; index < 30; index++) await call();
    expect((await counts())[0]).toBe(ended);
    client.close();
  });
});
