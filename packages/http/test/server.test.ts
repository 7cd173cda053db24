import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get as getTls } from 'node:https';
import { connect, type Socket } from 'node:net';
import { createRegistry } from 'brezel';
import fastify from 'fastify';
import { afterAll, describe, expect, test } from 'vitest';
import { certificatePair } from '../../../testing/certificate.js';
import { until } from '../../../testing/until.js';
import { inferenceRoutes, type ServerOptions, startServer } from '../dist/index.js';
import { addModel, constantModel, get, post, serving } from './models.js';

const registry = await createRegistry();
addModel(registry, 'film', constantModel(1));
const certificate = certificatePair();
afterAll(() => registry.close());

const start = (options: Partial<ServerOptions> = {}) => startServer({ registry, port: 0, ...options });
const portOf = ({ url }: { readonly url: string }) => Number(new URL(url).port);
const json = { 'content-type': 'application/json' };

/** Sends bytes over a connection and returns everything that comes back until it closes. */
async function exchange(port: number, ...parts: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => undefined);
  for (const part of parts) socket.write(part);
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

test('the version is the version of the package', async () => {
  const server = await start();
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(await (await fetch(`${server.url}/v2`)).json()).toMatchObject({ version });
  await server.close();
});

describe('the server', () => {
  test('listens on loopback, on a free port, and answers over a socket', async () => {
    const server = await start();
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    expect(server.app.addresses().map((bound) => (typeof bound === 'string' ? bound : bound.address))).toEqual([
      '127.0.0.1',
    ]);
    const body = JSON.stringify({ x: [1, 2] });
    const response = await fetch(`${server.url}/predict/film`, { method: 'POST', body, headers: json });
    expect([response.status, await response.json()]).toEqual([200, { y: [1] }]);
    expect((await fetch(`${server.url}/nothing`)).status).toBe(404);
    await server.close();
  });

  test('supports TLS', async () => {
    const server = await start({ tls: certificate });
    expect(server.url).toMatch(/^https:/);
    const request = getTls(`${server.url}/v2/health/live`, { rejectUnauthorized: false });
    const [response] = await once(request, 'response');
    expect(response.statusCode).toBe(200);
    response.destroy();
    await server.close();
  });

  test('logs an error of its socket, and continues', async () => {
    const server = await start();
    const errors: unknown[] = [];
    Object.assign(server.app.log, { error: (error: unknown) => errors.push(error) });
    const error = new Error('accept EMFILE');
    server.app.server.emit('error', error);
    expect(errors).toEqual([error]);
    expect((await fetch(`${server.url}/v2/health/live`)).status).toBe(200);
    await server.close();
  });

  test('close ends a connection that never starts the TLS handshake', async () => {
    const server = await start({ tls: certificate, drainMs: 0 });
    const accepted = once(server.app.server, 'connection');
    const socket = connect(portOf(server), '127.0.0.1').on('error', () => undefined);
    await accepted;
    try {
      await server.close();
    } finally {
      socket.destroy();
    }
  });

  test('is ready when isReady says so', async () => {
    let isReady = false;
    const server = await start({ isReady: () => isReady });
    const status = async (path: string) => (await fetch(`${server.url}/v2/health/${path}`)).status;
    expect([await status('ready'), await status('live')]).toEqual([503, 200]);
    isReady = true;
    expect(await status('ready')).toBe(200);
    await server.close();
  });

  test('close answers requests in flight, and reports that the server is not ready', async () => {
    let finish: (error: Error) => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      registry.add('slow', {
        async load() {
          resolve();
          return new Promise((_, reject) => {
            finish = reject;
          });
        },
      });
    });
    const server = await start({ drainMs: 2 ** 31 - 1 });
    const answer = fetch(`${server.url}/predict/slow`, { method: 'POST', body: '{}', headers: json });
    await asked;
    const closing = server.close();
    expect(server.close()).toBe(closing);
    finish(new Error('the load failed'));
    expect((await answer).status).toBe(503);
    await closing;
    await expect(fetch(server.url)).rejects.toThrow();
    await registry.remove('slow');
  });

  test('close ends requests after drainMs', async () => {
    const asked = new Promise<void>((resolve) => {
      registry.add('endless', {
        load() {
          resolve();
          return new Promise(() => undefined);
        },
      });
    });
    const server = await start({ drainMs: 0 });
    const answer = fetch(`${server.url}/predict/endless`, { method: 'POST', body: '{}', headers: json });
    const failed = expect(answer).rejects.toThrow();
    await asked;
    await server.close();
    await failed;
    await registry.remove('endless', { drainMs: 0 });
  });

  test.each([
    ['port', { port: 65_536 }],
    ['drainMs', { drainMs: -1 }],
    ['token', { token: '' }],
    ['token', { token: 'secr\u00e9t' }],
    ['token', { token: 5 }],
    ['maxRows', { maxRows: 0 }],
    ['concurrency', { concurrency: 1.5 }],
    ['maxBodyBytes', { maxBodyBytes: Number.NaN }],
    ['maxBodyBytes', { maxBodyBytes: 2 ** 31 }],
    ['maxBodyBytes', { maxBodyBytes: '1' }],
    ['host', { host: 5 }],
    ['hosts', { hosts: ['localhost', 5] }],
    ['open', { open: 'predict' }],
    ['open', { open: ['pages'] }],
    ['metrics', { metrics: 0 }],
    ['page', { page: 'yes' }],
    ['accessLog', { accessLog: 'log.txt' }],
    ['registry', { registry: {} }],
    ['runtime', { runtime: null }],
    ['tls', { tls: 'cert.pem' }],
    ['tls.key', { tls: { cert: '' } }],
    ['drainMs', { drainms: 5 }],
  ])('a wrong %s is an error', async (name, options) => {
    await expect(start(options as object)).rejects.toMatchObject({
      code: 'ERR_HTTP_OPTION',
      message: expect.stringContaining(name),
    });
  });

  test.each([
    ['registry', { registry: undefined }],
    ['token', { token: '\u20ac' }],
    ['isReady', { isReady: true }],
    ['maxRows', { maxrows: 5 }],
    ['known option', { port: 8080 }],
  ])('a wrong %s of the plugin is an error', async (name, options) => {
    const app = fastify();
    app.register(inferenceRoutes, { registry, ...options, prefix: '/v1' } as never);
    await expect(app.ready().then(() => undefined)).rejects.toMatchObject({
      code: 'ERR_HTTP_OPTION',
      message: expect.stringContaining(name),
    });
  });

  test('the plugin accepts the options that fastify reads', async () => {
    const app = fastify();
    app.register(inferenceRoutes, { registry, prefix: '/v1', logLevel: 'warn', logSerializers: {} });
    expect((await app.inject('/v1/v2/health/live')).statusCode).toBe(200);
    await app.close();
  });

  test.each([
    ['certificate', 'tls.cert (--tls-cert)', { cert: 'no PEM' }],
    ['private key', 'tls.key (--tls-key)', { key: 'no PEM' }],
    ['key of another certificate', 'tls.key (--tls-key)', { key: certificatePair().key }],
  ])('an invalid %s is an error that names it', async (_, at, wrong) => {
    await expect(start({ tls: { ...certificate, ...wrong } })).rejects.toMatchObject({
      code: 'ERR_HTTP_TLS',
      message: expect.stringContaining(at),
    });
  });

  test('ends a TLS handshake that does not finish in time', async () => {
    const server = await start({ tls: certificate, requestTimeoutMs: 1 });
    const socket = connect(portOf(server), '127.0.0.1').on('error', () => undefined);
    await once(socket, 'close');
    await server.close();
  });
});

describe('limits', () => {
  test('a body beyond the limit is rejected, with and without a length', async () => {
    const server = await start({ maxBodyBytes: 1000 });
    for (const path of ['/predict/film', '/v2/models/film/infer']) {
      const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n`;
      const sized = await exchange(portOf(server), `${head}Content-Length: 1000000\r\n\r\n{`);
      expect(sized).toMatch(/^HTTP\/1.1 413 /);
      const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n3e9\r\n${' '.repeat(1001)}\r\n`;
      expect(await exchange(portOf(server), chunked)).toMatch(/^HTTP\/1.1 413 .*ERR_HTTP_BODY/s);
    }
    await server.close();
  });

  test('a head beyond 16 KiB is rejected', async () => {
    const server = await start();
    const head = `GET /v2 HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`;
    expect(await exchange(portOf(server), head)).toMatch(/^HTTP\/1.1 431 /);
    await server.close();
  });

  test('a client that is too slow gets status 408', async () => {
    const server = await start({ requestTimeoutMs: 1 });
    const half =
      'POST /predict/film HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{"';
    expect(await exchange(portOf(server), half)).toMatch(/^HTTP\/1.1 408 .*did not arrive in time/s);
    await server.close();
  });

  test('an incomplete body does not affect other clients', async () => {
    const server = await start();
    const sockets = Array.from({ length: 20 }, () => connect(portOf(server), '127.0.0.1'));
    for (const socket of sockets)
      socket.write(
        'POST /predict/film HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"x"',
      );
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const body = JSON.stringify({ x: [1, 2] });
    expect((await fetch(`${server.url}/predict/film`, { method: 'POST', body, headers: json })).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await server.close();
  });

  test('more predictions than concurrency get status 429', async () => {
    const server = await start({ concurrency: 2 });
    const half =
      'POST /predict/film HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 12\r\n';
    const busy: Socket[] = [];
    for (let index = 0; index < 2; index++) {
      const socket = connect(portOf(server), '127.0.0.1');
      socket.write(`${half}Expect: 100-continue\r\n\r\n`);
      await once(socket, 'data'); // 100 Continue: the server has seen the head
      busy.push(socket);
    }
    const body = JSON.stringify({ x: [1, 2] });
    const ask = () => fetch(`${server.url}/predict/film`, { method: 'POST', body, headers: json });
    const refused = await ask();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect((await fetch(`${server.url}/v2/models/film`)).status).toBe(200);
    for (const socket of busy) {
      socket.write('{"x": [1,2]}');
      expect(`${(await once(socket, 'data'))[0]}`).toContain('200 OK');
      socket.destroy();
    }
    expect((await ask()).status).toBe(200);
    await server.close();
  });
});

test('disconnected clients no longer count as in flight', async () => {
  const server = await start({ concurrency: 1 });
  const body = JSON.stringify({ x: [1, 2] });
  const ask = async () => (await fetch(`${server.url}/predict/film`, { method: 'POST', body, headers: json })).status;
  const head = 'POST /predict/film HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
  for (const rest of [
    'Content-Length: 99\r\nExpect: 100-continue\r\n\r\n',
    'Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n',
  ]) {
    const socket = connect(portOf(server), '127.0.0.1');
    socket.write(`${head}${rest}`);
    await once(socket, 'data'); // 100 Continue: the request has its place
    expect(await ask()).toBe(429);
    socket.write('{"x"');
    socket.destroy();
    await until(async () => (await ask()) === 200);
  }
  await server.close();
});

describe('access', () => {
  const add = (models: typeof registry) => void addModel(models, 'film', constantModel(1));

  test('a token protects every route but health', async () => {
    const { app, close } = await serving(add, { token: 'secret' });
    expect((await get(app, '/v2/health/ready')).status).toBe(200);
    for (const headers of [{}, { authorization: 'Bearer secret2' }, { authorization: 'Basic secret' }]) {
      expect(await get(app, '/v2', headers)).toMatchObject({ status: 401, body: { code: 'ERR_HTTP_TOKEN' } });
      expect((await post(app, '/predict/film', { x: [1, 2] }, headers)).status).toBe(401);
    }
    const headers = { authorization: 'Bearer secret' };
    expect((await post(app, '/predict/film', { x: [1, 2] }, headers)).status).toBe(200);
    await close();
  });

  test('open groups need no token', async () => {
    const { app, close } = await serving(add, { token: 'secret', open: ['predict'] });
    expect((await post(app, '/predict/film', { x: [1, 2] })).status).toBe(200);
    await close();
  });

  test('other hosts and other sites are rejected', async () => {
    const { app, close } = await serving(add, { hosts: ['localhost'] });
    expect((await get(app, '/v2', { host: 'localhost:8080' })).status).toBe(200);
    expect((await get(app, '/v2', { host: 'LOCALHOST' })).status).toBe(200);
    for (const headers of [
      { host: 'attacker.example' },
      { host: 'localhost.attacker.example:80' },
      { host: 'localhost', origin: 'http://attacker.example' },
      { host: 'localhost', origin: 'null' },
    ])
      expect(await get(app, '/v2', headers)).toMatchObject({ status: 403, body: { code: 'ERR_HTTP_ORIGIN' } });
    expect((await get(app, '/v2', { host: 'localhost:80', origin: 'http://localhost:80' })).status).toBe(403);
    expect((await get(app, '/v2', { host: 'localhost', origin: 'http://localhost' })).status).toBe(200);
    await close();
  });
});
