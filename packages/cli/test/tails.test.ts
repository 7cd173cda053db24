import { expect, test } from 'vitest';
import type { TailReport, Tails } from '../src/bench/tails/tail-report.js';
import { brezel, model } from './brezel.js';

// Runs `brezel bench --tails` in a separate process, with few calls.

const causes = ['garbage collection', 'page read from disk', 'core taken away', 'page fault', 'unknown'];

test('the report has the tail of each model, alone and beside busy processes', async () => {
  const { code, out, err } = await brezel(['bench', model(0), model(1), '--tails', '500', '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const { models }: TailReport = JSON.parse(out);
  expect(models.map((one) => one.model)).toEqual([model(0), model(1)]);
  for (const { idle, busy } of models) for (const tails of [idle, busy]) expectTails(tails, 500);
});

function expectTails({ calls, p50, p99, p999, p9999, worst }: Tails, count: number): void {
  expect(calls).toBe(count);
  expect(p50).toBeGreaterThan(0);
  const times = worst.map(({ micros }) => micros);
  expect(times).toHaveLength(10);
  expect(times).toEqual(times.toSorted((a, b) => b - a));
  const ascending = [p50, p99, p999, p9999, times[0]!];
  expect(ascending).toEqual(ascending.toSorted((a, b) => a - b));
  expect(new Set(worst.map(({ call }) => call)).size).toBe(10);
  for (const { call, cause } of worst) {
    expect(call).toBeLessThan(count);
    expect(causes).toContain(cause);
  }
}

test('the text names the quantiles and the causes', async () => {
  const { code, out, err } = await brezel(['bench', model(0), '--tails', '300']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/^single rows, 300 calls each:\n {2}model +load +p50 +p99 +p99.9 +p99.99 +worst\n/);
  expect(out).toMatch(/ alone +[\d.,]+ [µm]s.*\n +beside 2 processes +[\d.,]+ [µm]s/);
  expect(out).toMatch(/the 10 slowest calls:\n {2}.*, alone: \d+ [a-z ]+ \(.*\n.*, beside 2 processes: \d+ /);
});

test('a wrong number of calls, or a baseline, is refused', async () => {
  const few = await brezel(['bench', model(0), '--tails', '7']);
  expect(few).toMatchObject({ code: 2, out: '' });
  const both = await brezel(['bench', model(0), '--tails', '--baseline', 'base.json']);
  expect(both).toMatchObject({ code: 2, out: '' });
  const missing = await brezel(['bench', 'nowhere.onnx', '--tails', '100']);
  expect(missing).toMatchObject({ code: 1, out: '' });
  expect(missing.err).toMatch(/nowhere\.onnx/);
});
