import {
  type CompiledPlan,
  createFlour,
  type Flow,
  type RegisterOptions,
  type Row,
  scalar,
  tensor,
  vector,
} from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { TickingClock } from '../../../../testing/ticking-clock.js';
import { answerColumnsOf, columnsOf, expectColumns } from '../conformance/columns.js';
import { runtimes } from './runtimes.js';

const rejection = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => {
      throw new Error('the call was answered');
    },
    (error: Error) => error,
  );

/** `predictColumns` gives the bits of `predictBatch`, in columns. */

const flour = await createFlour();
const all = runtimes(flour, { executors: 1 });
const input = (type: Parameters<typeof flour.input>[1]) => flour.input('x', type) as Flow<'vector'>;
const negated = flour.program({ y: input(vector('float32', 3)).map('negate') }).plan();
const person = flour.columns({ age: 'float32', city: 'string' });
const mixed = flour
  .program({
    score: person
      .select('age')
      .asVector()
      .concat(person.select('city').oneHot({ categories: ['Rome', 'Lima'] })),
    city: person.select('city'),
    age: person.select('age'),
  })
  .plan();
const imputed = flour
  .program({ age: person.select('age').asVector().impute({ values: 7 }), city: person.select('city') })
  .plan();
const saturating = flour.program({ y: flour.input('x', scalar('float32')).cast('int64') }).plan();
const plans: CompiledPlan[] = [negated, mixed, imputed, saturating];
const planOf = (type: Parameters<typeof flour.input>[1]) => {
  const plan = flour.program({ y: flour.input('x', type) as Flow }).plan();
  plans.push(plan);
  return plan;
};

const people = Array.from({ length: 270 }, (_, row) => ({
  age: row / 7,
  city: ['Rome', 'Lima', 'Österreich \ud800'][row % 3]!,
}));
const vectors = people.map((_, row) => ({ x: Float32Array.of(row, -row / 3, 1 / (row + 1)) }));

afterAll(async () => {
  for (const [, runtime] of all) await runtime.close();
  for (const plan of plans) (plan as CompiledPlan & { release?(): void }).release?.();
  flour.dispose();
});

describe.each(all)('columns, %s', (_, runtime) => {
  const withPlan = async (
    compiled: CompiledPlan,
    run: (plan: ReturnType<typeof runtime.register>) => Promise<void>,
    options: RegisterOptions = {},
  ) => {
    const plan = runtime.register(compiled, options);
    try {
      await run(plan);
    } finally {
      runtime.unregister(plan);
    }
  };

  test.each<[string, RegisterOptions]>([
    ['plain', {}],
    ['with a prediction cache', { cache: { maxBytes: 2 ** 20 } }],
    ['with batching and counters', { batching: { maxDelayMs: 1 }, quality: { sampleEvery: 1 } }],
    ['with short decimals', { answers: { float32: 'short' } }],
  ])('%s have the bits of predictBatch', async (_, options) => {
    for (const [compiled, rows] of [
      [negated, vectors],
      [mixed, people],
    ] as const)
      await withPlan(compiled, (plan) => expectColumns(runtime, plan as never, rows as readonly Row[]), options);
  });

  test('on executors, and repeated rows from the cache', async () => {
    for (const cache of [undefined, { maxBytes: 2 ** 20 }])
      await withPlan(
        { ...negated, nanosPerRow: 10_000 },
        async (plan) => {
          const before = runtime.stats().executors.shared.chunks;
          await expectColumns(runtime, plan as never, [...vectors, ...vectors]);
          if (plan.engine === 'native') expect(runtime.stats().executors.shared.chunks).toBeGreaterThan(before);
        },
        cache && { cache },
      );
  });

  test('of every element type, from every array that holds its values', async () => {
    const [ints, floats, bools] = [planOf(scalar('int64')), planOf(scalar('float64')), planOf(scalar('bool'))];
    const of = async (compiled: CompiledPlan, column: unknown) => {
      let y: unknown;
      await withPlan(compiled, async (plan) => {
        ({ y } = (await runtime.predictColumns(plan as never, { x: column } as never)) as { y: unknown });
      });
      return y;
    };
    for (const array of [
      Int8Array,
      Uint8Array,
      Int16Array,
      Uint16Array,
      Int32Array,
      Uint32Array,
      Float32Array,
      Float64Array,
    ])
      for (const [compiled, want] of [
        [ints, BigInt64Array.of(1n, 0n)],
        [floats, Float64Array.of(1, 0)],
        [bools, Uint8Array.of(1, 0)],
      ] as const)
        expect(await of(compiled, array.of(1, 0))).toEqual(want);
    const large = BigInt64Array.of(2n ** 63n - 1n, 3n, -(2n ** 53n) - 1n);
    expect(await of(ints, large)).toEqual(large);
    expect(await of(ints, BigUint64Array.of(7n))).toEqual(BigInt64Array.of(7n));
    expect(await of(planOf(vector('string', 2)), ['a', 'b', 'c', Buffer.from('é')])).toEqual(['a', 'b', 'c', 'é']);
    expect(await of(planOf(tensor('float32', [2, 2])), Float32Array.of(1, 2, 3, 4))).toEqual(
      Float32Array.of(1, 2, 3, 4),
    );
  });

  test('of saturated integers are the greatest and the least int64', async () => {
    const rows = [1e30, -1e30, 7].map((x) => ({ x }));
    await withPlan(saturating, async (plan) => {
      for (const engine of ['batch', 'request-response', 'reference'] as const)
        expect(await runtime.predictColumns(plan as never, columnsOf(plan.inputs, rows) as never, { engine })).toEqual({
          y: BigInt64Array.of(2n ** 63n - 1n, -(2n ** 63n), 7n),
        });
      await expectColumns(runtime, plan as never, rows);
    });
  });

  test('of one input without its name, of zero rows, and without optional columns', async () => {
    await withPlan(negated, async (plan) => {
      expect(await runtime.predictColumns(plan as never, Float64Array.of(1, 2, 3) as never)).toEqual({
        y: Float32Array.of(-1, -2, -3),
      });
      expect(await runtime.predictColumns(plan as never, { x: new Float32Array() } as never)).toEqual({
        y: new Float32Array(),
      });
    });
    await withPlan(
      imputed,
      async (plan) => {
        const columns = { city: ['Rome', 'Lima'], other: 1 };
        const { age } = (await runtime.predictColumns(plan as never, columns as never)) as { age: unknown };
        expect(age).toEqual(Float32Array.of(7, 7));
      },
      { missing: 'accept', extraFields: 'ignore' },
    );
  });

  test('that do not match the inputs are errors with the column, or the row and the input', async () => {
    const city = ['Rome', 'Lima'];
    const age = Float32Array.of(1, 2);
    const wrong: [unknown, object][] = [
      [undefined, { expected: 'an object of columns with age, city', received: 'undefined' }],
      [[1, 2], { expected: 'an object of columns with age, city', received: 'an array of 2' }],
      [{ age }, { expected: 'an array of texts', received: 'nothing', input: 'city', at: 'column "city"' }],
      [
        { age, city, other: age },
        { received: 'an extra column "other"', input: 'other' },
      ],
      [
        { age: [1, 2], city },
        { expected: 'a typed array of numbers', received: 'an Array', input: 'age' },
      ],
      [
        { age: city, city },
        { expected: 'a typed array of numbers', input: 'age' },
      ],
      [
        { age, city: age },
        { expected: 'an array of texts', received: 'a Float32Array', input: 'city' },
      ],
      [
        { age, city: ['Rome'] },
        { expected: '2 rows, as in column "age"', received: '1 rows', input: 'city' },
      ],
      [
        { age, city: ['Rome', 5] },
        { expected: 'text', received: '5', input: 'city', row: 1 },
      ],
      [
        { age, city: ['Rome', Uint8Array.of(0xff)] },
        { received: 'text is not valid UTF-8', row: 1 },
      ],
    ];
    await withPlan(mixed, async (plan) => {
      for (const [columns, details] of wrong)
        for (const engine of ['batch', 'request-response', 'reference'] as const) {
          const error = await rejection(runtime.predictColumns(plan as never, columns as never, { engine }));
          expect(error).toMatchObject({ code: 'ERR_RUNTIME_INPUT', details });
        }
    });
    await withPlan(negated, async (plan) => {
      const error = await rejection(runtime.predictColumns(plan as never, { x: new Float64Array(7) } as never));
      expect(error).toMatchObject({ details: { received: '7 elements', input: 'x', at: 'column "x"' } });
    });
    await withPlan(planOf(scalar('int32')), async (plan) => {
      for (const [x, received] of [
        [Float64Array.of(1, 2, 2 ** 31), '2147483648'],
        [Float32Array.of(1, 2, 0.5), '0.5'],
      ] as const)
        for (const engine of ['batch', 'request-response'] as const) {
          const error = await rejection(runtime.predictColumns(plan as never, { x } as never, { engine }));
          expect(error).toMatchObject({ code: 'ERR_RUNTIME_INPUT', details: { received, row: 2, input: 'x' } });
        }
    });
  });

  test('end with their signal and with a removed plan', async () => {
    const x = new Float32Array(30_000);
    const reason = new Error('enough');
    const plan = runtime.register(negated);
    const aborted = runtime.predictColumns(plan, { x } as never, { signal: AbortSignal.abort(reason) });
    expect(await rejection(aborted)).toBe(reason);
    runtime.unregister(plan);
    const gone = rejection(runtime.predictColumns(plan, { x } as never));
    expect(await gone).toMatchObject({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' });
  });

  test('count as calls of their verb', async () => {
    await withPlan(negated, async (plan) => {
      await runtime.predictColumns(plan as never, columnsOf(plan.inputs, vectors) as never);
      const { calls } = runtime.stats().plans.find(({ name }) => name === plan.name)!;
      expect(calls).toMatchObject({ answered: 1, failed: 0 });
    });
    expect(answerColumnsOf([], [])).toEqual({});
  });
});

describe.each(runtimes(flour, { executors: 0, clock: new TickingClock() }))('columns in pieces, %s', (_, runtime) => {
  const plan = runtime.register(negated);
  afterAll(() => runtime.close());

  test('end with their deadline', async () => {
    const late = runtime.predictColumns(plan, { x: new Float32Array(30_000) } as never, { deadlineMs: 1 });
    expect(await rejection(late)).toMatchObject({ code: 'ERR_RUNTIME_DEADLINE' });
    expect(runtime.stats().queue).toMatchObject({ rows: 0, bytes: 0 });
  });

  test('that become shorter during the call are an error', async () => {
    const x = new Float32Array(new ArrayBuffer(120_000, { maxByteLength: 120_000 }));
    const shrunk = rejection(runtime.predictColumns(plan, { x } as never));
    (x.buffer as ArrayBuffer & { resize(bytes: number): void }).resize(12);
    expect(await shrunk).toMatchObject({ code: 'ERR_RUNTIME_INPUT', details: { input: 'x' } });
    expect(runtime.stats().queue).toMatchObject({ rows: 0, bytes: 0 });
  });
});
