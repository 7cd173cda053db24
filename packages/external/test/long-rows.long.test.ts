import { constants } from 'node:buffer';
import { externalPredictor } from '@brezel/external';
import { createFlour, createRuntime, scalar } from 'brezel';
import { expect, test } from 'vitest';
import { endAfterEach } from '../../../testing/end-after-each.js';
import { ManualClock } from '../../../testing/manual-clock.js';
import { until } from '../../../testing/until.js';
import { type Answering, send, startServer } from './servers.js';

const flour = await createFlour();
const ends = endAfterEach();

// The request of the long row is about as long as the longest string of Node.js: half a gigabyte.
test('rows that are too long for a request fail alone, and the replica stays free', async () => {
  const lengths: Answering = ({ id, inputs }, response) => {
    const { shape, data } = inputs[0]!;
    const values = (data as unknown as string[]).map(({ length }) => length);
    send(response, { id, outputs: [{ name: 'length', datatype: 'INT32', shape, data: values }] });
  };
  const server = await startServer(lengths);
  ends.push(() => server.close());
  const clock = new ManualClock();
  const external = await externalPredictor({
    urls: [server.url],
    model: 'lengths',
    inputs: { text: scalar('string') },
    outputs: { length: scalar('int32') },
    batching: { sloMs: 20, controller: 'fixed', maxWaitMs: 5 },
    concurrency: 1,
    clock,
  });
  ends.push(() => external.close());
  const runtime = createRuntime({ store: flour.store, backends: [external] });
  ends.push(() => runtime.close());
  const plan = runtime.register(external.program(flour).plan(), { maxInputBytes: 2 ** 28 });
  // JSON writes a control character as six characters.
  const long = '\u0001'.repeat(Math.ceil(constants.MAX_STRING_LENGTH / 6));
  const calls = [runtime.predict(plan, { text: long }), runtime.predict(plan, { text: 'abc' })];
  const settled = Promise.allSettled(calls);
  await until(() => external.stats().waiting === 2);
  clock.advance(5);
  expect(await settled).toMatchObject([
    { reason: { code: 'ERR_EXTERNAL_REQUEST', message: expect.stringContaining('maxBatch') } },
    { value: { length: 3 } },
  ]);
  expect(external.stats().replicas).toMatchObject([{ state: 'up', outstanding: 0, requests: 1 }]);
});
