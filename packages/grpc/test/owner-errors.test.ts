import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Failing, failingModels, failingRegistry, ownerErrors, SECRET } from '../../http/test/failing-models.js';
import { type RunningGrpcServer, startGrpcServer } from '../dist/index.js';
import { failure, metadataOf, TestClient } from './client.js';

// Errors of code that belongs to the owner of the server: clients must not see their text, and the
// log must contain them.

const logged: unknown[] = [];
let failing: Failing;
let server: RunningGrpcServer;
let client: TestClient;
beforeAll(async () => {
  failing = await failingRegistry();
  server = await startGrpcServer({
    registry: failing.registry,
    port: 0,
    token: 'abc',
    logError: (error) => void logged.push(error),
  });
  client = new TestClient(server.address);
});
afterAll(async () => {
  client.close();
  await server.close();
  await failing.close();
});

const token = 'abc';
const requestFor = (name: string) => ({
  model_name: name,
  inputs: [{ name: 'x', datatype: 'FP32', shape: [1, 1], contents: { fp32_contents: [1] } }],
});
/** Returns whether an error or one of its causes has the secret text. */
const hasSecret = (error: unknown): boolean =>
  error instanceof Error && (error.message.includes(SECRET) || hasSecret(error.cause));
const INTERNAL = 13;
const UNAVAILABLE = 14;

describe.each(Object.entries(ownerErrors))('an error with %s', (_, create) => {
  test.each(failingModels)('in a %s', async (kind) => {
    const name = failing.add(kind, create);
    logged.splice(0);
    const error = await failure(client.call('ModelInfer', requestFor(name), { token }));
    expect([INTERNAL, UNAVAILABLE]).toContain(error.status);
    expect(JSON.stringify(error)).not.toContain(SECRET);
    expect(logged.map(hasSecret)).toEqual([true]);
  });

  test.each(failingModels)('in a %s, for a stream', async (kind) => {
    const name = failing.add(kind, create);
    logged.splice(0);
    const call = client.stub.ModelStreamInfer!(metadataOf(token));
    const answer = new Promise<unknown>((resolve, reject) => call.once('data', resolve).once('error', reject));
    call.write(requestFor(name));
    call.end();
    expect(JSON.stringify(await answer)).not.toContain(SECRET);
    expect(logged.map(hasSecret)).toEqual([true]);
  });

  test('in a source, for a load', async () => {
    const name = failing.add('source', create);
    logged.splice(0);
    const error = await failure(client.call('RepositoryModelLoad', { model_name: name }, { token }));
    expect(error.status).toBe(UNAVAILABLE);
    expect(JSON.stringify(error)).not.toContain(SECRET);
    expect(logged.map(hasSecret)).toEqual([true]);
  });
});
