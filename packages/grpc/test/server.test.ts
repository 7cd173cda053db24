import dns from 'node:dns/promises';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { syncBuiltinESMExports } from 'node:module';
import net, { connect as connectSocket } from 'node:net';
import { credentials } from '@grpc/grpc-js';
import { BrezelError, createRegistry } from 'brezel';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { certificatePair } from '../../../testing/certificate.js';
import { seed } from '../../../testing/seed.js';
import { until } from '../../../testing/until.js';
import { addModel, constantModel, echoModel } from '../../http/test/models.js';
import { type GrpcServerOptions, type RepositoryChange, startGrpcServer } from '../dist/index.js';
import { failure, type Message, metadataOf, ownProto, TestClient } from './client.js';

const registry = await createRegistry();
addModel(registry, 'film', constantModel(1));
addModel(registry, 'echo', echoModel('text'));
afterAll(() => registry.close());

const certificate = certificatePair();
const STATUS = {
  CANCELLED: 1,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  INTERNAL: 13,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;
const one = {
  model_name: 'film',
  inputs: [{ name: 'x', datatype: 'FP32', shape: [1, 2], contents: { fp32_contents: [1, 2] } }],
};

/** Starts a server and a client, and runs a test with both. */
async function serving(
  options: Partial<GrpcServerOptions>,
  run: (client: TestClient, server: Awaited<ReturnType<typeof startGrpcServer>>) => Promise<unknown>,
): Promise<void> {
  const server = await startGrpcServer({ registry, port: 0, logError: () => undefined, ...options });
  const client = new TestClient(server.address);
  try {
    await run(client, server);
  } finally {
    client.close();
    await server.close();
  }
}

/** Adds a model whose load waits until the test ends it. */
function addSlow(name: string): { readonly asked: Promise<void>; fail(): void; remove(): Promise<void> } {
  let fail: (error: Error) => void = () => undefined;
  let ask: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  registry.add(name, {
    load() {
      ask();
      return new Promise((_, reject) => {
        fail = reject;
      });
    },
  });
  return {
    asked,
    fail: () => fail(new Error('the load failed')),
    async remove() {
      fail(new Error('removed'));
      await registry.remove(name, { drainMs: 0 });
    },
  };
}

test('the version is the version of the package', () =>
  serving({}, async (client) => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    expect(await client.call('ServerMetadata')).toMatchObject({ version });
  }));

describe('the server', () => {
  test('listens on loopback, on a free port', () =>
    serving({}, async (_, { address }) => {
      expect(address).toMatch(/^127\.0\.0\.1:[1-9]\d*$/);
      const port = Number(address.split(':')[1]);
      await expect(startGrpcServer({ registry, port })).rejects.toMatchObject({ code: 'ERR_GRPC_ADDRESS' });
    }));

  test('uses TLS', async () => {
    await serving({ tls: certificate }, async (plain, { address }) => {
      const client = new TestClient(address, ownProto, credentials.createSsl(certificate.cert));
      expect(await client.call('ServerLive')).toEqual({ live: true });
      client.close();
      expect((await failure(plain.call('ServerLive'))).status).toBe(STATUS.UNAVAILABLE);
    });
  });

  test('close ends connections that never start a call, with and without TLS', async () => {
    for (const tls of [certificate, undefined]) {
      const server = await startGrpcServer({ registry, port: 0, drainMs: 0, ...(tls && { tls }) });
      const socket = connectSocket(Number(server.address.split(':')[1]), '127.0.0.1').on('error', () => undefined);
      socket.resume();
      const closed = once(socket, 'close');
      await once(socket, 'connect');
      await server.close();
      await closed;
    }
  });

  test('ends a TLS handshake that does not finish in time', async () => {
    const server = await startGrpcServer({ registry, port: 0, requestTimeoutMs: 1, tls: certificate });
    const socket = connectSocket(Number(server.address.split(':')[1]), '127.0.0.1').on('error', () => undefined);
    await once(socket, 'close');
    await server.close();
  });

  test('listens on every address of localhost', () =>
    serving({ host: 'localhost' }, async (client) => {
      expect(await client.call('ServerLive')).toEqual({ live: true });
      const port = client.address.split(':')[1];
      const ipv4 = new TestClient(`127.0.0.1:${port}`);
      expect(await ipv4.call('ServerLive')).toEqual({ live: true });
      ipv4.close();
    }));

  test('listens on the other addresses of localhost if one is unavailable', async () => {
    const { lookup } = dns;
    const addresses = ['192.0.2.1', '127.0.0.1'].map((address) => ({ address, family: 4 }));
    Object.assign(dns, { lookup: async () => addresses });
    syncBuiltinESMExports();
    try {
      const server = await startGrpcServer({ registry, host: 'localhost', port: 0 });
      const client = new TestClient(`127.0.0.1:${server.address.split(':')[1]}`);
      expect(await client.call('ServerLive')).toEqual({ live: true });
      client.close();
      await server.close();
      addresses.pop();
      const error = { code: 'ERR_GRPC_ADDRESS', message: expect.stringContaining('192.0.2.1') };
      await expect(startGrpcServer({ registry, host: 'localhost', port: 0 })).rejects.toMatchObject(error);
    } finally {
      Object.assign(dns, { lookup });
      syncBuiltinESMExports();
    }
  });

  test('fails if another program uses an address of localhost', async () => {
    const { lookup } = dns;
    const addresses = ['127.0.0.1', '127.0.0.1'].map((address) => ({ address, family: 4 }));
    Object.assign(dns, { lookup: async () => addresses });
    syncBuiltinESMExports();
    try {
      const error = { code: 'ERR_GRPC_ADDRESS', message: expect.stringContaining('EADDRINUSE') };
      await expect(startGrpcServer({ registry, host: 'localhost', port: 0 })).rejects.toMatchObject(error);
    } finally {
      Object.assign(dns, { lookup });
      syncBuiltinESMExports();
    }
  });

  test('logs an error of its socket, and continues', async () => {
    const { createServer } = net;
    const sockets: net.Server[] = [];
    Object.assign(net, {
      createServer: (...given: Parameters<typeof createServer>) => {
        const socket = createServer(...given);
        sockets.push(socket);
        return socket;
      },
    });
    syncBuiltinESMExports();
    const errors: unknown[] = [];
    try {
      await serving({ logError: (error) => errors.push(error) }, async (client) => {
        const error = new Error('accept EMFILE');
        sockets[0]!.emit('error', error);
        expect(errors).toEqual([error]);
        expect(await client.call('ServerLive')).toEqual({ live: true });
      });
    } finally {
      Object.assign(net, { createServer });
      syncBuiltinESMExports();
    }
  });

  test.each([
    ['port', { port: 65_536 }],
    ['drainMs', { drainMs: -1 }],
    ['token', { token: '' }],
    ['token', { token: 'secr\u00e9t' }],
    ['token', { token: ' secret' }],
    ['token', { token: 5 }],
    ['maxRows', { maxRows: 0 }],
    ['concurrency', { concurrency: 1.5 }],
    ['maxMessageBytes', { maxMessageBytes: Number.NaN }],
    ['host', { host: 5 }],
    ['host', { host: '' }],
    ['openPredict', { openPredict: 'no' }],
    ['logError', { logError: true }],
    ['registry', { registry: {} }],
    ['registry', { registry: null }],
    ['tls', { tls: 'cert.pem' }],
    ['tls.cert', { tls: { cert: 5, key: '' } }],
    ['tls.key', { tls: { cert: '' } }],
    ['accessLog', { accessLog: 'log.txt' }],
    ['onCall', { onCall: true }],
    ['drainMs', { drainms: 5 }],
  ])('a wrong %s is an error', async (name, options) => {
    const error = await startGrpcServer({ registry, ...(options as object) }).catch((reason) => reason);
    expect(error).toMatchObject({ code: 'ERR_GRPC_OPTION', message: expect.stringContaining(name) });
    if ('token' in options) expect(error.message).not.toContain('secr');
  });

  test.each([
    ['certificate', 'tls.cert (--tls-cert)', { cert: 'no PEM' }],
    ['empty certificate', 'tls.cert (--tls-cert)', { cert: '' }],
    ['private key', 'tls.key (--tls-key)', { key: 'no PEM' }],
    ['key of another certificate', 'tls.key (--tls-key)', { key: certificatePair().key }],
  ])('an invalid %s is an error that names it', async (_, at, wrong) => {
    const tls = { ...certificate, ...wrong };
    await expect(startGrpcServer({ registry, port: 0, tls })).rejects.toMatchObject({
      code: 'ERR_GRPC_TLS',
      message: expect.stringContaining(at),
    });
  });

  test('close answers calls in flight, and ends streams', async () => {
    const slow = addSlow('slow');
    const server = await startGrpcServer({ registry, port: 0, drainMs: 2 ** 31 - 1, logError: () => undefined });
    const client = new TestClient(server.address);
    const stream = client.stub.ModelStreamInfer!();
    stream.write(one);
    await once(stream, 'data');
    const answer = failure(client.call('ModelInfer', { ...one, model_name: 'slow' }));
    const ended = once(stream, 'error');
    await slow.asked;
    const closing = server.close();
    expect(server.close()).toBe(closing);
    expect((await ended)[0]).toMatchObject({ code: STATUS.UNAVAILABLE, details: 'the server is closing' });
    slow.fail();
    expect(await answer).toMatchObject({ status: STATUS.UNAVAILABLE, code: 'ERR_REGISTRY_LOAD' });
    await closing;
    client.close();
    await slow.remove();
  });

  test('close ends calls after drainMs', async () => {
    const slow = addSlow('endless');
    const server = await startGrpcServer({ registry, port: 0, drainMs: 0 });
    const client = new TestClient(server.address);
    const answer = client.call('ModelInfer', { ...one, model_name: 'endless' });
    const failed = expect(answer).rejects.toThrow();
    await slow.asked;
    await server.close();
    await failed;
    client.close();
    await slow.remove();
  });
});

describe('access', () => {
  test('with a token, all methods but health need it', () =>
    serving({ token: 'secret' }, async (client) => {
      expect(await client.call('ServerLive')).toEqual({ live: true });
      for (const [method, request] of [
        ['ModelInfer', one],
        ['ServerMetadata', {}],
        ['RepositoryIndex', {}],
        ['RepositoryModelLoad', { model_name: 'film' }],
      ] as const) {
        for (const token of [undefined, 'wrong'])
          expect(await failure(client.call(method, request, { token: token! }))).toMatchObject({
            status: STATUS.UNAUTHENTICATED,
            code: 'ERR_GRPC_TOKEN',
          });
        expect(await client.call(method, request, { token: 'secret' })).toBeDefined();
      }
      const stream = client.stub.ModelStreamInfer!(metadataOf('wrong'));
      expect((await once(stream, 'error'))[0].code).toBe(STATUS.UNAUTHENTICATED);
    }));

  test('openPredict opens predictions, but not the control of models', () =>
    serving({ token: 'secret', openPredict: true }, async (client) => {
      expect((await client.call('ModelInfer', one)).outputs).toHaveLength(1);
      expect((await failure(client.call('RepositoryModelUnload', { model_name: 'film' }))).code).toBe('ERR_GRPC_TOKEN');
    }));

  test('without a token, models cannot be loaded or unloaded', () =>
    serving({}, async (client) => {
      for (const method of ['RepositoryModelLoad', 'RepositoryModelUnload'])
        expect(await failure(client.call(method, { model_name: 'film' }))).toMatchObject({
          status: STATUS.PERMISSION_DENIED,
          code: 'ERR_GRPC_CONTROL',
        });
    }));

  test('the repository lists, unloads and loads models', () =>
    serving({ token: 'secret' }, async (client) => {
      const call = (method: string, request: object = {}) => client.call(method, request, { token: 'secret' });
      const states = async (request = {}) =>
        (await call('RepositoryIndex', request)).models.map(({ name, state }: Message) => `${name} ${state}`);
      await call('RepositoryModelLoad', { model_name: 'film' });
      expect(await states()).toContain('film READY');
      await call('RepositoryModelUnload', { model_name: 'film' });
      expect(await states()).toContain('film UNAVAILABLE');
      expect(await states({ ready: true })).not.toContain('film UNAVAILABLE');
      for (const name of ['film@1', 'film:default'])
        expect(await failure(call('RepositoryModelUnload', { model_name: name }))).toMatchObject({
          status: STATUS.INVALID_ARGUMENT,
          code: 'ERR_GRPC_REQUEST',
          message: expect.stringContaining(`received "${name}"`),
        });
      await call('RepositoryModelLoad', { model_name: 'film@1' });
      expect(await states()).toContain('film READY');
      const file = { config: { string_param: '{}' } };
      expect(await failure(call('RepositoryModelLoad', { model_name: 'film', parameters: file }))).toMatchObject({
        status: STATUS.INVALID_ARGUMENT,
        message: 'expected no parameters, received "config"',
      });
    }));
});

describe('a server with several processes', () => {
  test('loads and unloads models in all processes, with the errors of gRPC', async () => {
    const changes: unknown[] = [];
    const inUse = { message: 'film@1 is in use', hint: '', statusCode: 409 };
    const errors = [undefined, new BrezelError('ERR_HTTP_IN_USE', inUse), new BrezelError('ERR_CLI_WORKER', inUse)];
    const change = async (change: RepositoryChange) => {
      const error = errors[changes.push(change) - 1];
      if (error !== undefined) throw error;
    };
    await serving({ token: 'secret', processes: { change } }, async (client) => {
      const call = (method: string) => client.call(method, { model_name: 'film' }, { token: 'secret' });
      await call('RepositoryModelLoad');
      for (const code of ['ERR_GRPC_IN_USE', 'ERR_CLI_WORKER'])
        expect(await failure(call('RepositoryModelUnload'))).toMatchObject({
          status: STATUS.FAILED_PRECONDITION,
          code,
          message: 'film@1 is in use',
        });
      const unload = { action: 'unload', name: 'film' };
      expect(changes).toEqual([{ action: 'load', reference: 'film' }, unload, unload]);
    });
  });
});

describe('limits', () => {
  test('a message beyond the limit is rejected, also if it is compressed', () =>
    serving({ maxMessageBytes: 1000 }, async (client) => {
      const large = { ...one, id: 'x'.repeat(100_000) };
      expect((await failure(client.call('ModelInfer', large))).status).toBe(STATUS.RESOURCE_EXHAUSTED);
      const compressed = new TestClient(client.address, ownProto, undefined, {
        'grpc.default_compression_algorithm': 2,
      });
      expect((await failure(compressed.call('ModelInfer', large))).status).toBe(STATUS.RESOURCE_EXHAUSTED);
      compressed.close();
      expect((await client.call('ModelInfer', one)).outputs).toHaveLength(1);
    }));

  test('canceled calls no longer count as in flight', async () => {
    const slow = addSlow('waiting');
    await serving({ concurrency: 1 }, async (client) => {
      let end: (error: unknown) => void = () => undefined;
      const ended = new Promise((resolve) => {
        end = resolve;
      });
      const call = client.stub.ModelInfer!({ ...one, model_name: 'waiting' }, (error: unknown) => end(error));
      await slow.asked;
      expect(await failure(client.call('ModelInfer', one))).toMatchObject({
        status: STATUS.RESOURCE_EXHAUSTED,
        code: 'ERR_GRPC_BUSY',
      });
      call.cancel();
      expect(await ended).toMatchObject({ code: STATUS.CANCELLED });
      await until(() => answersOne(client));
    });
    await slow.remove();
  });

  test('the deadline of a call ends its prediction', async () => {
    const slow = addSlow('late');
    await serving({}, async (client) => {
      const late = client.call('ModelInfer', { ...one, model_name: 'late' }, { deadlineMs: 20 });
      expect((await failure(late)).status).toBe(STATUS.DEADLINE_EXCEEDED);
    });
    await slow.remove();
  });

  test('a message that does not arrive in time ends its call', () =>
    serving({ requestTimeoutMs: 1 }, async (client) => {
      const half = client.stub.makeBidiStreamRequest!('/inference.GRPCInferenceService/ServerLive', asIs, asIs);
      expect((await once(half, 'error'))[0]).toMatchObject({
        code: STATUS.DEADLINE_EXCEEDED,
        details: 'the request did not arrive in time',
      });
    }));

  test('a call whose request does not end in time ends, also with a whole message', () =>
    serving({ requestTimeoutMs: 50 }, async (client) => {
      const open = client.stub.makeBidiStreamRequest!('/inference.GRPCInferenceService/ServerLive', asIs, asIs);
      open.write(Buffer.alloc(0));
      expect((await once(open, 'error'))[0]).toMatchObject({ code: STATUS.DEADLINE_EXCEEDED });
    }));

  test.each([
    ['a cut message', Buffer.from([0x2a, 0x7f, 0x00])],
    ['invalid UTF-8 in a name', Buffer.from([0x0a, 0x01, 0xff])],
    ['an unknown wire type', Buffer.from([0x0f])],
    ['a field number of 0', Buffer.from([0x00, 0x00])],
    ['a group', Buffer.from([0x7b, 0x7c])],
    ['nested groups', Buffer.alloc(2 ** 20, 0x7b)],
    ['another wire type than the definition has', Buffer.from([0x08, 0x05, 0x12, 0x03, 0, 0, 0])],
    ['a field that ends after its message', Buffer.from([0x2a, 0x02, 0x0a, 0x03, 0x66, 0x6f, 0x6f])],
    ['an integer that ends after its list', Buffer.from([0x2a, 0x03, 0x1a, 0x01, 0x80, 0x01])],
    ['a length beyond the message', Buffer.from([0x2a, 0xff, 0xff, 0xff, 0xff, 0x0f])],
    ['too many parts', Buffer.alloc(2 ** 21 + 2, Buffer.from([0x3a, 0x00]))],
    ['too many unknown fields', Buffer.alloc(2 ** 21 + 2, Buffer.from([0x78, 0x00]))],
    ['a list of too many integers', integersOf(2 ** 22 + 1)],
  ])('%s is an error', (_, bytes) =>
    serving({}, async (client) => {
      expect(await failure(client.raw('ModelInfer', bytes))).toMatchObject({
        status: STATUS.INVALID_ARGUMENT,
        code: 'ERR_GRPC_MESSAGE',
      });
    }),
  );

  test('one connection has a limit of calls', () =>
    serving({ maxStreams: 3 }, async (_, { address }) => {
      const session = connect(`http://${address}`);
      const [settings] = await once(session, 'remoteSettings');
      expect(settings.maxConcurrentStreams).toBe(3);
      session.destroy();
    }));

  test('a prediction counts while its message arrives', () =>
    serving({ concurrency: 1, drainMs: 0 }, async (client) => {
      const session = connect(`http://${client.address}`);
      const half = inferStream(session);
      half.write(Buffer.from([0, 0, 0, 0, 9, 1])); // one byte of a message of 9 bytes
      const next = inferStream(session);
      next.end(Buffer.from([0, 0, 0, 0, 0])); // an empty message
      const [headers] = await once(next, 'response');
      expect(headers['grpc-status']).toBe(`${STATUS.RESOURCE_EXHAUSTED}`);
      half.close();
      await until(() => answersOne(client));
      session.destroy();
    }));

  test('a stream counts while a message arrives, and frees its place at its end', () =>
    serving({ concurrency: 1, drainMs: 0 }, async (client) => {
      const session = connect(`http://${client.address}`);
      const half = inferStream(session, 'ModelStreamInfer');
      expect(await answersOne(client)).toBe(true); // a stream without a message does not count
      half.write(Buffer.from([0, 0, 0, 0, 9, 1])); // one byte of a message of 9 bytes
      // The server has received the byte when it answers a later call of the same connection.
      const live = inferStream(session, 'ServerLive').end(Buffer.alloc(5)).resume();
      await once(live, 'end');
      for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
      expect(await failure(client.call('ModelInfer', one))).toMatchObject({ code: 'ERR_GRPC_BUSY' });
      half.close();
      await until(() => answersOne(client));
      session.destroy();
    }));

  test('a busy server answers small messages of a stream, and ends a stream with a large message', async () => {
    const slow = addSlow('busy');
    await serving({ concurrency: 1, drainMs: 0 }, async (client) => {
      const call = client.stub.ModelInfer!({ ...one, model_name: 'busy' }, () => undefined);
      await slow.asked;
      const small = client.stub.ModelStreamInfer!();
      small.write(one);
      const [{ error_message: message }] = await once(small, 'data');
      expect(message).toBe('expected at most 1 predictions in flight');
      const large = client.stub.ModelStreamInfer!();
      large.write({ ...one, id: 'x'.repeat(2 ** 20) });
      expect((await once(large, 'error'))[0]).toMatchObject({ code: STATUS.RESOURCE_EXHAUSTED });
      call.cancel();
      await until(() => answersOne(client));
      small.write(one);
      const [{ infer_response: response }] = await once(small, 'data');
      expect(response.outputs).toHaveLength(1);
      await until(() => answersOne(client)); // the idle stream does not count
      small.cancel();
      small.on('error', () => undefined);
    });
    await slow.remove();
  });

  test('a message of a stream that does not arrive in time ends the stream', () =>
    serving({ requestTimeoutMs: 1, drainMs: 0 }, async (client) => {
      const session = connect(`http://${client.address}`);
      const half = inferStream(session, 'ModelStreamInfer');
      half.write(Buffer.from([0, 0, 0, 0, 9, 1]));
      const [headers] = await once(half, 'response');
      expect(headers).toMatchObject({
        'grpc-status': `${STATUS.DEADLINE_EXCEEDED}`,
        'brezel-code': 'ERR_GRPC_TIMEOUT',
      });
      session.destroy();
    }));

  test('a prediction that continues after the end of its call counts', async () => {
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let predict: (signal: AbortSignal) => void = () => undefined;
    const predicting = new Promise<AbortSignal>((resolve) => {
      predict = resolve;
    });
    const stubborn = Object.create(registry);
    stubborn.route = (...args: Parameters<typeof registry.route>) => {
      const { version, description } = registry.route(...args);
      return {
        version,
        description,
        async predict(_: unknown, { signal }: { readonly signal: AbortSignal }) {
          predict(signal);
          await finished;
          return { y: 1 };
        },
      };
    };
    await registry.load('film');
    await serving({ concurrency: 1, registry: stubborn }, async (client) => {
      const call = client.stub.ModelInfer!(one, () => undefined);
      const signal = await predicting;
      call.cancel();
      if (!signal.aborted) await once(signal, 'abort');
      for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
      expect(await failure(client.call('ModelInfer', one))).toMatchObject({ code: 'ERR_GRPC_BUSY' });
      finish();
      await until(() => answersOne(client));
    });
  });

  test('a busy server answers before it reads the message', async () => {
    const slow = addSlow('long');
    await serving({ concurrency: 1 }, async (client) => {
      const call = client.stub.ModelInfer!({ ...one, model_name: 'long' }, () => undefined);
      await slow.asked;
      const unread = client.stub.makeBidiStreamRequest!('/inference.GRPCInferenceService/ModelInfer', asIs, asIs);
      expect((await once(unread, 'error'))[0]).toMatchObject({ code: STATUS.RESOURCE_EXHAUSTED });
      call.cancel();
    });
    await slow.remove();
  });
});

test('random bytes in place of a message get an error or an answer', () =>
  serving({}, async (client) => {
    const valid = Buffer.from('0a0466696c6d2a1e0a0178120446503332' + '1a0201022a0a32080000803f00000040', 'hex');
    const messages = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.tuple(fc.nat(valid.length - 1), fc.nat(255)).map(([at, byte]) => {
        const changed = Buffer.from(valid);
        changed[at] = byte;
        return changed;
      }),
      fc.nat(valid.length).map((length) => valid.subarray(0, length)),
    );
    const methods = fc.constantFrom('ModelInfer', 'ModelInfer', 'ModelMetadata', 'ModelReady', 'RepositoryIndex');
    const codes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(methods, messages, async (method, bytes) => {
        const code = await client.raw(method, bytes).then(
          () => 'OK',
          (error) => `${error.metadata.get('brezel-code')[0]}`,
        );
        codes.add(code);
        return code === 'OK' || /^ERR_(GRPC|REGISTRY|RUNTIME)_/.test(code);
      }),
      { numRuns: 300, seed },
    );
    expect([...codes]).toEqual(expect.arrayContaining(['OK', 'ERR_GRPC_MESSAGE']));
    expect((await client.call('ModelInfer', one)).outputs).toHaveLength(1);
  }));

describe('errors', () => {
  const emojis = '\u{1f600}'.repeat(3000);

  test.each([
    ['ModelReady', { name: emojis }],
    ['ModelReady', { name: `x${emojis}` }],
    ['RepositoryModelLoad', { model_name: 'film', parameters: { [`${'x'.repeat(99)}\u{1f600}`]: {} } }],
  ])('of %s cut long texts between two characters', (method, request) =>
    serving({ token: 'secret' }, async (client) => {
      const { status, message } = await failure(client.call(method, request, { token: 'secret' }));
      expect(status).toBe(STATUS.INVALID_ARGUMENT);
      expect(Array.from(message).length).toBeLessThanOrEqual(1001);
      expect(Buffer.from(message).toString()).toBe(message);
    }),
  );

  test('whose reason the client receives are not in the log', async () => {
    const slow = addSlow('unlogged');
    const logged: unknown[] = [];
    await serving({ logError: (error) => logged.push(error) }, async (client) => {
      const inputs = one.inputs.map((input) => ({
        ...input,
        shape: [5000, 2],
        contents: { fp32_contents: Array(10_000).fill(1) },
      }));
      const late = { ...one, inputs, parameters: { deadline_ms: { double_param: 1e-6 } } };
      expect(await failure(client.call('ModelInfer', late))).toMatchObject({ code: 'ERR_RUNTIME_DEADLINE' });
      expect(logged).toEqual([]);
      const failed = failure(client.call('ModelInfer', { ...one, model_name: 'unlogged' }));
      await slow.asked;
      slow.fail();
      expect(await failed).toMatchObject({ code: 'ERR_REGISTRY_LOAD' });
      expect(logged).toMatchObject([{ code: 'ERR_REGISTRY_LOAD' }]);
    });
    await slow.remove();
  });

  test('of logError do not end the server', async () => {
    const slow = addSlow('unloggable');
    const logError = () => {
      throw new Error('the log is full');
    };
    await serving({ logError }, async (client) => {
      const failed = failure(client.call('ModelInfer', { ...one, model_name: 'unloggable' }));
      await slow.asked;
      slow.fail();
      expect(await failed).toMatchObject({ status: STATUS.INTERNAL, code: 'ERR_INTERNAL' });
    });
    await slow.remove();
  });
});

describe('ModelStreamInfer', () => {
  const requestOf = (text: string) => ({
    model_name: 'echo',
    id: text.slice(0, 8),
    inputs: [{ name: 'text', datatype: 'BYTES', shape: [1], contents: { bytes_contents: [Buffer.from(text)] } }],
  });

  test('answers in order, and continues after a request that fails', () =>
    serving({}, async (client) => {
      const stream = client.stub.ModelStreamInfer!();
      const responses: Message[] = [];
      stream.on('data', (response: Message) => responses.push(response));
      for (const request of [requestOf('a'), { ...requestOf('b'), model_name: 'none' }, requestOf('c')])
        stream.write(request);
      stream.end();
      await once(stream, 'end');
      expect(responses.map(({ error_message: error, infer_response: { id } }) => [error === '', id])).toEqual([
        [true, 'a'],
        [false, 'b'],
        [true, 'c'],
      ]);
      expect(responses[1].error_message).toContain('none');
      const { parameters } = responses[1].infer_response;
      expect(parameters['brezel-code'].string_param).toBe('ERR_REGISTRY_UNKNOWN');
      expect(parameters['brezel-hint'].string_param).toMatch(/./);
      expect(responses[2].infer_response.parameters).toEqual({});
      expect(responses[2].infer_response.outputs[0].contents.bytes_contents[0].toString()).toBe('c');
    }));

  test('cuts long errors', () =>
    serving({}, async (client) => {
      const stream = client.stub.ModelStreamInfer!();
      stream.write({ ...requestOf('a'), model_name: '\u{1f600}'.repeat(3000) });
      const [{ error_message: message }] = await once(stream, 'data');
      expect(Array.from(message).length).toBeLessThanOrEqual(1001);
      stream.end();
      await once(stream, 'end');
    }));

  test('continues after a response that cannot be encoded', async () => {
    const broken = Object.create(registry);
    broken.route = (...args: Parameters<typeof registry.route>) => {
      const { version, description } = registry.route(...args);
      const y = { name: 'y', type: { kind: 'scalar', dtype: 'int32' } };
      const outputs = version === 'film@1' ? [y] : description?.outputs;
      return {
        version,
        description: { ...description, outputs },
        predict: async () => ({ TEXT: 'a', y: 0.5 }),
      };
    };
    await registry.load('film');
    await registry.load('echo');
    await serving({ registry: broken }, async (client) => {
      expect(await failure(client.call('ModelInfer', one))).toMatchObject({ code: 'ERR_INTERNAL' });
      const stream = client.stub.ModelStreamInfer!();
      const responses: Message[] = [];
      stream.on('data', (response: Message) => responses.push(response));
      for (const request of [one, requestOf('b')]) stream.write(request);
      stream.end();
      await once(stream, 'end');
      expect(responses.map(({ error_message: error }) => error)).toEqual(['the server failed', '']);
    });
  });

  test('pauses while the client does not read', () =>
    serving({}, async (client) => {
      const stream = client.stub.ModelStreamInfer!();
      const long = 'x'.repeat(100_000);
      let sent = 0;
      // The server stops reading when the client does not read, so the stream accepts no more
      // requests.
      while (stream.writableLength < 16) {
        stream.write(requestOf(`${String(sent).padStart(8, '0')}${long}`));
        sent += 1;
        await new Promise((resolve) => setImmediate(resolve));
      }
      stream.end();
      const ids: string[] = [];
      for await (const { infer_response: response } of stream) ids.push(response.id);
      expect(ids).toEqual(Array.from({ length: sent }, (_, index) => String(index).padStart(8, '0')));
    }));

  test('a canceled stream ends, and the server answers others', () =>
    serving({}, async (client) => {
      const stream = client.stub.ModelStreamInfer!();
      stream.write(requestOf('a'));
      await once(stream, 'data');
      stream.cancel();
      expect((await once(stream, 'error'))[0].code).toBe(STATUS.CANCELLED);
      expect((await client.call('ModelInfer', requestOf('b'))).id).toBe('b');
    }));
});

/** Returns whether the server answers a prediction. */
const answersOne = (client: TestClient): Promise<boolean> =>
  client.call('ModelInfer', one).then(
    () => true,
    () => false,
  );

/** Starts a call of ModelInfer without a message. */
function inferStream(session: ClientHttp2Session, method = 'ModelInfer'): ClientHttp2Stream {
  const path = `/inference.GRPCInferenceService/${method}`;
  const head = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
  return session.request(head).on('error', () => undefined);
}

/** Encodes a ModelInferRequest with an input that has a list of zeros as its shape. */
function integersOf(count: number): Buffer {
  const field = (tag: number, content: Uint8Array) => {
    const length = [content.length & 127, (content.length >> 7) & 127, (content.length >> 14) & 127];
    return Buffer.concat([Buffer.from([tag, ...length.map((bits) => bits | 128), content.length >> 21]), content]);
  };
  return field(0x2a, field(0x1a, Buffer.alloc(count)));
}

function asIs(bytes: Buffer): Buffer {
  return bytes;
}
