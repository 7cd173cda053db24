import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startServer } from '@brezel/http';
import { Metadata, type ServiceError } from '@grpc/grpc-js';
import { createRegistry } from 'brezel';
import { afterAll, expect, test, vi } from 'vitest';
import { until } from '../../../testing/until.js';
import { addModel, constantModel } from '../../http/test/models.js';
import { type GrpcCall, type GrpcServerOptions, startGrpcServer } from '../dist/index.js';
import { type Message, TestClient } from './client.js';

const registry = await createRegistry();
addModel(registry, 'film', constantModel(1));
afterAll(() => registry.close());

const film = {
  model_name: 'film',
  inputs: [{ name: 'x', datatype: 'FP32', shape: [1, 2], contents: { fp32_contents: [1, 2] } }],
};

/** Starts a server that records its calls, and runs a test with a client of it. */
async function recording(
  run: (client: TestClient, calls: GrpcCall[]) => Promise<unknown>,
  options: Partial<GrpcServerOptions> = {},
): Promise<void> {
  const calls: GrpcCall[] = [];
  const server = await startGrpcServer({ registry, port: 0, onCall: (call) => calls.push(call), ...options });
  const client = new TestClient(server.address);
  try {
    await run(client, calls);
  } finally {
    client.close();
    await server.close();
  }
}

/** Calls a method. Returns the status and the trailing metadata. */
function trailersOf(client: TestClient, method: string, request: object, given: Readonly<Record<string, string>> = {}) {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(given)) metadata.set(key, value);
  return new Promise<{ readonly code: number; readonly trailers: Metadata }>((resolve) => {
    const call: Message = client.stub[method]!(request, metadata, (error: ServiceError | null) => {
      if (error !== null) resolve({ code: error.code, trailers: error.metadata });
    });
    call.on('status', (status: { code: number; metadata: Metadata }) => {
      if (status.code === 0) resolve({ code: 0, trailers: status.metadata });
    });
  });
}

test('each call has a record with its status, its time and its version', () =>
  recording(async (client, calls) => {
    await client.call('ServerLive');
    await client.call('ModelInfer', film);
    await client.call('ModelInfer', { ...film, model_name: 'unknown' }).catch(() => undefined);
    const stream = client.stub.ModelStreamInfer!();
    stream.write(film);
    await once(stream, 'data');
    stream.end();
    await once(stream.resume(), 'end');
    await until(() => calls.length === 4);
    expect(calls.map(({ method, status, version }) => [method, status, version])).toEqual([
      ['ServerLive', 'OK', undefined],
      ['ModelInfer', 'OK', 'film@1'],
      ['ModelInfer', 'NOT_FOUND', undefined],
      ['ModelStreamInfer', 'OK', 'film@1'],
    ]);
    for (const { milliseconds, ip } of calls) {
      expect(milliseconds).toBeGreaterThan(0);
      expect(ip).toBe('127.0.0.1');
    }
    expect(new Set(calls.map(({ requestId }) => requestId)).size).toBe(4);
  }));

test('the record has the status that the client receives, also if grpc-js ends the call', () =>
  recording(
    async (client, calls) => {
      await client.call('ModelInfer', { ...film, id: 'x'.repeat(10_000) }).catch(() => undefined);
      const canceled = client.stub.ModelStreamInfer!();
      canceled.on('error', () => undefined).write(film);
      await once(canceled, 'data');
      canceled.cancel();
      await client.call('ServerMetadata').catch(() => undefined);
      await until(() => calls.length === 3);
      const statuses = new Map(calls.map(({ method, status }) => [method, status]));
      expect(Object.fromEntries(statuses)).toEqual({
        ModelInfer: 'RESOURCE_EXHAUSTED',
        ModelStreamInfer: 'CANCELLED',
        ServerMetadata: 'OK',
      });
    },
    { maxMessageBytes: 1000 },
  ));

test('trailers repeat the request id of the client, or have a new one', () =>
  recording(
    async (client, calls) => {
      const authorization = 'Bearer secret';
      const own = await trailersOf(client, 'ModelInfer', film, { 'x-request-id': 'call 7', authorization });
      expect([own.code, own.trailers.get('x-request-id')]).toEqual([0, ['call 7']]);
      const none = await trailersOf(client, 'ModelInfer', film, { authorization });
      expect(none.trailers.get('x-request-id')[0]).toMatch(/^[\da-f-]{36}$/);
      const failed = await trailersOf(client, 'ModelInfer', film, { 'x-request-id': 'call 8' });
      expect(failed.code).toBe(16);
      expect(failed.trailers.get('x-request-id')).toEqual(['call 8']);
      expect(failed.trailers.get('brezel-code')).toEqual(['ERR_GRPC_TOKEN']);
      const long = await trailersOf(client, 'ServerLive', {}, { 'x-request-id': 'x'.repeat(5000) });
      expect(long.trailers.get('x-request-id')).toEqual(['x'.repeat(200)]);
      await until(() => calls.length === 4);
      expect(calls.map(({ requestId }) => requestId).slice(0, 1)).toEqual(['call 7']);
    },
    { token: 'secret' },
  ));

test('the access log has one line of JSON for each call', async () => {
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(`${line}`) > 0);
  try {
    await recording(
      async (client, calls) => {
        await trailersOf(client, 'ModelInfer', film, { 'x-request-id': 'call "7"' });
        await until(() => calls.length === 1);
      },
      { accessLog: true },
    );
  } finally {
    write.mockRestore();
  }
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({
    level: 30,
    pid: process.pid,
    reqId: 'call "7"',
    method: 'ModelInfer',
    status: 'OK',
    version: 'film@1',
    msg: 'call',
  });
});

/** Serves a registry with an access log. Sends the address and the errors to its parent. */
const serverScript = `
  import { startGrpcServer } from '@brezel/grpc';
  import { createRegistry } from 'brezel';
  const logError = (error) => process.send({ error: error.message });
  const registry = await createRegistry();
  const server = await startGrpcServer({ registry, port: 0, accessLog: true, logError });
  process.send({ address: server.address });
`;

test('the server continues after the reader of the access log has ended', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', serverScript], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const message = async () => {
    const [received] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [{}])]);
    return received as { readonly address?: string; readonly error?: string };
  };
  const { address } = await message();
  const client = new TestClient(address!);
  try {
    const line = once(child.stdout!, 'data');
    await client.call('ServerLive');
    expect(JSON.parse(`${(await line)[0]}`)).toMatchObject({ method: 'ServerLive' });
    child.stdout!.destroy();
    await once(child.stdout!, 'close');
    const failed = message();
    const calls: unknown[] = [];
    for (let call = 0; call < 3; call++) calls.push(await client.call('ServerLive'));
    expect(await failed).toEqual({ error: expect.stringContaining('the access log ends') });
    expect(calls).toEqual(Array(3).fill({ live: true }));
    expect(await client.call('ServerLive')).toEqual({ live: true });
  } finally {
    client.close();
    child.kill('SIGKILL');
  }
});

test('a closed server leaves no listener on the standard output', async () => {
  const before = process.stdout.listenerCount('error');
  await recording(async () => expect(process.stdout.listenerCount('error')).toBe(before + 1), { accessLog: true });
  await until(() => process.stdout.listenerCount('error') === before);
  const taken = await startGrpcServer({ registry, port: 0 });
  const port = Number(taken.address.split(':').at(-1));
  await expect(startGrpcServer({ registry, port, accessLog: true })).rejects.toMatchObject({
    code: 'ERR_GRPC_ADDRESS',
  });
  await until(() => process.stdout.listenerCount('error') === before);
  await taken.close();
});

test('an error of onCall is logged, and the server continues', async () => {
  const error = new Error('no metrics');
  const errors: unknown[] = [];
  await recording(
    async (client) => {
      await client.call('ServerLive');
      await until(() => errors.length === 1);
      expect(await client.call('ServerLive')).toEqual({ live: true });
    },
    {
      onCall: () => {
        throw error;
      },
      logError: (reason) => errors.push(reason),
    },
  );
  expect(errors[0]).toBe(error);
});

test('/metrics of the HTTP server contains the calls', async () => {
  const http = await startServer({ registry, port: 0 });
  const text = async () => (await fetch(`${http.url}/metrics`)).text();
  expect(await text()).not.toContain('brezel_grpc_request_seconds');
  await recording(
    async (client) => {
      await client.call('ModelInfer', film);
      await client.call('ModelInfer', { ...film, model_name: 'unknown' }).catch(() => undefined);
      await until(async () => (await text()).includes('NOT_FOUND'));
    },
    { onCall: (call) => http.recordCall(call) },
  );
  for (const status of ['OK', 'NOT_FOUND'])
    expect(await text()).toContain(`brezel_grpc_request_seconds_count{method="ModelInfer",status="${status}"} 1`);
  await http.close();
});
