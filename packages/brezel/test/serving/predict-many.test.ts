import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  type Answer,
  createFlour,
  createRuntime,
  defineOperator,
  type Flow,
  type PredictionMessage,
  type RegisteredPlan,
  type Row,
  type Runtime,
  vector,
} from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import type { UntypedPlan } from '../../../../testing/untyped.js';
import { difference } from '../conformance/engines.js';
import { runtimes } from './runtimes.js';

const flour = await createFlour();
const text = flour.columns({ text: 'string' }).select('text');
const counted = text.tokenize().wordNgram({ vocabulary: [['good'], ['bad']] });
let runs = 0;
const shouting = defineOperator({
  name: 'test/many-shouting',
  inputs: ['text'],
  output: 'float32[2]',
  run: (value) => {
    runs++;
    return [value.length, value.replace(/[^A-Z]/g, '').length];
  },
});
const failing = defineOperator({
  name: 'test/many-failing',
  inputs: ['text'],
  output: 'float32',
  run: (value) => {
    if (value === 'fail') throw new Error('as asked');
    return value.length;
  },
});
const categories = ['good', 'bad'];
const two = flour.columns({ a: 'string', i: 'int64' });
const numbers = flour.input('x', vector('float32', 2)) as Flow<'vector'>;
const compiled = {
  score: counted.linear({ weights: [1, -1] }).plan(),
  double: counted.linear({ weights: [2, -2] }).plan(),
  label: flour.program({ label: counted.softmax().argMax().labels(['yes', 'no']), p: counted.softmax() }).plan(),
  counts: flour.program({ counts: counted }).plan(),
  picky: flour.program({ y: text.oneHot({ categories, unknown: 'error' }) }).plan(),
  text: flour.program({ text }).plan(),
  lower: flour.program({ text: text.stringNormalize({ case: 'lower' }) }).plan(),
  shouted: text
    .custom(shouting)
    .linear({ weights: [1, 10] })
    .plan(),
  louder: text
    .custom(shouting)
    .linear({ weights: [0, 1] })
    .plan(),
  failing: flour.program({ y: text.custom(failing) }).plan(),
  mixed: flour.program({ y: text.custom(shouting).concat(counted) }).plan(),
  wide: flour.program({ i: two.select('i'), a: two.select('a') }).plan(),
  negated: flour.program({ y: numbers.map('negate') }).plan(),
};
type Name = keyof typeof compiled;
const ofText = Object.keys(compiled).filter((name) => !['wide', 'negated'].includes(name)) as Name[];

afterAll(() => {
  for (const plan of Object.values(compiled)) plan.release();
  flour.dispose();
});

const failure = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    return error as Error & { code: string };
  }
  throw new Error('it did not fail');
};

describe.each(runtimes(flour, { materialization: false }))('%s', (name, runtime) => {
  const plans = Object.fromEntries(
    Object.entries(compiled).map(([name, plan]) => [name, runtime.register(plan as UntypedPlan, { name })]),
  ) as Record<Name, RegisteredPlan>;
  afterAll(() => runtime.close());
  const alone = (names: readonly Name[], row: Row): Answer[] =>
    names.map((one) => runtime.predictSync(plans[one], row));
  const of = (names: readonly Name[]) => names.map((one) => plans[one]);

  test.each<[string, readonly Name[]]>([
    ['two of a family', ['score', 'double']],
    ['the same plan twice', ['score', 'double', 'score']],
    ['one', ['label']],
    ['none', []],
    ['every engine and kind of answer', ofText],
    ['the same in another order', ofText.toReversed()],
  ])('%s: as one by one', async (_, names) => {
    for (const value of ['good', 'bad', 'good']) {
      const want = alone(names, value);
      for (const row of [value, { text: value }, { text: Buffer.from(value) }]) {
        expect(difference(runtime.predictManySync(of(names), row), want)).toBeUndefined();
        expect(difference(await runtime.predictMany(of(names), row), want)).toBeUndefined();
      }
    }
  });

  test('vectors and several columns', () => {
    for (const x of [Float64Array.of(1, -0), [1, 2]])
      expect(runtime.predictManySync(of(['negated', 'negated']), { x })).toEqual(alone(['negated', 'negated'], { x }));
    const row = { a: 'ä', i: 2n ** 60n };
    expect(runtime.predictManySync(of(['wide', 'wide']), row)).toEqual(alone(['wide', 'wide'], row));
  });

  test('into an out-array, plan after plan', () => {
    const names: Name[] = ['label', 'shouted', 'score', 'counts', 'mixed', 'score'];
    const width = names.reduce((sum, one) => sum + plans[one].width, 0);
    const want = names.flatMap((one) => [
      ...runtime.predictSync(plans[one], 'good BAD good', new Float64Array(plans[one].width)),
    ]);
    const out = new Float64Array(width + 2).fill(7);
    expect(runtime.predictManySync(of(names), 'good BAD good', out)).toBe(out);
    expect([...out]).toEqual([...want, 7, 7]);
    const short = failure(() => runtime.predictManySync(of(names), 'good', new Float64Array(width - 1)));
    expect(short).toMatchObject({ code: 'ERR_RUNTIME_OUTPUT' });
    const texts = failure(() => runtime.predictManySync(of(['text', 'lower']), 'a', new Float64Array(2)));
    expect(texts).toMatchObject({
      code: 'ERR_RUNTIME_OUTPUT',
      message: expect.stringMatching(/output "text", plan text/),
    });
  });

  test('shared stages run once', async () => {
    runs = 0;
    const both = of(['shouted', 'louder']);
    expect(runtime.predictManySync(both, 'A good FILM')).toEqual([{ output: [61] }, { output: [5] }]);
    expect(runs).toBe(1);
    await runtime.predictMany(both, 'A');
    expect(runs).toBe(2);
    for (const plan of both) runtime.predictSync(plan, 'A');
    expect(runs).toBe(4);
  });

  test('errors name the plan', async () => {
    const refused = failure(() => runtime.predictManySync(of(['score', 'picky', 'double']), 'neither'));
    expect(refused).toMatchObject({ code: 'ERR_RUNTIME_INPUT', message: expect.stringMatching(/row 0.*, plan picky/) });
    const failed = failure(() => runtime.predictManySync(of(['shouted', 'failing']), 'fail'));
    expect(failed).toMatchObject({
      code: 'ERR_RUNTIME_CUSTOM',
      message: expect.stringMatching(/plan failing.*as asked/),
    });
    const odd = failure(() => runtime.predictManySync(of(['score', 'double']), { text: 5 }));
    expect(odd).toMatchObject({
      code: 'ERR_RUNTIME_INPUT',
      message: expect.stringMatching(/input "text", plan score/),
    });
    const other = failure(() => runtime.predictManySync(of(['score', 'wide']), { a: 'a', i: 1 }));
    expect(other).toMatchObject({
      code: 'ERR_RUNTIME_INPUT',
      message: expect.stringMatching(/extra field.*plan score|plan score.*extra field/),
    });
    await expect(runtime.predictMany(of(['score', 'picky']), 'neither')).rejects.toThrow(/plan picky/);
    expect(runtime.predictManySync(of(['score', 'picky']), 'good')).toHaveLength(2);
  });

  test('a plan that fails repeatedly is quarantined, and other plans continue', () => {
    const weak = runtime.register(compiled.failing, { name: 'weak', quarantine: { failures: 2, restMs: 60_000 } });
    const both = [plans.text, weak]; // plans of one engine
    const calls = (plan: RegisteredPlan) => runtime.stats().plans.find(({ name }) => name === plan.name)!.calls;
    const before = calls(plans.text);
    for (let time = 0; time < 2; time++)
      expect(failure(() => runtime.predictManySync(both, 'fail'))).toMatchObject({ code: 'ERR_RUNTIME_CUSTOM' });
    const resting = failure(() => runtime.predictManySync(both, 'good'));
    expect(resting).toMatchObject({ code: 'ERR_RUNTIME_QUARANTINED', message: expect.stringMatching(/weak/) });
    expect(calls(weak)).toMatchObject({ failed: 2, quarantined: 1, answered: 0 });
    expect(calls(plans.text)).toEqual(before);
    runtime.release(weak);
    expect(runtime.predictManySync(both, 'good')).toHaveLength(2);
    expect(calls(weak)).toMatchObject({ answered: 1 });
    expect(calls(plans.text).answered).toBe(before.answered + 1);
    runtime.unregister(weak);
  });

  test('a removed plan, or no plan', async () => {
    const gone = runtime.register(compiled.score, { name: 'gone' });
    const both = [plans.double, gone];
    expect(runtime.predictManySync(both, 'good')).toHaveLength(2);
    runtime.unregister(gone);
    const unknown = expect.objectContaining({
      code: 'ERR_RUNTIME_UNKNOWN_PLAN',
      message: expect.stringMatching(/gone/),
    });
    expect(() => runtime.predictManySync(both, 'good')).toThrow(unknown);
    await expect(runtime.predictMany(both, 'good')).rejects.toThrow(unknown);
    for (const wrong of [undefined, plans.double, 'double', new Set(both)])
      expect(failure(() => runtime.predictManySync(wrong as never, 'good'))).toMatchObject({
        code: 'ERR_RUNTIME_INPUT',
      });
    expect(failure(() => runtime.predictManySync([undefined] as never, 'good'))).toMatchObject({
      code: 'ERR_RUNTIME_UNKNOWN_PLAN',
    });
    expect(runtime.predictManySync([plans.double], 'good')).toHaveLength(1);
  });

  test('more lists than the cache holds, and a list that the caller changes', () => {
    const many = Array.from({ length: 70 }, (_, at) => runtime.register(compiled.score, { name: `${at}` }));
    const list = [plans.double];
    for (let round = 0; round < 2; round++)
      for (const plan of many)
        expect(runtime.predictManySync([plan, plans.double], 'good')).toEqual([{ output: [1] }, { output: [2] }]);
    for (const plan of many) {
      list[list.length] = plan;
      expect(runtime.predictManySync(list, 'good good')).toHaveLength(list.length);
    }
    for (const plan of many) runtime.unregister(plan);
    expect(runtime.predictManySync(of(['score', 'double']), 'good')).toEqual([{ output: [1] }, { output: [2] }]);
  });

  test('a heavy set is answered in several turns of the event loop', async () => {
    const heavy = Array.from({ length: 16 }, (_, n) => counted.linear({ weights: [n, 1] }).plan());
    // Declares a cost that lets two plans fill a turn of the event loop.
    const dear = heavy.map((one) => {
      const stages = one.stages.map((stage) => ({ ...stage, marks: { ...stage.marks, nanosPerRow: 120_000 } }));
      return { ...one, stages, nanosPerRow: 120_000 * stages.length };
    });
    const plans = dear.map((one) => runtime.register(one));
    const row = { text: 'good film, bad film' };
    let turn = 0;
    const starts: number[] = [];
    const note = () => void starts.push(turn);
    let isOn = true;
    const tick = () => {
      turn++;
      if (isOn) setImmediate(tick);
    };
    setImmediate(tick);
    subscribe('brezel:predict:start', note);
    const got = await runtime.predictMany(plans, row);
    unsubscribe('brezel:predict:start', note);
    isOn = false;
    expect(got).toEqual(plans.map((plan) => runtime.predictSync(plan, row)));
    expect(starts.length).toBeGreaterThan(1);
    expect(new Set(starts).size).toBeGreaterThan(1);
    for (const plan of plans) runtime.unregister(plan);
    for (const one of heavy) one.release();
  });

  test('publishes messages with the names of the plans', () => {
    const messages: PredictionMessage[] = [];
    const listen = (message: unknown) => void messages.push({ ...(message as PredictionMessage) });
    subscribe('brezel:predict:end', listen);
    runtime.predictManySync(of(['score', 'double', 'counts', 'score']), 'good');
    unsubscribe('brezel:predict:end', listen);
    expect(messages).toMatchObject([{ plan: 'score + double + counts + 1 more', verb: 'predictMany', rows: 1 }]);
  });

  describe('of long plans', () => {
    const slow = { ...compiled.score, nanosPerRow: 2e6 };
    const inOwn = async (run: (runtime: Runtime, plans: RegisteredPlan[]) => Promise<unknown>) => {
      const own = createRuntime({ store: flour.store, native: name === 'native' });
      const both = [slow, compiled.shouted, slow].map((plan, at) => own.register(plan, { name: `${at}` }));
      await run(own, both);
      await own.close();
    };

    test('waits for a turn of the event loop, while the row counts in the queue', () =>
      inOwn(async (own, plans) => {
        const answers = own.predictMany(plans, 'good');
        expect(own.stats().queue).toMatchObject({ rows: 1, bytes: 4 });
        expect(await answers).toEqual([{ output: [1] }, { output: [4] }, { output: [1] }]);
        expect(own.stats().queue).toMatchObject({ rows: 0, bytes: 0 });
      }));

    test('a plan that is removed during the call, a closed runtime, a signal', () =>
      inOwn(async (own, plans) => {
        const signal = AbortSignal.abort(new Error('not wanted'));
        await expect(own.predictMany(plans, 'good', { signal })).rejects.toThrow('not wanted');
        await expect(own.predictMany(plans, 'good', { deadlineMs: 0 })).rejects.toThrow(/deadlineMs/);
        const waiting = own.predictMany(plans, 'good');
        own.unregister(plans[1]!);
        await expect(waiting).rejects.toMatchObject({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' });
        const rest = own.predictMany([plans[0]!, plans[2]!], 'good');
        await own.close();
        await expect(rest).rejects.toMatchObject({ code: 'ERR_RUNTIME_CLOSED' });
        expect(failure(() => own.predictManySync([], 'good'))).toMatchObject({ code: 'ERR_RUNTIME_CLOSED' });
        expect(own.stats().queue).toMatchObject({ rows: 0, bytes: 0 });
      }));
  });
});
