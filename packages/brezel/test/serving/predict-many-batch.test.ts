import {
  type Answer,
  type BatchOptions,
  createFlour,
  createRuntime,
  defineOperator,
  type Flow,
  type RegisteredPlan,
  type RegisterOptions,
  type Row,
  vector,
} from 'brezel';
import { afterAll, describe, expect, expectTypeOf, test } from 'vitest';
import { TickingClock } from '../../../../testing/ticking-clock.js';
import { turns } from '../../../../testing/turns.js';
import type { UntypedPlan } from '../../../../testing/untyped.js';
import { difference } from '../conformance/engines.js';
import { runtimes } from './runtimes.js';

const flour = await createFlour();
const text = flour.columns({ text: 'string' }).select('text');
const counted = text.tokenize().wordNgram({ vocabulary: [['good'], ['bad']] });
let runs = 0;
const shouting = defineOperator({
  name: 'test/many-batch-shouting',
  inputs: ['text'],
  output: 'float32[2]',
  run: (value) => {
    runs++;
    return [value.length, value.replace(/[^A-Z]/g, '').length];
  },
});
const failing = defineOperator({
  name: 'test/many-batch-failing',
  inputs: ['text'],
  output: 'float32',
  run: (value) => {
    if (value === 'fail') throw new Error('as asked');
    return value.length;
  },
});
const numbers = flour.input('x', vector('float32', 2)) as Flow<'vector'>;
const compiled = {
  score: counted.linear({ weights: [1, -1] }).plan(),
  double: counted.linear({ weights: [2, -2] }).plan(),
  label: flour.program({ label: counted.softmax().argMax().labels(['yes', 'no']), p: counted.softmax() }).plan(),
  picky: flour.program({ y: text.oneHot({ categories: ['good', 'bad'], unknown: 'error' }) }).plan(),
  text: flour.program({ text }).plan(),
  shouted: text
    .custom(shouting)
    .linear({ weights: [1, 10] })
    .plan(),
  louder: text
    .custom(shouting)
    .linear({ weights: [0, 1] })
    .plan(),
  failing: flour.program({ y: text.custom(failing) }).plan(),
  negated: flour.program({ y: numbers.map('negate') }).plan(),
};
type Name = keyof typeof compiled;
const ofText = (Object.keys(compiled) as Name[]).filter((name) => name !== 'negated');

afterAll(() => {
  for (const plan of Object.values(compiled)) plan.release();
  flour.dispose();
});

describe.each(runtimes(flour, { executors: 3 }))('%s', (name, runtime) => {
  const plans = Object.fromEntries(
    Object.entries(compiled).map(([name, plan]) => [name, runtime.register(plan as UntypedPlan, { name })]),
  ) as Record<Name, RegisteredPlan>;
  afterAll(() => runtime.close());
  const of = (names: readonly Name[]) => names.map((one) => plans[one]);
  const alone = async (names: readonly Name[], rows: readonly Row[]): Promise<Answer[][]> => {
    const lists: Answer[][] = [];
    for (const one of names) lists.push(await runtime.predictBatch(plans[one], rows));
    return lists;
  };
  /** Registers plans for one test, because the test removes them. */
  const extra = (...names: Name[]) => names.map((one) => runtime.register(compiled[one] as UntypedPlan));

  test.each<[string, readonly Name[]]>([
    ['two of a family', ['score', 'double']],
    ['the same plan twice', ['score', 'double', 'score']],
    ['one', ['label']],
    ['none', []],
    ['every engine and kind of answer', ofText],
    ['the same in another order', ofText.toReversed()],
  ])('%s: the bits of predictBatch', async (_, names) => {
    const rows = Array.from({ length: 600 }, (_, at) =>
      at % 3 === 0 ? 'good' : { text: at % 3 === 1 ? 'bad' : 'good' },
    );
    const want = await alone(names, rows);
    for (const engine of [undefined, 'batch', 'request-response', 'auto', 'reference'] as const) {
      const got = await runtime.predictManyBatch(of(names), rows, { ...(engine && { engine }) });
      expect(difference(got, want), engine).toBeUndefined();
    }
    for (const few of [rows.slice(0, 1), []])
      expect(await runtime.predictManyBatch(of(names), few)).toEqual(await alone(names, few));
  });

  test('a batch with enough work for executors', async () => {
    const rows = Array.from({ length: 3000 }, (_, at) => `good ${'bad '.repeat(at % 40)}${at}`);
    const names: Name[] = ['score', 'label', 'double', 'text'];
    const before = runtime.stats().executors.shared.rows;
    const got = await runtime.predictManyBatch(of(names), rows);
    if (name === 'native') expect(runtime.stats().executors.shared.rows).toBeGreaterThan(before);
    expect(difference(got, await alone(names, rows))).toBeUndefined();
  });

  test('a function of a user runs once for a row', async () => {
    runs = 0;
    const rows = ['A', 'b', 'C d'];
    const answers = await runtime.predictManyBatch(of(['shouted', 'louder', 'shouted']), rows);
    expect(answers.map((list) => list.map(({ output }) => output))).toEqual([
      [[11], [1], [13]],
      [[1], [0], [1]],
      [[11], [1], [13]],
    ]);
    expect(runs).toBe(3);
  });

  test('plans of other inputs reject the rows, with the plan and the row', async () => {
    await expect(runtime.predictManyBatch(of(['score', 'negated']), ['good'] as never)).rejects.toMatchObject({
      code: 'ERR_RUNTIME_INPUT',
    });
    await expect(runtime.predictManyBatch(of(['score', 'double']), ['a', 'b', 3 as never])).rejects.toMatchObject({
      code: 'ERR_RUNTIME_INPUT',
      message: expect.stringMatching(/row 2.*plan score/),
      details: { row: 2 },
    });
  });

  test('errors name the plan and the row, and only this plan counts a failure', async () => {
    const rows = Array.from({ length: 400 }, () => 'good');
    const failed = (one: Name) => runtime.stats().plans.find(({ name }) => name === one)!.calls;
    rows[300] = 'neither';
    const counts = [failed('picky').refused, failed('score').refused];
    await expect(runtime.predictManyBatch(of(['score', 'picky', 'double']), rows)).rejects.toMatchObject({
      code: 'ERR_RUNTIME_INPUT',
      message: expect.stringMatching(/row 300.*plan picky/),
    });
    expect([failed('picky').refused, failed('score').refused]).toEqual([counts[0]! + 1, counts[1]]);
    rows[300] = 'fail';
    await expect(runtime.predictManyBatch(of(['shouted', 'failing']), rows)).rejects.toMatchObject({
      code: 'ERR_RUNTIME_CUSTOM',
      message: expect.stringMatching(/row 300.*plan failing/),
    });
  });

  test('bad arguments', async () => {
    const two = of(['score', 'double']);
    const refused = (code: string, ...call: readonly unknown[]) =>
      expect(
        (runtime.predictManyBatch as (...call: readonly unknown[]) => Promise<unknown>).call(runtime, ...call),
      ).rejects.toMatchObject({ code });
    await refused('ERR_RUNTIME_INPUT', 'score', ['good']);
    await refused('ERR_RUNTIME_INPUT', two, 'good');
    await refused('ERR_RUNTIME_INPUT', two, undefined);
    await refused('ERR_RUNTIME_INPUT', two, [undefined]);
    await refused('ERR_RUNTIME_INPUT', two, new Array(3)); // holes
    await refused('ERR_RUNTIME_UNKNOWN_PLAN', [two[0], undefined], ['good']);
    await refused('ERR_RUNTIME_UNKNOWN_PLAN', new Array(2), ['good']);
    await refused('ERR_RUNTIME_UNKNOWN_PLAN', [{ name: 'score' }], []);
    await refused('ERR_RUNTIME_ENGINE', two, ['good'], { engine: 'fast' });
    await refused('ERR_RUNTIME_OPTION', two, ['good'], { engin: 'batch' });
    await refused('ERR_RUNTIME_OPTION', two, ['good'], { deadlineMs: -1 });
    expect(await runtime.predictManyBatch([], ['good'])).toEqual([]);
    expect(await runtime.predictManyBatch(two, [])).toEqual([[], []]);
  });

  test('a deadline that has passed, and a signal that aborts before and during the call', async () => {
    const two = of(['score', 'double']);
    const rows = Array.from({ length: 5000 }, (_, at) => `good ${at}`);
    const reason = new Error('enough');
    await expect(runtime.predictManyBatch(two, rows, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await expect(runtime.predictManyBatch(two, rows, { deadlineMs: 1e-9 })).rejects.toMatchObject({
      code: 'ERR_RUNTIME_DEADLINE',
    });
    const controller = new AbortController();
    const running = runtime.predictManyBatch(two, rows, { signal: controller.signal });
    controller.abort(reason);
    await expect(running).rejects.toBe(reason);
    expect(runtime.stats().queue.rows).toBe(0);
  });

  test('the list of rows and the list of plans may change after the call', async () => {
    const [rows, two] = [['good', 'bad'], of(['score', 'double'])];
    const want = await alone(['score', 'double'], rows);
    const running = runtime.predictManyBatch(two, rows);
    rows.length = 0;
    two.length = 0;
    expect(await running).toEqual(want);
  });

  test('a plan that is removed during the call ends the call', async () => {
    const [one, two] = extra('score', 'double');
    const rows = Array.from({ length: 5000 }, (_, at) => `good ${at}`);
    const running = runtime.predictManyBatch([one!, two!], rows);
    runtime.unregister(two!);
    await expect(running).rejects.toMatchObject({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' });
    expect(await runtime.predictBatch(one!, ['good'])).toEqual([{ output: [1] }]);
    runtime.unregister(one!);
  });

  test('a getter of a row that removes a plan ends the call', async () => {
    const [one, two] = extra('score', 'double');
    const row = {
      get text() {
        if (runtime.has(two!)) runtime.unregister(two!);
        return 'good';
      },
    };
    await expect(runtime.predictManyBatch([one!, two!], [row, row])).rejects.toMatchObject({
      code: 'ERR_RUNTIME_UNKNOWN_PLAN',
    });
    runtime.unregister(one!);
  });

  test('sets of plans that other calls evict stay linked until the call ends', async () => {
    const rows = Array.from({ length: 3000 }, (_, at) => `good ${at}`);
    const want = await alone(['score', 'double'], rows);
    const running = runtime.predictManyBatch(of(['score', 'double']), rows);
    for (let count = 3; count < 80; count++) runtime.predictManySync(new Array(count).fill(plans.score), 'good');
    expect(difference(await running, want)).toBeUndefined();
  });

  test('many calls at once', async () => {
    const sets: Name[][] = [['score', 'double'], ['label', 'text', 'score'], ['shouted', 'picky'], ['double']];
    const rows = Array.from({ length: 700 }, (_, at) => (at % 2 ? 'good' : 'bad'));
    const want = await Promise.all(sets.map((names) => alone(names, rows)));
    const got = await Promise.all([...sets, ...sets].map((names) => runtime.predictManyBatch(of(names), rows)));
    expect(difference(got, [...want, ...want])).toBeUndefined();
  });

  test('plans with a prediction cache, a reservation or delayed batching', async () => {
    const three = [
      runtime.register(compiled.score, { cache: { maxBytes: 2 ** 16 } }),
      runtime.register(compiled.double, { reserve: { executors: 1, rows: 'all' } } as never),
      runtime.register(compiled.score, { batching: { maxDelayMs: 1 } }),
    ];
    const rows = Array.from({ length: 300 }, (_, at) => `good ${'bad '.repeat(at % 5)}`);
    const want = await alone(['score', 'double', 'score'], rows);
    expect(difference(await runtime.predictManyBatch(three, rows), want)).toBeUndefined();
    for (const plan of three) runtime.unregister(plan);
  });
});

test('answers have the types of the plans', async () => {
  const runtime = createRuntime({ store: flour.store });
  const [score, label] = [runtime.register(compiled.score), runtime.register(compiled.label)];
  const lists = await runtime.predictManyBatch([score, label], ['good']);
  expectTypeOf(lists[0]).toExtend<readonly { output: readonly number[] }[]>();
  expectTypeOf(lists[1]).toExtend<readonly { label: string }[]>();
  expect(lists.length).toBe(2);
  await runtime.close();
});

test('a call counts its rows in the queue once, and rejects rows above the limit', async () => {
  const runtime = createRuntime({ store: flour.store, limits: { maxQueuedRows: 10 } });
  const two = [runtime.register(compiled.score), runtime.register(compiled.double)];
  expect(await runtime.predictManyBatch(two, new Array(10).fill('good'))).toHaveLength(2);
  await expect(runtime.predictManyBatch(two, new Array(11).fill('good'))).rejects.toMatchObject({
    code: 'ERR_RUNTIME_OVERLOADED',
  });
  expect(runtime.stats().queue).toMatchObject({ rows: 0, bytes: 0, refused: 1 });
  await runtime.close();
  await expect(runtime.predictManyBatch([], [])).rejects.toMatchObject({ code: 'ERR_RUNTIME_CLOSED' });
});

describe('the queue', () => {
  const rows = Array.from({ length: 300 }, () => 'good');
  const bytes = rows.length * 'good'.length;
  const lists: [string, readonly (readonly [Name, RegisterOptions])[], BatchOptions][] = [
    ['one plan', [['score', {}]], {}],
    [
      'merged plans',
      [
        ['score', {}],
        ['double', {}],
      ],
      {},
    ],
    [
      'plans that are not merged',
      [
        ['score', {}],
        ['double', { maxInputBytes: 999 }],
      ],
      {},
    ],
    [
      'merged plans and another plan',
      [
        ['score', { maxInputBytes: 999 }],
        ['score', {}],
        ['double', {}],
      ],
      {},
    ],
    [
      'a plan that runs row by row, and merged plans',
      [
        ['score', { engine: 'request-response', maxInputBytes: 9 }],
        ['score', {}],
        ['double', {}],
      ],
      {},
    ],
    [
      'reference kernels',
      [
        ['score', {}],
        ['double', {}],
      ],
      { engine: 'reference' },
    ],
  ];

  test.each(lists)('counts the rows and the bytes of %s once', async (_, list, options) => {
    const clock = new TickingClock();
    const limits = { maxQueuedRows: rows.length, maxQueuedBytes: bytes };
    await using runtime = createRuntime({ store: flour.store, executors: 0, limits, clock });
    const plans = list.map(([name, register], at) =>
      runtime.register(compiled[name] as UntypedPlan, { ...register, name: `p${at}` }),
    );
    const running = runtime.predictManyBatch(plans, rows, options);
    let isDone = false;
    let most = 0;
    const answered = running.then((answers) => {
      isDone = true;
      return answers;
    });
    while (!isDone) {
      expect(runtime.stats().queue.rows).toBeLessThanOrEqual(rows.length);
      most = Math.max(most, runtime.stats().queue.bytes);
      await turns();
    }
    expect(await answered).toHaveLength(plans.length);
    expect(most).toBe(bytes);
    expect(runtime.stats().queue).toEqual({ rows: 0, bytes: 0, refused: 0 });
    await expect(runtime.predictManyBatch(plans, [...rows.slice(1), 'good!'], options)).rejects.toMatchObject({
      code: 'ERR_RUNTIME_OVERLOADED',
    });
    expect(runtime.stats().queue).toEqual({ rows: 0, bytes: 0, refused: 1 });
  });
});

test('invalid arguments are errors even without plans', async () => {
  await using runtime = createRuntime({ store: flour.store, executors: 0 });
  const plan = runtime.register(compiled.score);
  for (const plans of [[], [plan]])
    await expect(runtime.predictManyBatch(plans, [], { engine: 'bogus' as never })).rejects.toMatchObject({
      code: 'ERR_RUNTIME_ENGINE',
      details: { received: 'bogus' },
    });
  const errorOf = (plans: unknown, rows: unknown) => runtime.predictManyBatch(plans as never, rows as never);
  await expect(errorOf({}, [])).rejects.toMatchObject({
    code: 'ERR_RUNTIME_INPUT',
    details: { expected: 'an array of plans', received: 'an object', at: 'predictManyBatch' },
  });
  await expect(errorOf([], 3)).rejects.toMatchObject({
    code: 'ERR_RUNTIME_INPUT',
    details: { expected: 'an array of rows', received: '3', at: 'predictManyBatch' },
  });
  await expect(runtime.predictMany(7 as never, 'good')).rejects.toMatchObject({
    details: { expected: 'an array of plans', received: '7', at: 'predictMany' },
  });
  await expect(runtime.predictBatch(plan, null as never)).rejects.toMatchObject({
    details: { expected: 'an array of rows', received: 'null' },
  });
});
