import { type BrezelError, createFlour, createRuntime, type QuarantineOptions, type Runtime } from 'brezel';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../../testing/manual-clock.js';
import { runtimes } from '../serving/runtimes.js';
import { behaviour, fragilePlan } from './operators.js';

const flour = await createFlour();
const compiled = fragilePlan(flour);
const clock = new ManualClock();
const all = runtimes(flour, { clock });
const good = { words: 2 };
const resting = expect.objectContaining({ code: 'ERR_RUNTIME_QUARANTINED' });
const broken = expect.objectContaining({ code: 'ERR_RUNTIME_CUSTOM' });
const misfit = expect.objectContaining({ code: 'ERR_RUNTIME_INPUT' });

afterEach(() => {
  behaviour.isBroken = false;
});
afterAll(async () => {
  for (const [, runtime] of all) await runtime.close();
  compiled.release();
  flour.dispose();
});

const statsOf = (runtime: Runtime, name: string) => runtime.stats().plans.find((plan) => plan.name === name)!;

describe.each(all)('%s', (_, runtime) => {
  const register = (name: string, quarantine?: QuarantineOptions) => runtime.register(compiled, { name, quarantine });

  test('a plan that fails repeatedly is quarantined, with any verb, and other plans continue', async () => {
    const plan = register('rests', { failures: 4, restMs: 60_000 });
    const other = runtime.register(compiled, { name: 'other' });
    behaviour.isBroken = true;
    expect(() => runtime.predictSync(plan, 'a b')).toThrow(broken);
    await expect(runtime.predict(plan, 'a b')).rejects.toThrow(broken);
    await expect(runtime.predictBatch(plan, ['a b'])).rejects.toThrow(broken);
    expect(statsOf(runtime, 'rests').quarantine).toEqual({ resting: false, restMs: 0, failures: 3 });
    await expect(runtime.predictStream(plan, ['a b']).next()).rejects.toThrow(broken);
    behaviour.isBroken = false;
    expect(() => runtime.predictSync(plan, 'a b')).toThrow(resting);
    await expect(runtime.predict(plan, 'a b')).rejects.toThrow(resting);
    for (const engine of ['batch', 'request-response', 'reference'] as const)
      await expect(runtime.predictBatch(plan, ['a b'], { engine })).rejects.toThrow(resting);
    await expect(runtime.predictStream(plan, ['a b']).next()).rejects.toThrow(resting);
    expect(runtime.predictSync(other, 'a b')).toEqual(good);
    const { calls, quarantine } = statsOf(runtime, 'rests');
    const failedOperators = { 'test/fragile': 4 };
    expect(calls).toEqual({ answered: 0, refused: 0, limited: 0, failed: 4, quarantined: 6, failedOperators });
    expect(quarantine).toEqual({ resting: true, restMs: 60_000, failures: 4 });
    runtime.unregister(plan);
    runtime.unregister(other);
  });

  test('the error names the plan, the remaining time and the last failure', () => {
    const plan = register('told', { failures: 1 });
    behaviour.isBroken = true;
    expect(() => runtime.predictSync(plan, 'a b')).toThrow(broken);
    let error: BrezelError | undefined;
    try {
      runtime.predictSync(plan, 'a b');
    } catch (thrown) {
      error = thrown as BrezelError;
    }
    expect(error!.message).toMatch(/^the plan failed repeatedly and is in quarantine at told: next attempt in \d+ ms$/);
    expect(error!.hint).toContain('runtime.release(plan)');
    expect((error!.cause as Error).message).toBe(
      'a custom operator failed at test/fragile, row 0, plan told, stage 2: TypeError: the table is gone',
    );
    runtime.unregister(plan);
  });

  test('after the quarantine one call runs as a probe: its answer ends the quarantine, its failure starts another quarantine', async () => {
    const plan = register('probe', { failures: 1, restMs: 30 });
    behaviour.isBroken = true;
    expect(() => runtime.predictSync(plan, 'a b')).toThrow(broken);
    clock.advance(30);
    expect(() => runtime.predictSync(plan, 'a b')).toThrow(broken);
    behaviour.isBroken = false;
    expect(() => runtime.predictSync(plan, 'a b')).toThrow(resting);
    clock.advance(30);
    // An invalid row shows nothing about the plan, so the next row may probe it.
    expect(() => runtime.predictSync(plan, '')).toThrow(misfit);
    expect(runtime.predictSync(plan, 'a b')).toEqual(good);
    expect(statsOf(runtime, 'probe').quarantine).toEqual({ resting: false, restMs: 0, failures: 0 });
    runtime.unregister(plan);
  });

  test('release ends the quarantine', () => {
    const plan = register('released', { failures: 1, restMs: 60_000 });
    behaviour.isBroken = true;
    expect(() => runtime.predictSync(plan, 'a b')).toThrow(broken);
    behaviour.isBroken = false;
    expect(() => runtime.predictSync(plan, 'a b')).toThrow(resting);
    runtime.release(plan);
    expect(runtime.predictSync(plan, 'a b')).toEqual(good);
    runtime.unregister(plan);
    expect(() => runtime.release(plan)).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' }));
  });

  test('errors of the caller do not count, and failures before an answer do not either', async () => {
    const plan = register('callers', { failures: 2 });
    const signal = AbortSignal.abort(new Error('gone'));
    for (let time = 0; time < 5; time++) {
      expect(() => runtime.predictSync(plan, '')).toThrow(misfit);
      expect(() => runtime.predictSync(plan, { text: 1 as never })).toThrow(misfit);
      await expect(runtime.predictBatch(plan, ['a b', ''])).rejects.toThrow(misfit);
      await expect(runtime.predictBatch(plan, ['a b'], { engine: 'gpu' as never })).rejects.toThrow(
        'request-response, batch',
      );
      await expect(runtime.predictBatch(plan, ['a b'], { signal })).rejects.toBe(signal.reason);
      behaviour.isBroken = true;
      expect(() => runtime.predictSync(plan, 'a b')).toThrow(broken);
      behaviour.isBroken = false;
      expect(runtime.predictSync(plan, 'a b')).toEqual(good);
    }
    expect(statsOf(runtime, 'callers').calls).toMatchObject({ answered: 5, refused: 15, failed: 5, quarantined: 0 });
    runtime.unregister(plan);
  });

  test('with batching, each call counts separately', async () => {
    const plan = runtime.register(compiled, {
      name: 'gathered',
      batching: { maxDelayMs: 0 },
      quarantine: { failures: 3 },
    });
    behaviour.isBroken = true;
    const calls = Array.from({ length: 3 }, () => runtime.predict(plan, 'a b'));
    for (const call of calls) await expect(call).rejects.toThrow(broken);
    await expect(runtime.predict(plan, 'a b')).rejects.toThrow(resting);
    runtime.unregister(plan);
  });

  test('calls that end with a deadline or signal are counted separately', async () => {
    const slow = runtime.register({ ...compiled, nanosPerRow: 2e6 }, { name: 'limits', quarantine: { failures: 1 } });
    const controller = new AbortController();
    const aborted = runtime.predictBatch(slow, Array(200).fill('a b'), { signal: controller.signal });
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
    const late = { code: 'ERR_RUNTIME_DEADLINE' };
    const limited = expect(runtime.predictBatch(slow, Array(200).fill('a b'), { deadlineMs: 1 })).rejects.toMatchObject(
      late,
    );
    clock.advance(1);
    await limited;
    expect(statsOf(runtime, 'limits')).toMatchObject({ calls: { limited: 2, failed: 0 }, quarantine: { failures: 0 } });
    runtime.unregister(slow);
  });
});

test('without the option, every call runs the plan', () => {
  const runtime = createRuntime({ store: flour.store });
  const plan = runtime.register(compiled);
  behaviour.isBroken = true;
  for (let time = 0; time < 20; time++) expect(() => runtime.predictSync(plan, 'a b')).toThrow(broken);
  expect(statsOf(runtime, 'fragile')).toMatchObject({ calls: { failed: 20, quarantined: 0 } });
  expect(statsOf(runtime, 'fragile').quarantine).toBeUndefined();
});

test.each([{ failures: 0 }, { failures: 1.5 }, { restMs: -1 }, { restMs: 2 ** 31 }])(
  '%j is out of range',
  (options) => {
    const runtime = createRuntime({ store: flour.store });
    expect(() => runtime.register(compiled, { quarantine: options })).toThrow(
      expect.objectContaining({ code: 'ERR_RUNTIME_OPTION' }),
    );
    expect(runtime.stats().plans).toEqual([]);
  },
);

test('the attributed bytes of all plans add up to all bytes', () => {
  const runtime = createRuntime({ store: flour.store });
  const words = flour
    .columns({ text: 'string' })
    .select('text')
    .tokenize()
    .wordNgram({ vocabulary: [['good'], ['bad']] });
  for (const weight of [1, 1.25, 1.5]) {
    const owned = words.linear({ weights: [weight, -weight] }).plan();
    runtime.register(owned, { name: `weight ${weight}` });
    owned.release();
  }
  const { plans, parameters } = runtime.stats();
  expect(plans.reduce((sum, plan) => sum + plan.attributedBytes, 0)).toBeCloseTo(parameters.bytes, 6);
  for (const { attributedBytes, marginalBytes, parameterBytes } of plans) {
    const shared = parameterBytes - marginalBytes;
    expect(attributedBytes).toBeCloseTo(marginalBytes + shared / 3, 6);
    expect(shared).toBeGreaterThan(0);
  }
});
