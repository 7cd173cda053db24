import { Ajv2020 } from 'ajv/dist/2020.js';
import { createFlour, createRegistry, type Flow, type Row, tensor, vector } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import type { UntypedPlan } from '../../../../testing/untyped.js';
import { runtimes } from './runtimes.js';

const flour = await createFlour();
const all = runtimes(flour, { executors: 1 });
const negated = flour.program({ y: (flour.input('x', vector('float32', 3)) as Flow<'vector'>).map('negate') }).plan();
const whole = flour.program({ y: flour.input('x', vector('int64', 2)) as Flow }).plan();
const flags = flour.program({ y: flour.input('x', vector('bool', 2)) as Flow }).plan();
const words = flour.program({ y: flour.input('x', vector('string', 2)) as Flow }).plan();
const grid = flour.program({ y: flour.input('x', tensor('float32', [2, 2])) as Flow }).plan();
const two = flour.columns({ a: 'float32', b: 'float32' });
const columns = flour.program({ y: two.select('a').asVector().concat(two.select('b').asVector()) }).plan();

afterAll(async () => {
  for (const [, runtime] of all) await runtime.close();
  for (const plan of [negated, whole, flags, words, grid, columns]) plan.release();
  flour.dispose();
});

/** The forms of the row [1, 2, 3] that a plan with one vector input takes. */
const forms: readonly Row[] = [
  [1, 2, 3],
  Float32Array.of(1, 2, 3),
  Float64Array.of(1, 2, 3),
  Int32Array.of(1, 2, 3),
  Uint8Array.of(1, 2, 3),
  Uint16Array.of(1, 2, 3),
];
const answer = { y: [-1, -2, -3] };

describe.each(all)('a vector is the row of a plan with one vector input, %s', (_, runtime) => {
  test.each(['plain', 'cached', 'batching', 'queued'] as const)('%s: in every verb', async (kind) => {
    const options = {
      plain: {},
      cached: { cache: { maxBytes: 2 ** 16 } },
      batching: { batching: { maxDelayMs: 1 } },
      queued: { engine: 'auto' },
    } as const;
    const plan = runtime.register(negated, { name: kind, ...options[kind] });
    const out = new Float64Array(3);
    for (const row of [...forms, { x: [1, 2, 3] }]) {
      expect(runtime.predictSync(plan, row)).toEqual(answer);
      runtime.predictSync(plan, row, out);
      expect([...out]).toEqual(answer.y);
      expect(await runtime.predict(plan, row)).toEqual(answer);
      expect(await runtime.predict(plan, row, { engine: 'batch' })).toEqual(answer);
      expect(runtime.predictManySync([plan, plan], row)).toEqual([answer, answer]);
      expect(await runtime.predictMany([plan], row)).toEqual([answer]);
    }
    const want = forms.map(() => answer);
    for (const engine of ['batch', 'request-response', 'auto', 'reference'] as const)
      expect(await runtime.predictBatch(plan, forms, { engine })).toEqual(want);
    const streamed: unknown[] = [];
    for await (const one of runtime.predictStream(plan, forms)) streamed.push(one);
    expect(streamed).toEqual(want);
    runtime.unregister(plan);
  });

  test('long batches on executors', async () => {
    const plan = runtime.register(negated);
    const rows = Array.from({ length: 50_000 }, (_, at) => (at % 2 ? [at, 2, 3] : Float32Array.of(at, 2, 3)));
    const answers = await runtime.predictBatch(plan, rows);
    expect(answers.every(({ y }, at) => (y as number[])[0] === -at)).toBe(true);
    await expect(runtime.predictBatch(plan, [...rows, [1, 2]])).rejects.toThrow('row 50000, input "x"');
    runtime.unregister(plan);
  });

  test('integers, booleans, texts and tensors', () => {
    const of = (compiled: UntypedPlan, row: Row) => {
      const plan = runtime.register(compiled);
      try {
        return runtime.predictSync(plan, row).y;
      } finally {
        runtime.unregister(plan);
      }
    };
    expect(of(whole, [1, 2n])).toEqual([1, 2]);
    expect(of(whole, BigInt64Array.of(1n, -2n))).toEqual([1, -2]);
    expect(of(flags, [true, 0])).toEqual([true, false]);
    expect(of(flags, Uint8Array.of(1, 0))).toEqual([true, false]);
    expect(of(words, ['a', 'b'])).toEqual(['a', 'b']);
    const nested = [
      [1, 2],
      [3, 4],
    ];
    expect(of(grid, nested)).toEqual(nested);
    expect(of(grid, Float32Array.of(1, 2, 3, 4))).toEqual(nested);
  });

  test('another vector is an error that names the row and the input', async () => {
    const plan = runtime.register(negated);
    const code = 'ERR_RUNTIME_INPUT';
    const wrong: [unknown, object][] = [
      [[1, 2], { received: '2 elements', input: 'x', row: 0 }],
      [new Float64Array(4), { received: '4 elements', input: 'x' }],
      [[1, 'two', 3], { received: 'text "two"', input: 'x', index: 1 }],
      [[1, undefined, 3], { received: 'undefined', input: 'x', index: 1 }],
      [new DataView(new ArrayBuffer(8)), { received: 'nothing', input: 'x' }],
      [1, { received: '1' }],
    ];
    for (const [row, details] of wrong) {
      const error = expect.objectContaining({ code, details: expect.objectContaining(details) });
      expect(() => runtime.predictSync(plan, row as Row)).toThrow(error);
      await expect(runtime.predictBatch(plan, [row as Row])).rejects.toThrow(error);
    }
    runtime.unregister(plan);
    const several = runtime.register(columns);
    for (const row of [[1, 2], Float64Array.of(1, 2)])
      expect(() => runtime.predictSync(several, row as never)).toThrow(
        'expected an object with a, b at row 0, received an array of 2',
      );
    runtime.unregister(several);
  });

  test('the JSON Schema and Standard Schema of rows', () => {
    const plan = runtime.register(negated);
    const accepts = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(plan.jsonSchema().row);
    for (const [row, isRow] of [
      [[1, 2, 3], true],
      [{ x: [1, 2, 3] }, true],
      [[1, 2], false],
      [[1, 2, 'a'], false],
      [1, false],
    ] as const) {
      expect(accepts(row)).toBe(isRow);
      expect('value' in plan['~standard'].validate(row)).toBe(isRow);
    }
    runtime.unregister(plan);
  });
});

test('a registry accepts vectors', async () => {
  const registry = await createRegistry();
  using own = await createFlour({ store: registry.store });
  const plan = own
    .program({ y: (own.input('x', vector('float32', 3)) as Flow<'vector'>).map('negate') }, { name: 'negated' })
    .plan();
  registry.add('negated', plan);
  plan.release();
  for (const row of forms) expect(await registry.predict('negated', row)).toEqual(answer);
  expect(registry.predictSync('negated', Float64Array.of(1, 2, 3))).toEqual(answer);
  expect(await registry.predictBatch('negated', forms)).toEqual(forms.map(() => answer));
  await registry.close();
});
