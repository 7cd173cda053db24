import * as http from '@brezel/http';
import { Counter, Gauge, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { Totals } from './totals.js';
import type { WorkerLink } from './worker-link.js';

/** A worker with one model that answers requests. */
function fakeWorker() {
  const register = new Registry();
  const requests = new Counter({ name: 'requests_total', help: 'requests', registers: [register] });
  const inFlight = new Gauge({ name: 'in_flight', help: 'requests now', registers: [register] });
  new Gauge({ name: 'models', help: 'models', registers: [register], aggregator: 'max' }).set(3);
  let count = 0;
  let version = 'film@1';
  let swaps = 2;
  const statistics = () => ({
    version: '1',
    processes: [{ pid: 1, uptimeSeconds: 1, rssBytes: 100, pssBytes: 50 }],
    requests: { inFlight: 1, failed: count, times: { count, buckets: [[4, count]] } },
    versions: [
      {
        version,
        state: 'loaded',
        loaded: true,
        pinned: false,
        parameterBytes: 10,
        marginalBytes: 5,
        inFlight: 1,
        requests: count,
        failures: 0,
        loads: 1,
        unloads: 0,
        quarantine: { resting: false, failures: 0, rests: 0 },
        times: { count, buckets: [[4, count]] },
        quality: { sampleEvery: 1, rows: count, inputs: { x: { values: count, missing: 1 } } },
      },
    ],
    aliases: [
      {
        alias: 'film:default',
        version,
        requests: count,
        swaps,
        canary: { version: 'film@2', percent: 5, requests: count },
      },
    ],
    parameters: { bytes: 10, unsharedBytes: 12 },
  });
  const answers: Record<string, () => unknown> = { statistics, metrics: () => register.getMetricsAsJSON() };
  return {
    become(next: string, changes: number) {
      version = next;
      swaps = changes;
    },
    answer(times: number) {
      count += times;
      requests.inc(times);
      inFlight.set(1);
    },
    call: async (method: string) => structuredClone(await answers[method]!()),
  };
}

const lines = (text: string) => Object.fromEntries(text.split('\n').map((line) => line.split(' ') as [string, string]));

test('numbers of workers are added, and do not decrease when workers end', async () => {
  let workers = [fakeWorker(), fakeWorker()];
  const totals = new Totals(http, () => workers as unknown as WorkerLink[]);
  workers[0]!.answer(4);
  workers[1]!.answer(3);
  const { processes, requests, versions, aliases, parameters } = await totals.statistics();
  expect(processes.map(({ role }) => role)).toEqual(['primary', undefined, undefined]);
  expect(requests).toEqual({ inFlight: 2, failed: 7, times: { count: 7, buckets: [[4, 7]] } });
  expect(versions).toMatchObject([
    { requests: 7, inFlight: 2, loads: 2, parameterBytes: 10, times: { count: 7 }, quality: { rows: 7 } },
  ]);
  expect(aliases).toMatchObject([{ requests: 7, swaps: 2, canary: { percent: 5, requests: 7 } }]);
  expect(parameters).toEqual({ bytes: 10, unsharedBytes: 12 });
  expect(lines(await totals.metrics())).toMatchObject({ requests_total: '7', in_flight: '2', models: '3' });

  // more ended workers than the totals store separately
  for (let crash = 0; crash < 10; crash++) {
    const [crashed, other] = workers as [(typeof workers)[0], (typeof workers)[0]];
    workers = [other, fakeWorker()];
    totals.end(crashed as unknown as WorkerLink);
    const { requests } = await totals.statistics();
    expect([requests.times.count, requests.inFlight]).toEqual([7, 2]);
    expect(lines(await totals.metrics())).toMatchObject({ requests_total: '7', models: '3' });
  }
  workers[0]!.answer(1);
  expect((await totals.statistics()).versions[0]).toMatchObject({ requests: 8, loads: 12, inFlight: 2 });
  expect(lines(await totals.metrics())).toMatchObject({ requests_total: '8', in_flight: '1' });
});

test('a worker that has ended counts with its last reading', async () => {
  const [first, second] = [fakeWorker(), fakeWorker()];
  const totals = new Totals(http, () => [first, second] as unknown as WorkerLink[]);
  first.answer(2);
  await totals.statistics();
  first.call = () => Promise.reject(new Error('it has ended'));
  second.answer(1);
  expect((await totals.statistics()).requests.times.count).toBe(3);
});

test('many workers that end in one turn count once', async () => {
  const workers = Array.from({ length: 12 }, fakeWorker);
  let running = workers;
  const totals = new Totals(http, () => running as unknown as WorkerLink[]);
  for (const worker of workers) worker.answer(1);
  await totals.statistics();
  await totals.metrics();
  running = [fakeWorker()];
  for (const worker of workers) totals.end(worker as unknown as WorkerLink);
  const turns = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  await turns();
  expect(lines(await totals.metrics())).toMatchObject({ requests_total: '12' });
  expect((await totals.statistics()).requests.times.count).toBe(12);
});

test('ended workers leave only counters of versions that exist', async () => {
  let running = [fakeWorker()];
  let kept: unknown;
  const addStatistics: typeof http.addStatistics = (workers, ended = []) => {
    kept = ended[0];
    return http.addStatistics(workers, ended);
  };
  const totals = new Totals({ ...http, addStatistics }, () => running as unknown as WorkerLink[]);
  const replace = async (version: string, swaps: number) => {
    const [ended] = running;
    running = [fakeWorker()];
    running[0]!.become(version, swaps);
    totals.end(ended as unknown as WorkerLink);
    return totals.statistics();
  };
  await totals.statistics();
  expect((await replace('film@1', 0)).aliases).toMatchObject([{ swaps: 2 }]);
  await replace('film@2', 0);
  expect((await totals.statistics()).aliases).toMatchObject([{ swaps: 2 }]);
  expect(kept).toMatchObject({ processes: [], versions: [] });
});
