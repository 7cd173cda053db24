import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type ParameterMemory, sharedMemory } from '@brezel/object-store';
import {
  createFlour,
  createRuntime,
  explainAnalyze,
  type Flow,
  ObjectStore,
  openFleet,
  packFleet,
  type RuntimeOptions,
  vector,
} from 'brezel';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GUARD_MS } from '../../../../testing/guard.js';
import { ManualClock } from '../../../../testing/manual-clock.js';
import { turns } from '../../../../testing/turns.js';
import { until } from '../../../../testing/until.js';
import type { TextOperator } from '../../../../testing/untyped.js';
import { temporaryFolder } from '../fleet/folder.js';

const module = new URL('./endless-operators.mjs', import.meta.url);
const operators = await import(module.href);
const { endless, hungry, moody, thread }: Record<'endless' | 'hungry' | 'moody' | 'thread', TextOperator> = operators;
const { weighed } = operators;
const flour = await createFlour();
const text = flour.columns({ text: 'string' }).select('text');
const compiled = flour.program({ y: text.custom(moody) }, { name: 'moody' }).plan();
const hanging = flour.program({ y: text.custom(endless) }, { name: 'hanging' }).plan();
const stuck = { code: 'ERR_RUNTIME_STUCK' };
const isolated = { code: 'ERR_RUNTIME_ISOLATED' };
const options = { operatorModules: [module] };
const runtime = createRuntime({ store: flour.store, ...options });
const ended = () => runtime.stats().isolation!.ended;

afterAll(async () => {
  await runtime.close();
  compiled.release();
  hanging.release();
  flour.dispose();
});

describe('a plan with a deadline', () => {
  const plan = runtime.register(compiled);
  beforeAll(async () => {
    expect(await runtime.predict(plan, 'warm')).toEqual({ y: 4 });
  });

  test('runs on a worker, with the same answers', async () => {
    const where = runtime.register(text.custom(thread).plan());
    const { output } = await runtime.predict(where, 'x');
    expect(output).toBeGreaterThan(0);
    runtime.unregister(where);
    const rows = Array.from({ length: 150 }, (_, row) => 'a'.repeat(row));
    expect(await runtime.predictBatch(plan, rows)).toEqual(rows.map((row) => ({ y: row.length })));
    const streamed: unknown[] = [];
    for await (const answer of runtime.predictStream(plan, rows)) streamed.push(answer);
    expect(streamed).toEqual(rows.map((row) => ({ y: row.length })));
    expect(await runtime.predictBatch(plan, [])).toEqual([]);
    expect(runtime.stats().isolation).toMatchObject({ workers: 1, tasks: 0 });
  });

  test('an endless operator is terminated: only its call fails, another worker continues, and the plan may be disabled', async () => {
    const before = ended();
    const bad = runtime.register(hanging, { quarantine: { failures: 1 } });
    const calls = [
      runtime.predict(plan, 'one'),
      runtime.predict(bad, 'hang'),
      runtime.predict(plan, 'three'),
      runtime.predictBatch(plan, ['a', 'b']),
    ];
    const [one, hang, three, batch] = await Promise.allSettled(calls);
    expect(one).toMatchObject({ value: { y: 3 } });
    expect(three).toMatchObject({ value: { y: 5 } });
    expect(batch).toMatchObject({ value: [{ y: 1 }, { y: 1 }] });
    expect(hang).toMatchObject({ status: 'rejected', reason: stuck });
    expect((hang as PromiseRejectedResult).reason.message).toBe(
      'a custom operator exceeded its deadline at test-endless/endless, plan hanging: no answer within 100 ms',
    );
    expect(ended() - before).toBe(1);
    expect(runtime.stats()).toMatchObject({ queue: { rows: 0, bytes: 0 }, isolation: { tasks: 0 } });
    const resting = { code: 'ERR_RUNTIME_QUARANTINED', cause: stuck };
    await expect(runtime.predict(bad, 'again')).rejects.toMatchObject(resting);
    runtime.unregister(bad);
  });

  test('errors of the operator have the class and the row that they have without a worker', async () => {
    const rows = Array.from({ length: 70 }, () => 'fine');
    await expect(runtime.predictBatch(plan, [...rows, 'throw'])).rejects.toMatchObject({
      code: 'ERR_RUNTIME_CUSTOM',
      message: 'a custom operator failed at test-endless/moody, row 70, plan moody, stage 1: RangeError: thrown',
      cause: { operator: 'test-endless/moody' },
    });
    const refusal = {
      code: 'ERR_RUNTIME_INPUT',
      message: expect.stringContaining('row 70: a word'),
      hint: 'send another',
    };
    await expect(runtime.predictBatch(plan, [...rows, 'refuse'])).rejects.toMatchObject(refusal);
    await expect(runtime.predictBatch(plan, ['fine', { text: 1 as never }])).rejects.toMatchObject({
      code: 'ERR_RUNTIME_INPUT',
    });
    const { calls } = runtime.stats().plans.find(({ name }) => name === 'moody')!;
    expect(calls.failedOperators).toEqual({ 'test-endless/moody': 1 });
  });

  test('a worker that runs out of memory fails its call only', async () => {
    await using small = createRuntime({ store: flour.store, ...options, workerHeapBytes: 64 * 2 ** 20 });
    const grows = text.custom(hungry).plan();
    const registered = small.register(grows);
    grows.release();
    const [lost, next] = await Promise.allSettled([small.predict(registered, 'grow'), small.predict(registered, 'x')]);
    expect(lost).toMatchObject({ status: 'rejected', reason: { code: 'ERR_RUNTIME_WORKER' } });
    expect((lost as PromiseRejectedResult).reason.message).toContain('memory');
    expect(next).toEqual({ status: 'fulfilled', value: { output: 1 } });
    expect(small.stats().isolation).toMatchObject({ died: 1, ended: 0 });
  });

  test('a worker that ends by itself fails its call only', async () => {
    const [exit, next] = await Promise.allSettled([runtime.predict(plan, 'exit'), runtime.predict(plan, 'next')]);
    expect(exit).toMatchObject({ status: 'rejected', reason: { code: 'ERR_RUNTIME_WORKER' } });
    expect(next).toMatchObject({ value: { y: 4 } });
    expect(runtime.stats().isolation!.died).toBe(1);
  });

  test('the deadline and signal of the caller end the call, but not the worker', async () => {
    const clock = new ManualClock();
    await using runtime = createRuntime({ store: flour.store, ...options, clock });
    const plan = runtime.register(compiled);
    const long = ','.repeat(60); // 60 ms
    const late = expect(runtime.predict(plan, long, { deadlineMs: 10 })).rejects.toMatchObject({
      code: 'ERR_RUNTIME_DEADLINE',
    });
    await clock.untilTimer();
    clock.advance(10);
    await late;
    const controller = new AbortController();
    const aborted = runtime.predictBatch(plan, [long], { signal: controller.signal });
    await turns(3);
    controller.abort(new Error('gone'));
    await expect(aborted).rejects.toThrow('gone');
    expect(runtime.stats().queue).toMatchObject({ rows: 0, bytes: 0 });
    expect(await runtime.predict(plan, 'next', { deadlineMs: 60_000 })).toEqual({ y: 4 });
    expect(runtime.stats().isolation!.ended).toBe(0);
  });

  /** Memory that other threads cannot read. */
  const ofThisThread = ({ sharing: _, ...memory }: ParameterMemory = sharedMemory()): ParameterMemory => memory;
  test.each([
    ['the addon', () => createFlour()],
    ['shared buffers', () => createFlour({ native: false })],
    ['this thread alone', async () => createFlour({ store: await ObjectStore.open({ memory: ofThisThread() }) })],
  ])('parameters in memory of %s, attributes, several inputs: the bits as without a worker', async (_, open) => {
    const flour = await open();
    const parameters = { weights: [0.1, 20], words: ['good', 'bad'] };
    const inputs = [
      flour.columns({ text: 'string' }).select('text'),
      flour.input('v', vector('float32', 3)) as Flow<'vector'>,
    ];
    const flow = flour.custom(weighed as never, inputs as never, { parameters } as never);
    const owned = flour.program({ y: flow as Flow }, { name: 'weighed' }).plan();
    const here = createRuntime({ store: flour.store, isolated: true });
    const there = createRuntime({ store: flour.store, ...options });
    const rows = ['good', 'bad', 'ugly'].map((word, row) => ({ text: word, v: [row, 0.1, -0] }));
    const answers = await here.predictBatch(here.register(owned), rows);
    expect(await there.predictBatch(there.register(owned), rows)).toEqual(answers);
    expect(answers[1]).toEqual({ y: [10, Math.fround(Math.fround(0.1) + 1)] });
    await Promise.all([here.close(), there.close()]);
    owned.release();
    flour.dispose();
  });

  test('a plan that is removed during a call', async () => {
    const other = runtime.register(compiled, { name: 'other' });
    const waiting = runtime.predict(other, ',,,,,');
    runtime.unregister(other);
    await expect(waiting).rejects.toMatchObject({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' });
  });

  test('a plan that is removed while a worker receives it', async () => {
    // The worker waits in this module. It has received the plan, but has not taken the parameters.
    const taking = new URL(
      `data:text/javascript,const channel = new BroadcastChannel('taking'); channel.postMessage(0);
      await new Promise((go) => { channel.onmessage = go; }); channel.close();`,
    );
    const channel = new BroadcastChannel('taking');
    await using own = createRuntime({ store: flour.store, operatorModules: [module, taking] });
    const counted = text.tokenize().wordNgram({ vocabulary: [['of this plan alone']] });
    const alone = flour.program({ y: text.custom(moody), z: counted }, { name: 'alone' }).plan();
    const registered = own.register(alone);
    alone.release();
    const call = own.predict(registered, 'text');
    const settled = expect(call).rejects.toMatchObject({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' });
    await once(channel as unknown as EventTarget, 'message');
    own.unregister(registered);
    channel.postMessage(0);
    await settled;
    channel.close();
  });

  test('verbs that would run it on this thread are rejected', async () => {
    expect(() => runtime.predictSync(plan, 'x')).toThrow(expect.objectContaining(isolated));
    await expect(runtime.predictBatch(plan, ['x'], { engine: 'reference' })).rejects.toMatchObject(isolated);
    await expect(runtime.profile(plan, ['x'])).rejects.toMatchObject(isolated);
    await expect(runtime.predictMany([plan], 'x')).rejects.toMatchObject(isolated);
    expect(await runtime.predict(plan, 'x', { engine: 'request-response' })).toEqual({ y: 1 });
  });
});

test('its stages are measured on the worker, in a sample of the tasks', async () => {
  await using timed = createRuntime({ store: flour.store, ...options, latencies: { stagesEvery: 2 } });
  const plan = timed.register(compiled);
  const stages = () => timed.stats().plans[0]!.stageLatencies!;
  await timed.predictBatch(plan, new Array(150).fill('a,,,')); // tasks of 64, 64 and 22 rows
  expect(stages().map(({ key }) => key)).toEqual(compiled.stages.map(({ stage }) => stage.key));
  for (const { nanoseconds } of stages()) expect(nanoseconds.samples).toBe(2);
  const moodyStage = stages().find(({ operators }) => operators.includes('test-endless/moody'))!;
  expect(moodyStage.engine).toBe('javascript');
  // The operator works for one millisecond per comma.
  expect(moodyStage.nanoseconds.p50).toBeGreaterThan(2e6);
  await expect(timed.predict(plan, 'not its turn')).resolves.toBeDefined();
  // A failed call adds no sample.
  await expect(timed.predict(plan, 'throw')).rejects.toMatchObject({ code: 'ERR_RUNTIME_CUSTOM' });
  expect(stages().every(({ nanoseconds }) => nanoseconds.samples === 2)).toBe(true);
});

test('tools run it on the calling thread: fleets are packed, replayed and explained', async () => {
  const files = temporaryFolder();
  const path = files.path('moody.brezel');
  await packFleet([compiled], path, { store: flour.store });
  const fleet = await openFleet(path);
  const plan = runtime.register(fleet.plan('moody'), { name: 'of a fleet' });
  expect(await runtime.predict(plan, 'abc')).toEqual({ y: 3 });
  runtime.unregister(plan);
  await fleet.close();
  files.remove();
  const program = flour.program({ y: text.custom(moody) });
  expect(await explainAnalyze(program, [{ text: 'abc' }], { durationMs: 5 })).toContain('test-endless/moody');
});

test('the process ends when no work is left, also if the runtime is not closed', () => {
  const child = fileURLToPath(new URL('./idle-process.mjs', import.meta.url));
  expect(execFileSync(process.execPath, [child], { encoding: 'utf8', timeout: GUARD_MS })).toBe('{"y":4}\n');
});

describe('what a worker needs', () => {
  test('a module for the workers', () => {
    const runtime = createRuntime({ store: flour.store });
    expect(() => runtime.register(compiled)).toThrow(
      expect.objectContaining({ code: 'ERR_RUNTIME_OPTION', hint: expect.stringContaining('operatorModules') }),
    );
    expect(runtime.stats().plans).toEqual([]);
  });

  test.each([
    [{ cache: { maxBytes: 4096 } }, 'cache'],
    [{ batching: { maxDelayMs: 1 } }, 'batching'],
    [{ engine: 'request-response' }, 'engine'],
  ] as const)('no %j', (more, named) => {
    expect(() => runtime.register(compiled, { name: 'more', ...more })).toThrow(`received ${named}`);
  });

  test.each([
    { operatorThreads: 0 },
    { operatorThreads: 1.5 },
    { operatorModules: ['./operators.js'] },
    { workerHeapBytes: 2 ** 20 },
    { workerHeapBytes: Number.NaN },
  ])('createRuntime rejects %j', (more: Partial<RuntimeOptions>) => {
    expect(() => createRuntime({ store: flour.store, ...options, ...more })).toThrow(
      expect.objectContaining({ code: 'ERR_RUNTIME_OPTION' }),
    );
  });

  test('a module that defines the operator', async () => {
    const missing = new URL('data:text/javascript,export const nothing = 1');
    const runtime = createRuntime({ store: flour.store, operatorModules: [missing] });
    const code = 'ERR_RUNTIME_OPERATOR';
    await expect(runtime.predict(runtime.register(compiled), 'x')).rejects.toMatchObject({ code });
    await runtime.close();
  });

  test('close ends workers that hang', async () => {
    // The clock stands still, so no deadline passes.
    const runtime = createRuntime({ store: flour.store, ...options, clock: new ManualClock() });
    const call = runtime.predict(runtime.register(hanging), 'hang');
    const settled = expect(call).rejects.toMatchObject({ code: 'ERR_RUNTIME_CLOSED' });
    await until(() => runtime.stats().isolation!.workers > 0);
    await runtime.close();
    await settled;
  });
});
