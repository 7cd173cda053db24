import { type Answer, type Backend, type BackendStage, createRuntime, type RuntimeOptions } from 'brezel';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { busyFor } from '../../../../testing/busy.mjs';
import { ManualClock } from '../../../../testing/manual-clock.js';
import { turns } from '../../../../testing/turns.js';
import { until } from '../../../../testing/until.js';
import { flour, hasAddon, rejection } from './fleets.js';

/**
 * In batches, the stages before and after black boxes run on executors, as do the stages around
 * device stages.
 */

/** A call of the custom backend `sums` blocks its thread for this many milliseconds. */
const LEAST_MS = 0.5;

/**
 * A custom backend. It returns the sum of each row after some turns of the event loop, or fails if
 * `fails` is set.
 */
function sums() {
  const port = { kind: 'tensor', element: 'float32' } as const;
  const state = { calls: 0, atOnce: 0, mostAtOnce: 0, fails: false, isHeld: false };
  const stage: BackendStage = {
    inputs: [{ ...port, name: 'x', shape: ['N', 16] }],
    outputs: [{ ...port, name: 'y', shape: ['N', 1] }],
    provider: 'sums',
    device: 'cpu',
    bytes: 0,
    async run({ x }, { signal } = {}) {
      state.calls++;
      state.mostAtOnce = Math.max(state.mostAtOnce, ++state.atOnce);
      for (let turn = 0; turn < 2 || (state.isHeld && !signal?.aborted); turn++) await turns();
      busyFor(LEAST_MS);
      state.atOnce--;
      signal?.throwIfAborted();
      if (state.fails) throw new Error('unplugged');
      const [rows, size] = x!.shape as [number, number];
      const values = x!.data as Float32Array;
      const sumOf = (row: number) => values.subarray(row * size, (row + 1) * size).reduce((sum, one) => sum + one, 0);
      return {
        y: { element: 'float32', shape: [rows, 1], data: Float32Array.from({ length: rows }, (_, at) => sumOf(at)) },
      };
    },
    dispose: async () => {},
  };
  const backend: Backend = {
    name: 'sums',
    formats: ['onnx'],
    probe: async () => ({ name: 'sums', available: true, formats: ['onnx'], providers: [] }),
    open: async () => stage,
    dispose: async () => {},
  };
  return { backend, state };
}

const words = ['good', 'bad', 'film', 'plot', 'long', 'short'];
const weights = (count: number) => Float32Array.from({ length: count }, (_, at) => Math.sin(at));
const layers = [8, 512, 16].slice(1).map((size, at) => ({
  weights: weights([8, 512][at]! * size),
  bias: weights(size),
  activation: 'tanh' as const,
}));
/**
 * A plan of two layers on the CPU, a black box in another backend, and more stages on the CPU. The
 * first stages reject unknown colors.
 */
const compiled = (() => {
  const columns = flour.columns({ text: 'string', color: 'string' });
  const text = columns
    .select('text')
    .tokenize()
    .wordNgram({ vocabulary: words.map((word) => [word]) });
  const color = columns.select('color').oneHot({ categories: ['red', 'green'], unknown: 'error' });
  const y = text.concat(color).mlp({ layers }).blackBox(Uint8Array.of(0), { size: 1 });
  return flour.program({ y: y.arithmetic('multiply', 3) }).plan();
})();
const rows = Array.from({ length: 1500 }, (_, at) => ({
  text: Array.from({ length: at % 11 }, (_, word) => words[(at * word + at) % words.length]).join(' '),
  color: at % 3 === 0 ? 'red' : 'green',
}));

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const runtime of opened.splice(0)) await runtime.close();
});
afterAll(() => {
  compiled.release();
  flour.dispose();
});

function serve(options: Omit<RuntimeOptions, 'store'> = {}) {
  const { backend, state } = sums();
  const runtime = createRuntime({ store: flour.store, executors: 2, backends: [backend], ...options });
  opened.push(runtime);
  return { runtime, state, plan: runtime.register(compiled) };
}

const numbers = (answers: readonly Answer[]) => answers.map(({ y }) => (y as ArrayLike<number>)[0]);

async function wanted() {
  const { runtime, plan, state } = serve({ executors: 0 });
  const answers = numbers(await runtime.predictBatch(plan, rows));
  expect(state.mostAtOnce, 'block after block').toBe(1);
  return answers;
}

describe.skipIf(!hasAddon)('stages around a black box', () => {
  test('of a batch run on executors, and of a single row on the calling thread, with the same bits', async () => {
    const { runtime, plan, state } = serve();
    expect(plan.engine).toBe('mixed');
    await runtime.predict(plan, rows[1]!);
    await runtime.predictBatch(plan, rows.slice(0, 3));
    expect(runtime.stats().executors.shared.rows, 'little work is not worth the way').toBe(0);
    const answers = await wanted();
    expect(numbers(await runtime.predictBatch(plan, rows))).toEqual(answers);
    expect(runtime.stats().executors.shared.rows).toBeGreaterThan(1000);
    expect(state.mostAtOnce).toBeGreaterThan(1);
    const streamed: Answer[] = [];
    for await (const answer of runtime.predictStream(plan, rows)) streamed.push(answer);
    expect(numbers(streamed)).toEqual(answers);
    expect(numbers(await runtime.predictBatch(plan, rows.slice(0, 100), { engine: 'reference' }))).toEqual(
      answers.slice(0, 100),
    );
  });

  test('concurrent batches have separate answers', async () => {
    const { runtime, plan } = serve();
    const answers = await wanted();
    const batches = Array.from({ length: 8 }, async (_, at) => {
      const from = 97 * at;
      const given = rows.slice(from, from + 150 * (at + 1));
      expect(numbers(await runtime.predictBatch(plan, given))).toEqual(answers.slice(from, from + given.length));
    });
    await Promise.all(batches);
    expect(runtime.stats().queue).toMatchObject({ rows: 0, bytes: 0 });
  });

  test('the first rejected row is reported with its index, and no block stays in flight', async () => {
    const { runtime, plan } = serve();
    const faulty = rows.map((row, at) => (at === 803 || at === 1400 ? { ...row, color: 'blue' } : row));
    const error = await rejection(runtime.predictBatch(plan, faulty));
    expect(error).toMatchObject({ code: 'ERR_RUNTIME_INPUT', message: expect.stringMatching(/row 803/) });
    expect(runtime.stats().queue).toMatchObject({ rows: 0, bytes: 0 });
    expect(numbers(await runtime.predictBatch(plan, rows))).toEqual(await wanted());
  });

  test('a failing backend, a signal, a deadline, and a removed plan end a batch', async () => {
    const { runtime, plan, state } = serve();
    state.fails = true;
    expect(await rejection(runtime.predictBatch(plan, rows))).toMatchObject({ message: 'unplugged' });
    state.fails = false;
    state.isHeld = true; // no call ends until this is false
    const controller = new AbortController();
    const aborted = rejection(runtime.predictBatch(plan, rows, { signal: controller.signal }));
    await until(() => state.atOnce > 0);
    controller.abort(new Error('enough'));
    expect(await aborted).toMatchObject({ message: 'enough' });
    for (const deadlineMs of [0.001, 5, 100])
      expect(await rejection(runtime.predictBatch(plan, rows, { deadlineMs })), `${deadlineMs} ms`).toMatchObject({
        code: 'ERR_RUNTIME_DEADLINE',
      });
    const gone = rejection(runtime.predictBatch(plan, rows));
    await until(() => state.atOnce > 0);
    runtime.unregister(plan);
    state.isHeld = false;
    expect(await gone).toMatchObject({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' });
    expect(runtime.stats().queue).toMatchObject({ rows: 0, bytes: 0 });
    expect(runtime.stats().stages.distinct).toBe(0);
    const again = runtime.register(compiled);
    expect(numbers(await runtime.predictBatch(again, rows))).toEqual(await wanted());
  });

  test.each([0, 2])('a deadline that passes while a backend runs, with %i executors', async (executors) => {
    const clock = new ManualClock();
    const { runtime, plan, state } = serve({ executors, clock });
    state.isHeld = true;
    for (const predict of [
      () => runtime.predictBatch(plan, rows, { deadlineMs: 1000 }),
      () => runtime.predict(plan, rows[1]!, { deadlineMs: 1000 }),
    ]) {
      const late = rejection(predict());
      await until(() => state.atOnce > 0);
      clock.advance(1000);
      expect(await late).toMatchObject({ code: 'ERR_RUNTIME_DEADLINE' });
    }
    await until(() => state.atOnce === 0);
  });

  test('a plan that is removed before its first batch starts', async () => {
    const { runtime, plan } = serve();
    const gone = rejection(runtime.predictBatch(plan, rows));
    runtime.unregister(plan);
    expect(await gone).toMatchObject({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' });
  });

  test.each([0, 2])('and the box are measured, with %i executors', async (executors) => {
    const { runtime, plan } = serve({ executors, latencies: { stagesEvery: 2 } });
    await runtime.predictBatch(plan, rows);
    const stages = runtime.stats().plans[0]!.stageLatencies!;
    expect(stages.flatMap(({ operators }) => operators)).toContain('brezel/black-box');
    expect(stages).toHaveLength(runtime.stats().plans[0]!.stages);
    const [samples] = stages.map(({ nanoseconds }) => nanoseconds.samples);
    expect(samples).toBeGreaterThan(3);
    for (const { operators, nanoseconds } of stages) {
      expect(nanoseconds.samples).toBe(samples);
      if (operators.includes('brezel/black-box'))
        expect(nanoseconds.p50).toBeGreaterThanOrEqual((LEAST_MS * 1e6) / 256);
    }
  });
});
