// Executors: what batches gain by them, what a way to them and back costs, and how long the event loop stands still meanwhile.

import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createFlour, createRuntime, importOnnx } from 'brezel';
import { forestRows } from '../lib/forests.mjs';
import { interleave, timesFaster } from '../lib/interleave.mjs';
import { forestFile, naturalFile } from '../lib/model-files.mjs';
import { isQuick, measure, say, short } from '../lib/report.mjs';
import { reviews } from '../lib/workload.mjs';

const ROUNDS = isQuick ? 3 : 15;
const LONG = isQuick ? 10_000 : 100_000;
const COUNTS = [0, 1, 2];
const size = isQuick ? '10k' : '1M';

const flour = await createFlour();
const runtimes = COUNTS.map((executors) => createRuntime({ store: flour.store, executors }));

/** @param {string} file */
const load = (file) => {
  const compiled = importOnnx(readFileSync(file), flour).program.plan();
  return runtimes.map((runtime) => runtime.register(compiled));
};
const text = load(naturalFile(size));
const forest = load(forestFile(500, 8));
const [input] = text[0].inputs;
const texts = reviews(500).map((one) => ({ [input.name]: input.type.kind === 'scalar' ? one : [one] }));
const [features] = forest[0].inputs;
const numbers = forestRows(2000);
const vectors = Array.from({ length: 2000 }, (_, row) => ({
  [features.name]: numbers.subarray(row * 40, (row + 1) * 40),
}));
for (const [at, runtime] of runtimes.entries()) {
  await runtime.warm(text[at], { rows: texts.slice(0, 64) });
  await runtime.warm(forest[at], { rows: vectors.slice(0, 64) });
}

/**
 * @param {string} what
 * @param {import('brezel').RegisteredPlan[]} plans one a runtime
 * @param {import('brezel').Row[]} rows
 */
async function throughput(what, plans, rows) {
  const contestants = COUNTS.map((executors, at) => ({
    name: `${executors} executors`,
    calls: 3,
    isAsync: true,
    call: () => runtimes[at].predictBatch(plans[at], rows),
  }));
  const times = await interleave(contestants, { rounds: ROUNDS });
  for (const { name } of contestants) {
    const { median, p99, min, max, samples } = times[name];
    const rate = (/** @type {number} */ microseconds) => (rows.length / microseconds) * 1e6;
    const spread = { median: rate(median), p99: rate(p99), min: rate(max), max: rate(min), samples };
    measure(`${what}: ${name}`, 'rows/s', spread);
    say(`  ${short(timesFaster(times['0 executors'], times[name]).ratio)}x of 0 executors`);
  }
}

await throughput(`SA of ${size} entries, batches of 5000`, text, Array.from({ length: 10 }, () => texts).flat());
await throughput('forest of 500 trees, batches of 2000', forest, vectors);

// One row of a plan that has an executor of its own: the shortest batch that makes the way there and back.
const own = runtimes[2].register(importOnnx(readFileSync(naturalFile(size)), flour).program.plan(), {
  reserve: { executors: 1 },
});
await runtimes[2].warm(own, { rows: texts.slice(0, 64) });
const calls = isQuick ? 50 : 300;
const hop = await interleave(
  [
    {
      name: 'request-response',
      calls,
      isAsync: true,
      call: (at) => runtimes[2].predictBatch(own, [texts[at % 500]], { engine: 'request-response' }),
    },
    { name: 'executor', calls, isAsync: true, call: (at) => runtimes[2].predictBatch(own, [texts[at % 500]]) },
  ],
  { rounds: ROUNDS },
);
for (const name of ['request-response', 'executor']) measure(`one row, ${name}`, 'µs', hop[name]);

// The longest time that the event loop stands still during a long batch, garbage collection included.
for (const [at, executors] of COUNTS.entries()) {
  const rows = Array.from({ length: LONG }, (_, row) => texts[row % 500]);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const start = performance.now();
  await runtimes[at].predictBatch(text[at], rows);
  const milliseconds = performance.now() - start;
  delay.disable();
  const spread = { median: delay.percentile(50), p99: delay.percentile(99), min: delay.min, max: delay.max };
  const shown = Object.fromEntries(Object.entries(spread).map(([name, one]) => [name, one / 1e6 - 1]));
  measure(`${LONG} rows on ${executors} executors: event loop late`, 'ms', { ...shown, samples: delay.count });
  say(`  in ${milliseconds.toFixed(0)} ms`);
}

// Nothing grows once it is warm.
const counters = () => {
  const { inputGrows, shared } = runtimes[2].stats().executors;
  return { inputGrows, grows: shared.grows, overflows: shared.overflows };
};
const before = counters();
for (let round = 0; round < 20; round++) await runtimes[2].predictBatch(text[2], texts);
say(`buffers that grew before ${JSON.stringify(before)}, after 10 000 rows more ${JSON.stringify(counters())}`);
for (const runtime of runtimes) await runtime.close();
