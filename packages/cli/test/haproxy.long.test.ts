import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { ServerStatistics } from '@brezel/http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../testing/until.js';
import { regressorModel, root, temporaryFolder } from './brezel.js';
import { killServers, type Serving, serve } from './spawn-server.js';

const config = readFileSync(join(root, 'examples/deploy/haproxy/haproxy.cfg'), 'utf8');
const hasHaproxy = spawnSync('haproxy', ['-v']).status === 0;

const folder = temporaryFolder();
const agent = new Agent({ keepAlive: true });
let haproxy: ChildProcess | undefined;
afterAll(() => {
  agent.destroy();
  haproxy?.kill('SIGKILL');
  killServers();
  folder.remove();
});

const MODELS = Array.from({ length: 12 }, (_, model) => `model-${model}`);
const file = folder.file('model.onnx', regressorModel([1, 10]));
const models = MODELS.map((name) => `${name}=${file}`);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

/** Returns the ports in the file, in order. */
const portsOf = (text: string) => [...text.matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => Number(port));

/** Starts HAProxy with the file of the repository and other ports. Returns its two addresses. */
async function balance(servers: readonly number[]): Promise<{ url: string; metrics: string }> {
  const [front, exporter] = [await freePort(), await freePort()];
  const ports = new Map([front, ...servers, exporter].map((port, index) => [portsOf(config)[index]!, port]));
  const changed = config.replace(/127\.0\.0\.1:(\d+)/g, (_, port) => `127.0.0.1:${ports.get(Number(port))}`);
  haproxy = spawn('haproxy', ['-db', '-f', folder.file('haproxy.cfg', changed)], { stdio: 'ignore' });
  return { url: `http://127.0.0.1:${front}`, metrics: `http://127.0.0.1:${exporter}/metrics` };
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** Sends a row over connections that stay open, as clients of a service do. */
async function predict(url: string, name: string, x: number): Promise<Reply> {
  const headers = { 'content-type': 'application/json' };
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

/** Returns the names of the models that have answered requests on a server, with their numbers. */
async function requestsOf({ url }: Serving): Promise<ReadonlyMap<string, number>> {
  const { versions } = (await (await fetch(`${url}/statistics`)).json()) as ServerStatistics;
  const used = versions.filter(({ requests }) => requests > 0);
  return new Map(used.map(({ version, requests }) => [version.replace('@1', ''), requests]));
}

describe.skipIf(!hasHaproxy)('examples/deploy/haproxy', () => {
  let servers: Serving[];
  let url: string;
  let metrics: string;
  /** Waits until HAProxy reports this state of a server. */
  const state = (server: number, up: boolean) =>
    until(async () => {
      const text = await (await fetch(metrics)).text().catch(() => '');
      const line = `haproxy_server_status{proxy="models",server="r${server + 1}",state="UP"} ${up ? 1 : 0}`;
      return text.includes(line);
    });

  beforeAll(async () => {
    servers = await Promise.all([
      serve(...models, '--shutdown-delay-ms', '2000000000'),
      serve(...models),
      serve(...models),
    ]);
    ({ url, metrics } = await balance(servers.map((server) => Number(new URL(server.url).port))));
    await until(() =>
      fetch(`${url}/v2/health/ready`).then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
    for (const server of servers.keys()) await state(server, true);
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

  test('a server that is not ready gets no requests, although it would answer', async () => {
    void servers[0]!.stop();
    await state(0, false);
    const before = await requestsOf(servers[0]!);
    expect(await load(url, 200)).toEqual(right(200));
    expect(await requestsOf(servers[0]!)).toEqual(before);
    expect((await fetch(`${servers[0]!.url}/v2/health/ready`)).status).toBe(503);
  });

  test('no request fails when one server ends after SIGKILL, and its models move to the other server', async () => {
    const before = await requestsOf(servers[1]!);
    const killed = servers[2]!;
    let ended: Promise<unknown> | undefined;
    const replies = await load(url, 2000, () => {
      ended = killed.stop('SIGKILL');
    });
    await ended;
    expect(replies).toEqual(right(2000));
    await state(2, false);
    expect((await requestsOf(servers[1]!)).size).toBe(MODELS.length);
    expect(before.size).toBeLessThan(MODELS.length);
  });

  test('without a server that is ready, the balancer is not ready', async () => {
    await servers[1]!.stop();
    await state(1, false);
    expect((await fetch(`${url}/v2/health/ready`)).status).toBe(503);
    expect((await fetch(`${url}/predict/model-0`, { method: 'POST', body: '{}' })).status).toBe(503);
  });
});
