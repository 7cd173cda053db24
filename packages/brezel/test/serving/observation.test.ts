import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  createFlour,
  createRuntime,
  loadNative,
  type PredictionMessage,
  type RegisteredPlan,
  type Runtime,
} from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { busyFor } from '../../../../testing/busy.mjs';
import { ManualClock } from '../../../../testing/manual-clock.js';
import { until } from '../../../../testing/until.js';
import { runtimes } from './runtimes.js';

const flour = await createFlour();
const text = flour.columns({ text: 'string' }).select('text');
const owned = text
  .tokenize()
  .wordNgram({ vocabulary: [['good'], ['bad']] })
  .linear({ weights: [1, -1] })
  .plan();
const other = text
  .tokenize()
  .wordNgram({ vocabulary: [['good'], ['bad']] })
  .linear({ weights: [2, -2] })
  .plan();
const slow = { ...owned, nanosPerRow: 2e6 };
const quick = { ...owned, nanosPerRow: 1 };
const measured = runtimes(flour, { latencies: { sampleEvery: 1 } });
const steps = ['queued', 'start', 'end', 'error'] as const;

afterAll(async () => {
  for (const [, runtime] of measured) await runtime.close();
  for (const plan of [owned, other]) plan.release();
  flour.dispose();
});

const ofPlan = (runtime: Runtime, plan: RegisteredPlan) =>
  runtime.stats().plans.find(({ name }) => name === plan.name)!.latencies;

/** Returns the channel messages during `run`: the step, and a copy of the message at that time. */
async function heard(run: () => Promise<unknown>): Promise<[step: string, message: PredictionMessage][]> {
  const messages: [string, PredictionMessage][] = [];
  const listeners = steps.map((step) => {
    const listener = (message: unknown) => {
      const { plan, verb, rows, queuedNanoseconds, nanoseconds, error } = message as PredictionMessage;
      messages.push([step, { plan, verb, rows, queuedNanoseconds, nanoseconds, error } as PredictionMessage]);
    };
    subscribe(`brezel:predict:${step}`, listener);
    return [step, listener] as const;
  });
  try {
    await run();
  } finally {
    for (const [step, listener] of listeners) unsubscribe(`brezel:predict:${step}`, listener);
  }
  return messages;
}

test('latencies and messages use the clock of the runtime, and include the wait for other rows', async () => {
  const clock = new ManualClock();
  await using runtime = createRuntime({ store: flour.store, clock, latencies: true });
  const plan = runtime.register(quick, { name: 'waits', batching: { maxDelayMs: 20 } });
  const messages = await heard(async () => {
    const answers = Promise.all([runtime.predict(plan, 'good'), runtime.predict(plan, 'bad')]);
    await clock.untilTimer();
    clock.advance(20);
    await answers;
  });
  const ends = messages.filter(([step]) => step === 'end').map(([, message]) => message);
  expect(ends.map(({ queuedNanoseconds, nanoseconds }) => [queuedNanoseconds, nanoseconds])).toEqual([
    [20e6, 20e6],
    [20e6, 20e6],
  ]);
  const { p50, samples } = ofPlan(runtime, plan)!.predict!;
  expect(samples).toBe(2);
  expect(p50).toBeCloseTo(20e6, -6); // two significant figures
});

describe.each(measured)('latencies, %s', (_, runtime) => {
  test('by verb, in nanoseconds', async () => {
    const plan = runtime.register(quick, { name: 'verbs' });
    expect(ofPlan(runtime, plan)).toEqual({});
    for (let at = 0; at < 100; at++) runtime.predictSync(plan, 'good');
    for (let at = 0; at < 10; at++) await runtime.predict(plan, 'good');
    await runtime.predictBatch(plan, ['good', 'bad']);
    const { predictSync, predict, predictBatch, predictStream } = ofPlan(runtime, plan)!;
    expect([predictSync, predict, predictBatch].map((one) => one!.samples)).toEqual([100, 10, 1]);
    expect(predictStream).toBeUndefined();
    for (const { p50, p90, p99, p999, max } of [predictSync!, predict!, predictBatch!]) {
      const ascending = [1, p50, p90, p99, p999, max];
      expect(ascending).toEqual(ascending.toSorted((a, b) => a - b));
      expect(max).toBeLessThan(60e9);
    }
    runtime.unregister(plan);
  });

  test('of merged plans count at each plan', async () => {
    const plans = [owned, other].map((one, at) => runtime.register(one, { name: `together ${at}` }));
    for (let at = 0; at < 5; at++) runtime.predictManySync(plans, 'good');
    for (let at = 0; at < 3; at++) await runtime.predictMany([...plans, plans[0]!], 'good');
    runtime.predictManySync([plans[1]!], 'good', new Float64Array(1));
    expect(plans.map((plan) => ofPlan(runtime, plan)!.predictMany!.samples)).toEqual([8, 9]);
    expect(() => runtime.predictManySync(plans, { text: 1 as never })).toThrow('expected text');
    expect(plans.map((plan) => ofPlan(runtime, plan)!.predictMany!.samples)).toEqual([8, 9]);
    for (const plan of plans) runtime.unregister(plan);
  });

  test('of a group that waits in the queue include the wait', async () => {
    const plans = [slow, { ...slow, name: 'other' }].map((one, at) => runtime.register(one, { name: `waiting ${at}` }));
    const messages = await heard(() => runtime.predictMany(plans, 'good'));
    const named = messages.map(([step, { plan, verb }]) => [step, plan, verb]);
    expect(named).toEqual(
      plans.flatMap(({ name }) => ['queued', 'start', 'end'].map((step) => [step, name, 'predictMany'])),
    );
    const [first, second] = messages.flatMap(([step, { nanoseconds }]) => (step === 'end' ? [nanoseconds!] : []));
    expect(second, 'from the call on, behind the first').toBeGreaterThan(first!);
    const starts = messages.filter(([step]) => step === 'start');
    for (const [, { queuedNanoseconds }] of starts) expect(queuedNanoseconds).toBeGreaterThan(0);
    expect(plans.map((plan) => ofPlan(runtime, plan)!.predictMany!.samples)).toEqual([1, 1]);
    for (const plan of plans) runtime.unregister(plan);
  });

  test('failed predictions are not counted', async () => {
    const plan = runtime.register(quick, { name: 'fails' });
    expect(() => runtime.predictSync(plan, { text: 1 as never })).toThrow('expected text');
    await expect(runtime.predict(plan, { text: 1 as never })).rejects.toThrow('expected text');
    await expect(runtime.predictBatch(plan, [{ text: 1 as never }])).rejects.toThrow('expected text');
    expect(ofPlan(runtime, plan)).toEqual({});
    runtime.unregister(plan);
  });
});

describe.each(runtimes(flour, { latencies: { stagesEvery: 4 } }))('stages, %s', (engine, runtime) => {
  const stagesOf = (name: string) => runtime.stats().plans.find((plan) => plan.name === name)!.stageLatencies!;

  test('each stage is measured in a sample of the rows or blocks, with any verb', async () => {
    const plan = runtime.register(quick, { name: 'stages' });
    expect(stagesOf('stages')).toEqual([]);
    for (let at = 0; at < 9; at++) expect(runtime.predictSync(plan, 'good')).toEqual({ output: [1] });
    const stages = stagesOf('stages');
    expect(stages.map(({ key }) => key)).toEqual(owned.stages.map(({ stage }) => stage.key));
    expect(stages.flatMap(({ operators }) => operators)).toEqual(['tokenize', 'ngram', 'count-linear']);
    for (const stage of stages) {
      expect(stage.engine).toBe(engine);
      expect(stage.nanoseconds.samples).toBe(3);
      expect(stage.nanoseconds.max).toBeLessThan(10e9);
    }
    for (let at = 0; at < 4; at++) await runtime.predict(plan, 'bad');
    for (let at = 0; at < 4; at++) await runtime.predictBatch(plan, ['good', 'bad']);
    // Calls of the reference engine are not measured.
    await runtime.predictBatch(plan, ['good'], { engine: 'reference' });
    expect(stagesOf('stages').map(({ nanoseconds }) => nanoseconds.samples)).toEqual(stages.map(() => 5));
    runtime.unregister(plan);
  });

  test('predictMany: a shared stage runs once and counts for each plan', async () => {
    const plans = [owned, other].map((one, at) => runtime.register(one, { name: `arm ${at}` }));
    const third = runtime.register(owned, { name: 'nobody asks' });
    const samples = () => plans.map(({ name }) => stagesOf(name).map(({ nanoseconds }) => nanoseconds.samples));
    for (let at = 0; at < 9; at++) runtime.predictManySync(plans, 'good');
    expect(samples()).toEqual([owned, other].map(({ stages }) => stages.map(() => 3)));
    const [one, two] = plans.map(({ name }) => stagesOf(name));
    expect(one!.map(({ key }) => key)).toEqual(owned.stages.map(({ stage }) => stage.key));
    const shared = one!.filter(({ key }) => two!.some((stage) => stage.key === key));
    expect(shared.length).toBeGreaterThan(0);
    // Both plans count the same runs of shared stages.
    for (const stage of shared) expect(two).toContainEqual(stage);
    for (const { engine: where, nanoseconds } of [...one!, ...two!]) {
      expect(where).toBe(engine);
      expect(nanoseconds.p50).toBeGreaterThan(0);
      expect(nanoseconds.p999).toBeGreaterThanOrEqual(nanoseconds.p50);
    }
    for (let at = 0; at < 3; at++) await runtime.predictMany(plans, 'bad');
    runtime.predictManySync(plans, 'bad', new Float64Array(2));
    expect(samples()).toEqual([owned, other].map(({ stages }) => stages.map(() => 4)));
    runtime.predictManySync([plans[0]!], 'bad'); // a single plan has its own timers
    expect(samples()).toEqual([owned.stages.map(() => 5), other.stages.map(() => 4)]);
    expect(() => runtime.predictManySync(plans, { text: 1 as never })).toThrow('expected text');
    expect(samples()).toEqual([owned.stages.map(() => 5), other.stages.map(() => 4)]);
    expect(stagesOf('nobody asks')).toEqual([]);
    for (const plan of [...plans, third]) runtime.unregister(plan);
  });

  test('cached rows add no stage times', async () => {
    const plan = runtime.register(quick, { name: 'kept', cache: { maxBytes: 4096 } });
    for (let at = 0; at < 20; at++) runtime.predictSync(plan, 'good');
    expect(stagesOf('kept').map(({ nanoseconds }) => nanoseconds.samples)).toEqual(owned.stages.map(() => 1));
    for (let at = 0; at < 4; at++)
      expect(await runtime.predictBatch(plan, [`good ${at}`, 'good'])).toEqual(Array(2).fill({ output: [1] }));
    expect(stagesOf('kept').map(({ nanoseconds }) => nanoseconds.samples)).toEqual(owned.stages.map(() => 2));
    runtime.unregister(plan);
  });
});

describe.skipIf(loadNative().addon === undefined)('stages of batches on executors', () => {
  const runtime = createRuntime({ store: flour.store, executors: 2, latencies: { stagesEvery: 3 } });
  afterAll(() => runtime.close());
  const dear = { ...owned, nanosPerRow: 50_000 };
  const rows = Array.from({ length: 900 }, (_, at) => `good bad ${at}`);
  const stagesOf = (name: string) => runtime.stats().plans.find((plan) => plan.name === name)!.stageLatencies!;

  test('are measured in a sample of the chunks', async () => {
    const plan = runtime.register(dear, { name: 'far' });
    await runtime.warm(plan);
    const before = runtime.stats().executors.shared.chunks;
    await runtime.predictBatch(plan, rows);
    const chunks = runtime.stats().executors.shared.chunks - before;
    expect(chunks).toBeGreaterThan(50);
    const stages = stagesOf('far');
    expect(stages.map(({ key }) => key)).toEqual(owned.stages.map(({ stage }) => stage.key));
    for (const stage of stages) {
      expect(stage.engine).toBe('native');
      expect(stage.nanoseconds.samples).toBe(Math.ceil(chunks / 3));
      expect(stage.nanoseconds.p50).toBeGreaterThan(0);
      expect(stage.nanoseconds.max).toBeGreaterThanOrEqual(stage.nanoseconds.p50);
    }
    runtime.unregister(plan);
  });

  test('failed calls add no sample, and cached answers add none', async () => {
    const plan = runtime.register(dear, { name: 'refused', maxInputBytes: 100 });
    await expect(runtime.predictBatch(plan, ['x'.repeat(101), ...rows])).rejects.toThrow('maxInputBytes');
    expect(stagesOf('refused')).toEqual([]);
    const kept = runtime.register(dear, { name: 'kept', cache: { maxBytes: 2 ** 20 } });
    await runtime.predictBatch(kept, rows);
    const samples = stagesOf('kept').map((stage) => stage.nanoseconds.samples);
    expect(samples[0]).toBeGreaterThan(10);
    await runtime.predictBatch(kept, rows); // all rows are cached, so no stage runs
    expect(stagesOf('kept').map((stage) => stage.nanoseconds.samples)).toEqual(samples);
    for (const one of [plan, kept]) runtime.unregister(one);
  });
});

test('predictSync is measured in a sample of the calls', () => {
  const runtime = createRuntime({ store: flour.store, latencies: { sampleEvery: 10 } });
  const plan = runtime.register(quick);
  for (let at = 0; at < 95; at++) runtime.predictSync(plan, 'good');
  expect(ofPlan(runtime, plan)!.predictSync!.samples).toBe(10);
});

test('without the option, nothing is measured', async () => {
  const runtime = createRuntime({ store: flour.store });
  const plan = runtime.register(quick);
  runtime.predictSync(plan, 'good');
  expect(ofPlan(runtime, plan)).toBeUndefined();
  expect(runtime.stats().eventLoopLag).toBeUndefined();
});

test.each([0, 1001, 1.5, Number.NaN])('every %s is out of range', (every) => {
  const outOfRange = expect.objectContaining({ code: 'ERR_RUNTIME_OPTION' });
  expect(() => createRuntime({ store: flour.store, latencies: { sampleEvery: every } })).toThrow(outOfRange);
  expect(() => createRuntime({ store: flour.store, latencies: { stagesEvery: every } })).toThrow(outOfRange);
});

test('event-loop lag: the delay of timers on a busy thread', async () => {
  const runtime = createRuntime({ store: flour.store, eventLoopLag: true });
  await until(() => runtime.stats().eventLoopLag!.samples > 1);
  busyFor(100);
  await until(() => runtime.stats().eventLoopLag!.max > 80e6);
  const { samples, p50, max } = runtime.stats().eventLoopLag!;
  expect(samples).toBeGreaterThan(2);
  expect(p50).toBeLessThanOrEqual(max);
  await runtime.close();
  expect(runtime.stats().eventLoopLag!.max).toBe(max);
});

describe.each(runtimes(flour))('channels, %s', (_, runtime) => {
  const shapes = (messages: Awaited<ReturnType<typeof heard>>) =>
    messages.map(([step, { verb, rows, error }]) => [step, verb, rows, (error as { code?: string })?.code]);

  test('a prediction that starts immediately', async () => {
    const plan = runtime.register(quick, { name: 'at once' });
    const messages = await heard(async () => runtime.predictSync(plan, 'good'));
    expect(shapes(messages)).toEqual([
      ['start', 'predictSync', 1, undefined],
      ['end', 'predictSync', 1, undefined],
    ]);
    const [, end] = messages[1]!;
    expect(end.plan).toBe('at once');
    expect(end.nanoseconds).toBeGreaterThanOrEqual(end.queuedNanoseconds!);
    expect(shapes(await heard(() => runtime.predict(plan, 'good')))).toEqual([
      ['start', 'predict', 1, undefined],
      ['end', 'predict', 1, undefined],
    ]);
    expect(shapes(await heard(() => runtime.predictBatch(plan, ['good', 'bad'])))).toEqual([
      ['start', 'predictBatch', 2, undefined],
      ['end', 'predictBatch', 2, undefined],
    ]);
    runtime.unregister(plan);
  });

  test('a prediction that waits', async () => {
    for (const [compiled, batching] of [
      [slow, undefined],
      [quick, { maxDelayMs: 0 }],
    ] as const) {
      const plan = runtime.register(compiled, { batching });
      const messages = await heard(() => runtime.predict(plan, 'good'));
      expect(messages.map(([step]) => step)).toEqual(['queued', 'start', 'end']);
      expect(messages[0]![1]).toMatchObject({ queuedNanoseconds: undefined, nanoseconds: undefined });
      expect(messages[2]![1].queuedNanoseconds).toBeGreaterThan(0);
      runtime.unregister(plan);
    }
  });

  test('predictions that fail', async () => {
    const plan = runtime.register(quick);
    const row = { text: 1 as never };
    const messages = await heard(async () => {
      expect(() => runtime.predictSync(plan, row)).toThrow();
      for (const engine of ['batch', 'request-response', 'reference'] as const)
        await expect(runtime.predictBatch(plan, [row], { engine })).rejects.toThrow();
      await expect(runtime.predict(plan, row)).rejects.toThrow();
    });
    const errors = shapes(messages).filter(([step]) => step === 'error');
    expect(errors.map(([, verb, , code]) => [verb, code])).toEqual(
      ['predictSync', ...Array(3).fill('predictBatch'), 'predict'].map((verb) => [verb, 'ERR_RUNTIME_INPUT']),
    );
    runtime.unregister(plan);
  });

  test('the steps of a call share one object', async () => {
    const plan = runtime.register(quick);
    const seen: unknown[] = [];
    const listener = (message: unknown) => void seen.push(message);
    for (const step of steps) subscribe(`brezel:predict:${step}`, listener);
    await Promise.all([runtime.predict(plan, 'good'), runtime.predict(plan, 'bad')]);
    for (const step of steps) unsubscribe(`brezel:predict:${step}`, listener);
    expect(seen).toHaveLength(4);
    expect(new Set(seen).size).toBe(2);
    expect(channel('brezel:predict:end').hasSubscribers).toBe(false);
    runtime.unregister(plan);
  });
});
