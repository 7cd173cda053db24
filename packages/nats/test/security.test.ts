import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { connect, headers, type NatsConnection } from '@nats-io/transport-node';
import { createRegistry, type ModelRegistry } from 'brezel';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { certificatePair } from '../../../testing/certificate.js';
import { GUARD_MS } from '../../../testing/guard.js';
import { seed } from '../../../testing/seed.js';
import { until } from '../../../testing/until.js';
import { addModel, constantModel } from '../../http/test/models.js';
import { type ClusterServer, connectFleet, type Fleet, joinCluster } from '../dist/index.js';
import { decodeReply, encodeRequest, encodeRows } from '../src/protocol/messages.js';
import { encodeValue } from '../src/values/encode.js';
import { errorOf } from './errors.js';
import { hasNatsServer, type NatsServer, startNats } from './nats-server.js';

const SECRET = 'hunter2-hunter2';
const SUBJECT = 'brezel.v1.predict.m';
const folder = mkdtempSync(join(tmpdir(), 'brezel-nats-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('addresses', () => {
  test.each([
    `nats://user:${SECRET}@127.0.0.1:4222`,
    `user:${SECRET}@127.0.0.1`,
    `nats://${SECRET}@host`,
    `tls://a:${SECRET}@[::1]:4222`,
  ])('with credentials are rejected, and not shown', async (servers) => {
    const registry = await createRegistry();
    for (const call of [connectFleet({ servers }), joinCluster({ registry, servers: ['nats://host', servers] })]) {
      const error = await call.catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'ERR_NATS_SERVER_URL' });
      expect(inspect(error, { depth: 9 })).not.toContain(SECRET);
    }
    await registry.close();
  });

  test.each([
    'http://host:4222',
    'ws://host',
    'nats://host:port',
    'a b',
    'nats://',
    'nats://host/path',
    'host:4222?x=1',
  ])('of another form are rejected: %s', async (servers) => {
    expect((await errorOf(connectFleet({ servers }))).code).toBe('ERR_NATS_SERVER_URL');
  });

  test('are required, unless the caller has a connection', async () => {
    const connection = { publish() {}, subscribe() {}, status() {} } as never;
    for (const options of [{}, { servers: [] }, { servers: 7 }, { connection, servers: 'host' }, { server: 'host' }])
      expect((await errorOf(connectFleet(options as never))).code).toBe('ERR_NATS_OPTION');
    expect((await errorOf(joinCluster({ servers: 'host' } as never))).code).toBe('ERR_NATS_OPTION');
  });
});

describe.skipIf(!hasNatsServer)('credentials', () => {
  let nats: NatsServer;
  const tokenFile = join(folder, 'token');

  beforeAll(async () => {
    const config = join(folder, 'nats.conf');
    writeFileSync(config, `authorization { token: "${SECRET}" }`);
    writeFileSync(tokenFile, `${SECRET}\n`);
    nats = await startNats(0, ['-c', config]);
  });
  afterAll(() => nats?.kill());

  test('come from a file', async () => {
    const fleet = await connectFleet({ servers: nats.url, tokenFile });
    expect(inspect([fleet, fleet.stats()], { depth: 0 })).not.toContain(SECRET);
    await fleet.close();
  });

  test('come from the environment', async () => {
    process.env.NATS_TOKEN = SECRET;
    try {
      await (await connectFleet({ servers: nats.url })).close();
    } finally {
      delete process.env.NATS_TOKEN;
    }
  });

  test('that are wrong or missing give an error without secrets', async () => {
    const wrong = join(folder, 'wrong');
    writeFileSync(wrong, 'another-secret');
    for (const options of [{ tokenFile: wrong }, {}]) {
      const error = await connectFleet({ servers: nats.url, ...options }).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'ERR_NATS_CONNECTION', statusCode: 503 });
      expect(inspect(error, { depth: 9 })).not.toContain('another-secret');
    }
  });

  test('cannot come from a missing or empty file', async () => {
    writeFileSync(join(folder, 'empty'), ' \n');
    for (const name of ['missing', 'empty']) {
      const file = join(folder, name);
      for (const options of [{ tokenFile: file }, { credentialsFile: file }])
        expect((await errorOf(connectFleet({ servers: nats.url, ...options }))).code).toBe('ERR_NATS_CREDENTIALS');
    }
    const both = { servers: nats.url, tokenFile, credentialsFile: tokenFile };
    expect((await errorOf(connectFleet(both))).code).toBe('ERR_NATS_OPTION');
  });

  test('a server that does not exist gives an error', async () => {
    const { code, message } = await errorOf(connectFleet({ servers: 'nats://127.0.0.1:1' }));
    expect([code, message]).toEqual(['ERR_NATS_CONNECTION', expect.stringContaining('127.0.0.1:1')]);
  });
});

test.skipIf(!hasNatsServer)('an account without permission for a model gets an error', async () => {
  const config = join(folder, 'permissions.conf');
  const permissions = '{ publish: ["brezel.v1.*.open", "brezel.v1.predict.half", "_INBOX.>"], subscribe: ">" }';
  writeFileSync(config, `authorization { users: [{ user: "a", password: "b", permissions: ${permissions} }] }`);
  const nats = await startNats(0, ['-c', config]);
  Object.assign(process.env, { NATS_USER: 'a', NATS_PASSWORD: 'b' });
  const registry = await createRegistry();
  for (const name of ['open', 'half', 'secret']) addModel(registry, name, constantModel(1));
  const server = await joinCluster({ registry, servers: nats.url });
  const fleet = await connectFleet({ servers: nats.url, timeoutMs: GUARD_MS });
  delete process.env.NATS_USER;
  delete process.env.NATS_PASSWORD;
  const row = { x: [1, 2] };
  expect(await fleet.predict('open', row)).toEqual({ y: [1] });
  expect(await errorOf(fleet.predict('secret', row))).toMatchObject({ code: 'ERR_NATS_PERMISSION', statusCode: 403 });
  expect(await fleet.predict('half', row)).toEqual({ y: [1] });
  await fleet.close();
  await server.close();
  await registry.close();
  await nats.kill();
});

test.skipIf(!hasNatsServer)('TLS checks the certificate of the NATS server', async () => {
  const { cert, key } = certificatePair();
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  const nats = await startNats(0, ['--tls', '--tlscert', certFile, '--tlskey', keyFile]);
  const servers = `tls://localhost:${nats.port}`;
  const fleet = await connectFleet({ servers, tls: { caFile: certFile } });
  expect((await errorOf(fleet.predict('m', 1 as never))).code).toBe('ERR_NATS_NO_SERVER');
  await fleet.close();
  expect((await errorOf(connectFleet({ servers }))).code).toBe('ERR_NATS_CONNECTION');
  await nats.kill();
});

describe.skipIf(!hasNatsServer)('hostile messages', () => {
  let nats: NatsServer;
  let registry: ModelRegistry;
  let server: ClusterServer;
  let connection: NatsConnection;
  let fleet: Fleet;
  const errors: unknown[] = [];
  const row = encodeRows([{ x: [1, 2] }], 2 ** 20);
  const valid = encodeRequest({ verb: 'predict', reference: 'm' }, row);

  beforeAll(async () => {
    nats = await startNats();
    registry = await createRegistry();
    addModel(registry, 'm', constantModel(1));
    addModel(registry, 'other', constantModel(2));
    server = await joinCluster({ registry, servers: nats.url, logError: (error) => void errors.push(error) });
    connection = await connect({ servers: nats.url });
    fleet = await connectFleet({ servers: nats.url });
  });
  afterAll(async () => {
    await fleet?.close();
    await connection?.close();
    await server?.close();
    await registry?.close();
    await nats?.kill();
  });

  /** Sends bytes as a request. Returns the code of the error, or `answered`. */
  async function codeFor(bytes: Uint8Array, fields: Readonly<Record<string, string>> = {}): Promise<string> {
    const sent = headers();
    for (const [name, value] of Object.entries(fields)) sent.set(name, value);
    const { data } = await connection.request(SUBJECT, bytes, { timeout: GUARD_MS, headers: sent });
    const reply = decodeReply(data);
    return 'code' in reply ? reply.code : 'answered';
  }

  test('get an answer or an error, and the server continues', async () => {
    expect(await codeFor(valid)).toBe('answered');
    const codes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 80 }), async (bytes) => {
        codes.add(await codeFor(bytes));
        codes.add(await codeFor(Buffer.concat([valid.subarray(0, 3), bytes])));
      }),
      { seed, numRuns: 150 },
    );
    expect([...codes]).toEqual(['ERR_NATS_MESSAGE']);
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat({ max: 255 }), fc.nat(), async (at, byte, end) => {
        const bytes = Uint8Array.from(valid);
        bytes[at % bytes.length] = byte;
        codes.add(await codeFor(bytes));
        codes.add(await codeFor(valid.subarray(0, end % valid.length)));
      }),
      { seed, numRuns: 150 },
    );
    const known = ['answered', 'ERR_NATS_MESSAGE', 'ERR_RUNTIME_INPUT', 'ERR_REGISTRY_REFERENCE'];
    expect([...codes].filter((code) => !known.includes(code))).toEqual([]);
    expect(await fleet.predict('m', { x: [1, 2] })).toEqual({ y: [1] });
    expect([server.stats().inFlight, errors]).toEqual([0, []]);
  });

  test.each([
    ['a model of another subject', { verb: 'predict', reference: 'other' }, [{ x: [1, 2] }]],
    ['an unknown verb', { verb: 'close', reference: 'm' }, [{ x: [1, 2] }]],
    ['rows to describe', { verb: 'describe', reference: 'm' }, [{ x: [1, 2] }]],
    ['a verb that objects inherit', { verb: 'constructor', reference: 'm' }, [{ x: [1, 2] }]],
    ['no reference', { verb: 'predict' }, [{ x: [1, 2] }]],
    ['an invalid key', { verb: 'predict', reference: 'm', key: {} }, [{ x: [1, 2] }]],
    ['two rows', { verb: 'predict', reference: 'm' }, [{ x: [1, 2] }, { x: [1, 2] }]],
    ['too many rows', { verb: 'predictBatch', reference: 'm' }, new Array(257).fill({ x: [1, 2] })],
    ['no first part', null, []],
  ])('are rejected: %s', async (_, head, rows) => {
    expect(await codeFor(encodeRequest(head as never, encodeValue(rows, 2 ** 20)))).toBe('ERR_NATS_MESSAGE');
  });

  test.each([
    { 'Brezel-Deadline-Ms': 'soon' },
    { 'Brezel-Deadline-Ms': '-1' },
    { 'Brezel-Deadline-Ms': 'Infinity' },
    { 'Brezel-Id': 'x'.repeat(1000) },
  ])('with invalid headers are rejected: %o', async (fields) => {
    expect(await codeFor(valid, fields as never)).toBe('ERR_NATS_MESSAGE');
  });

  test('with malformed headers are rejected, and not logged', async () => {
    const replies: string[] = [];
    connection.subscribe('probe', {
      callback: (_, { data }) => void replies.push((decodeReply(data) as { code: string }).code),
    });
    await connection.flush();
    const socket = createConnection(nats.port, '127.0.0.1');
    const head = 'NATS/1.0\r\nbad name: x\r\n\r\n';
    const publish = (subject: string) => `HPUB ${subject} probe ${head.length} ${head.length}\r\n${head}\r\n`;
    const subjects = ['brezel.v1.control.m', SUBJECT, 'brezel.v1.control.m', SUBJECT];
    socket.write(`CONNECT {"verbose":false,"headers":true}\r\n${subjects.map(publish).join('')}`);
    await until(() => replies.length === 2);
    expect([replies, errors]).toEqual([['ERR_NATS_MESSAGE', 'ERR_NATS_MESSAGE'], []]);
    expect(await codeFor(valid)).toBe('answered');
    socket.destroy();
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('no log');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no log'))],
  ])('do not end a server whose logError %s', async (_, logError) => {
    const failing = await createRegistry();
    addModel(failing, 'failing', constantModel(1));
    const other = await joinCluster({ registry: failing, servers: nats.url, logError });
    const failed = vi.spyOn(console, 'error').mockImplementation(() => {});
    vi.spyOn(failing, 'route').mockImplementationOnce(() => {
      throw new TypeError('a bug');
    });
    expect((await errorOf(fleet.predict('failing', { x: [1, 2] }))).code).toBe('ERR_NATS_FAILED');
    expect(await fleet.predict('failing', { x: [1, 2] })).toEqual({ y: [1] });
    expect(failed).toHaveBeenCalledWith('logError has failed:', expect.objectContaining({ message: 'no log' }));
    failed.mockRestore();
    await other.close();
    await failing.close();
  });

  test('without a reply subject, or about unknown requests, have no effect', async () => {
    connection.publish(SUBJECT, valid);
    connection.publish('brezel.v1.control.m', Buffer.from('x'));
    const sent = headers();
    sent.set('Brezel-Id', 'unknown');
    for (const action of ['status', 'cancel', 'stop']) {
      sent.set('Brezel-Control', action);
      connection.publish('brezel.v1.control.m', new Uint8Array(0), { headers: sent, reply: 'x' });
    }
    expect(await codeFor(valid)).toBe('answered');
    expect(errors).toEqual([]);
  });

  test('from a server give an error to the client', async () => {
    const bytes = [
      Buffer.from('x'),
      new Uint8Array(0),
      Buffer.concat([valid.subarray(0, 3), encodeValue({ error: { code: 7 } }, 1000)]),
      Buffer.concat([valid.subarray(0, 3), encodeValue({ version: 'm@1', answers: [] }, 1000)]),
      Buffer.concat([valid.subarray(0, 3), encodeValue({ version: 'm@1', answers: [1, 2] }, 1000)]),
    ];
    let next = 0;
    connection.subscribe('brezel.v1.predict.fake', {
      queue: 'brezel',
      callback: (_, message) => void message.respond(bytes[next++]),
    });
    await connection.flush();
    for (const _ of bytes) expect((await errorOf(fleet.predict('fake', 'x'))).code).toBe('ERR_NATS_MESSAGE');
  });
});
