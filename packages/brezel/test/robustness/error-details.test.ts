import { BrezelError, createFlour, createRuntime, type RegisteredPlan, scalar, tensor, vector } from 'brezel';
import fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// The fields of errors that programs read: the row, the input, the element, the HTTP status and the
// problem type.

const flour = await createFlour();
const plan = flour.program({
  text: flour.input('text', scalar('string')),
  age: flour.input('age', scalar('float32')),
  numbers: flour.input('numbers', vector('float64', 3)),
  words: flour.input('words', vector('string', 2)),
  grid: flour.input('grid', tensor('int32', [2, 2])),
});
const row = { text: 'a', age: 1, numbers: [1, 2, 3], words: ['a', 'b'], grid: [1, 2, 3, 4] };
const CASES: readonly (readonly [wrong: unknown, input: string | undefined, index: number | undefined])[] = [
  [{ ...row, text: 1 }, 'text', undefined],
  [{ ...row, age: null }, 'age', undefined],
  [{ ...row, age: 'old' }, 'age', undefined],
  [{ ...row, numbers: [1, 'two', 3] }, 'numbers', 1],
  [{ ...row, numbers: [1, 2] }, 'numbers', undefined],
  [{ ...row, words: ['a', 2] }, 'words', 1],
  [
    {
      ...row,
      grid: [
        [1, 2],
        [3, 0.5],
      ],
    },
    'grid',
    3,
  ],
  [{ ...row, grid: [[1, 2], [3]] }, 'grid', undefined],
  [{ ...row, more: 1 }, 'more', undefined],
  ['a text', undefined, undefined],
  [null, undefined, undefined],
];

describe.each([undefined, false])('with native: %s', (native) => {
  const runtime = createRuntime({ store: flour.store, native, executors: 0 });
  let registered: RegisteredPlan;
  beforeAll(() => {
    registered = runtime.register(plan.plan() as never) as RegisteredPlan;
  });
  afterAll(() => runtime.close());

  it.each(CASES)('names row, input and element of %j', async (wrong, input, index) => {
    const error = errorOf(() => runtime.predictSync(registered, wrong as never));
    expect(error).toMatchObject({
      code: 'ERR_RUNTIME_INPUT',
      statusCode: 400,
      type: 'urn:brezel:error:ERR_RUNTIME_INPUT',
    });
    expect(placeOf(error)).toEqual({ row: 0, input, index });
    const ofBatch = await runtime.predictBatch(registered, [row, row, wrong] as never).catch((one) => one);
    expect(placeOf(ofBatch)).toEqual({ row: 2, input, index });
  });
});

const placeOf = ({ details: { row, input, index } }: BrezelError) => ({ row, input, index });

const errorOf = (call: () => unknown): BrezelError => {
  try {
    call();
  } catch (error) {
    if (error instanceof BrezelError) return error;
    throw error;
  }
  throw new Error('the call succeeded');
};

it('names the row of a text that only a kernel can reject', async () => {
  await using runtime = createRuntime({ store: flour.store, executors: 0 });
  const text = flour.columns({ text: 'string' }).select('text').tokenize();
  const plan = runtime.register(text.hashNgram({ columns: 8 }).plan(), { maxInputBytes: 4 });
  const error = await runtime.predictBatch(plan, ['a', 'b', 'too long']).catch((one) => one);
  expect(error).toMatchObject({ code: 'ERR_RUNTIME_INPUT', details: { row: 2 } });
});

it('suggests a status that fastify uses', async () => {
  const runtime = createRuntime({ store: flour.store, executors: 0 });
  const age = runtime.register(flour.columns({ age: 'float32' }).select('age').arithmetic('add', 1).plan());
  const app = fastify();
  app.post('/', (request) => runtime.predict(age, request.body as never));
  const status = async (body: object) => (await app.inject({ method: 'POST', url: '/', payload: body })).statusCode;
  expect(await status({ age: 1 })).toBe(200);
  expect(await status({ aeg: 1 })).toBe(400);
  runtime.unregister(age);
  expect(await status({ age: 1 })).toBe(404);
  await runtime.close();
  expect(await status({ age: 1 })).toBe(503);
  await app.close();
});
