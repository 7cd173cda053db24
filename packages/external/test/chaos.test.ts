import { externalPredictor } from '@brezel/external';
import { createFlour, createRuntime } from 'brezel';
import { expect, test } from 'vitest';
import { ManualClock } from '../../../testing/manual-clock.js';
import { seed } from '../../../testing/seed.js';
import { turns } from '../../../testing/turns.js';
import { until } from '../../../testing/until.js';
import { type Answering, send, startServer, sums } from './servers.js';

/** Returns a generator of random numbers from 0 to 1. */
function random(start: number): () => number {
  let state = (start % 2_147_483_646) + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

test.each([
  ['alone', {}],
  ['gathered', { batching: { sloMs: 20 } }],
  ['gathered and cached', { batching: { sloMs: 20, controller: 'quantile' }, deterministic: true }],
] as const)('rows %s under faults: each call has its own answer or one error', async (_, options) => {
  const draw = random(seed);
  const faults: Answering[] = [
    (infer, response) => send(response, { ...sums(infer), id: 'other' }),
    (infer, response) => send(response, { id: infer.id, outputs: [] }),
    (_, response) => send(response, { error: 'a row' }, 500),
    (_, response) => send(response, 'busy', 503),
    (_, __, request) => request.socket.destroy(),
    (_, response) => response.end('no JSON'),
    () => undefined, // never answers
  ];
  const answer: Answering = (infer, response, request) => {
    const fault = draw() < 0.15 ? faults[Math.floor(draw() * faults.length)] : undefined;
    if (fault !== undefined) fault(infer, response, request);
    else setImmediate(() => send(response, sums(infer)));
  };
  const clock = new ManualClock();
  const servers = await Promise.all([startServer(answer), startServer(answer), startServer(answer)]);
  const urls = servers.map(({ url }) => url);
  const limits = { clock, timeoutMs: 200, restMs: 10, maxRestMs: 40, concurrency: 2, maxBatch: 8 };
  const external = await externalPredictor({ urls, model: 'sums', ...limits, ...options });
  const flour = await createFlour();
  const runtime = createRuntime({ store: flour.store, backends: [external] });
  const plan = runtime.register(external.program(flour).plan());
  const settled = { answers: 0, errors: 0 };
  const codes = new Set<string>();
  const calls: Promise<void>[] = [];
  for (let call = 0; call < 400; call++) {
    const rows = Array.from({ length: 1 + Math.floor(draw() * 10) }, () => [Math.floor(draw() * 50), call % 7]);
    const stop = new AbortController();
    calls.push(
      runtime.predictBatch(plan, rows, { signal: stop.signal }).then(
        (answers) => {
          settled.answers++;
          expect(answers).toEqual(rows.map(([a, b]) => ({ y: a! + b! })));
        },
        (error: Error & { code: string }) => {
          settled.errors++;
          codes.add(error.code ?? error.message);
        },
      ),
    );
    if (draw() < 0.1) stop.abort(new Error('canceled'));
    await turns(2);
    clock.advance(draw() * 10);
  }
  await clock.run(Promise.all(calls), 10);
  expect(settled.answers + settled.errors).toBe(400);
  expect(settled.answers).toBeGreaterThan(100);
  for (const code of codes) expect(code).toMatch(/^(ERR_EXTERNAL_(ANSWER|LOST|REPLICA|TIMEOUT|UNAVAILABLE)|canceled)$/);
  expect(external.stats().waiting).toBe(0);
  for (const { outstanding } of external.stats().replicas) expect(outstanding).toBe(0);
  // Without faults, all replicas come back and answer.
  for (const server of servers) server.answer = (infer, response) => send(response, sums(infer));
  const states = () => external.stats().replicas.map(({ state }) => state);
  await until(() => {
    if (states().includes('resting')) clock.advance(40);
    return states().every((state) => state === 'up');
  });
  expect(await runtime.predictBatch(plan, [[60, 1]])).toEqual([{ y: 61 }]);
  await runtime.close();
  await external.close();
  for (const server of servers) await server.close();
  flour.dispose();
});
