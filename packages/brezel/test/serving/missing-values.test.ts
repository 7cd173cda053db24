import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  type Answer,
  type CompiledPlan,
  createFlour,
  createRegistry,
  createRuntime,
  type Flow,
  type RegisterOptions,
  type Row,
  scalar,
  vector,
} from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { runtimes } from './runtimes.js';

const flour = await createFlour();
const all = runtimes(flour, { executors: 1 });
const { NaN: nan } = Number;
const LEAF = 6; // as in ONNX-ML, after the six comparisons
const code = 'ERR_RUNTIME_INPUT';
const float = (name: string) => flour.input(name, scalar('float32')) as Flow<'scalar'>;
const floats = (name: string, size: number) => flour.input(name, vector('float32', size)) as Flow<'vector'>;

/** A forest with one tree. NaN in column 0 takes the true branch if `missingTrue` is 1. */
const tree = (missingTrue: 0 | 1) => ({
  feature: Int32Array.of(0, 0, 0),
  threshold: Float32Array.of(1, 0, 0),
  mode: Int32Array.of(0, LEAF, LEAF),
  trueChild: Int32Array.of(1, 0, 0),
  falseChild: Int32Array.of(2, 0, 0),
  missingTrue: Int32Array.of(missingTrue, 0, 0),
  roots: Int32Array.of(0),
  leafStart: Int32Array.of(0, 0, 1, 2),
  leafTarget: Int32Array.of(0, 0),
  leafWeight: Float32Array.of(10, 20),
  base: Float32Array.of(0),
});

const age = float('age');
const three = floats('x', 3);
const two = floats('x', 2);
const programs = {
  imputed: age.asVector().impute({ values: 7 }),
  scaled: age
    .asVector()
    .scale({ offset: [1], scale: [2] })
    .replaceMissing(5),
  scalar: age.impute({ values: 7 }),
  mixed: age
    .asVector()
    .impute({ values: 7 })
    .concat(float('income').asVector().map('negate'))
    .concat(floats('list', 2).impute({ values: [1, 2] })),
  columns: three
    .selectColumns([2, 0])
    .impute({ values: 9 })
    .concat(three.selectColumns([1])),
  marked: two.impute({ values: 3, missing: -1 }),
  tested: two.compare('equal', two).cast('float32'),
  indicated: two.missingIndicator(),
  learned: two.treeEnsemble(tree(1)),
  unlearned: two.treeEnsemble(tree(0)),
  whole: flour.input('id', scalar('int64')) as Flow<'scalar'>,
  text: flour.columns({ text: 'string' }).select('text'),
} as const;
const plans = Object.fromEntries(
  Object.entries(programs).map(([name, y]) => [name, flour.program({ y: y as Flow }, { name }).plan()]),
) as unknown as Record<keyof typeof programs, CompiledPlan & { release(): void }>;

afterAll(async () => {
  for (const [, runtime] of all) await runtime.close();
  for (const plan of Object.values(plans)) plan.release();
  flour.dispose();
});

const accept: RegisterOptions = { missing: 'accept' };

describe.each(all)('missing values, %s', (_, runtime) => {
  const of = <T>(
    name: keyof typeof plans,
    options: RegisterOptions,
    use: (plan: ReturnType<typeof runtime.register>) => T,
  ): T => {
    const plan = runtime.register(plans[name], { name: `${name} ${Math.random()}`, ...options });
    try {
      return use(plan);
    } finally {
      runtime.unregister(plan);
    }
  };
  const answer = (name: keyof typeof plans, row: unknown, options = accept) =>
    of(name, options, (plan) => (runtime.predictSync(plan, row as Row) as Answer).y);
  const refused = (name: keyof typeof plans, row: unknown, details: object, options = accept) =>
    of(name, options, (plan) =>
      expect(() => runtime.predictSync(plan, row as Row), JSON.stringify(row)).toThrow(
        expect.objectContaining({ code, details: expect.objectContaining({ row: 0, ...details }) }),
      ),
    );

  test('a plan rejects them by default', () => {
    for (const options of [{}, { missing: 'refuse' }] as const) {
      for (const row of [{}, { age: null }, { age: 'NaN' }, { age: undefined }])
        refused('imputed', row, { input: 'age' }, options);
      expect(answer('imputed', { age: nan }, options)).toEqual([7]);
    }
  });

  test.each([
    ['imputed', [7]],
    ['scaled', [5]],
    ['scalar', 7],
  ] as const)('%s: null, "NaN" and an absent field are NaN', (name, want) => {
    for (const row of [{}, { age: null }, { age: 'NaN' }, { age: undefined }, { age: nan }])
      expect(answer(name, row)).toEqual(want);
    refused(name, { age: 'nan' }, { input: 'age' });
    refused(name, { age: '' }, { input: 'age' });
  });

  test('each input separately, in scalars and in lists', () => {
    const row = { age: 1, income: 2, list: [3, 4] };
    expect(answer('mixed', { income: 2 })).toEqual([7, -2, 1, 2]);
    expect(answer('mixed', { income: 2, age: null, list: null })).toEqual([7, -2, 1, 2]);
    expect(answer('mixed', { ...row, list: [null, 4] })).toEqual([1, -2, 1, 4]);
    expect(answer('mixed', { ...row, list: ['NaN', nan] })).toEqual([1, -2, 1, 2]);
    for (const income of [null, undefined, 'NaN']) refused('mixed', { ...row, income }, { input: 'income' });
    refused('mixed', { ...row, list: [3] }, { input: 'list', received: '1 elements' });
    refused('mixed', { ...row, list: [3, 'x'] }, { input: 'list', index: 1 });
    expect(of('mixed', accept, ({ inputs }) => inputs.map(({ missing }) => missing))).toEqual([true, undefined, true]);
  });

  test('only the elements of a list that reach an imputer', () => {
    expect(answer('columns', { x: [null, 5, 'NaN'] })).toEqual([9, 9, 5]);
    expect(answer('columns', [null, 5, 6])).toEqual([6, 9, 5]);
    refused('columns', { x: [1, null, 3] }, { input: 'x', index: 1, received: 'null' });
    refused('columns', {}, { input: 'x', received: 'nothing' });
    expect(of('columns', accept, ({ inputs }) => inputs[0]!.missing)).toEqual([true, false, true]);
  });

  test('tests for NaN and trees that learned missing values accept them, other trees do not', () => {
    expect(answer('tested', { x: [null, 1] })).toEqual([0, 1]);
    expect(answer('indicated', { x: [null, 1] })).toEqual([1, 0]);
    expect(answer('learned', { x: [null, 1] })).toEqual([10]);
    expect(answer('learned', {})).toEqual([10]);
    refused('unlearned', { x: [null, 1] }, { input: 'x', index: 0 });
    refused('marked', { x: [null, 1] }, { input: 'x', index: 0 });
    expect(answer('unlearned', { x: [nan, 1] })).toEqual([20]);
  });

  test('integers, texts and whole rows are not floats', () => {
    refused('whole', {}, { input: 'id' });
    refused('whole', { id: null }, { input: 'id' });
    refused('whole', { id: 'NaN' }, { input: 'id' });
    refused('text', { text: null }, { input: 'text' });
    refused('imputed', null, { received: 'null' });
    refused('indicated', null, { received: 'null' });
  });

  test.each(['plain', 'cached', 'batching'] as const)('%s: in every verb, with the row of the error', async (kind) => {
    const more = { plain: {}, cached: { cache: { maxBytes: 2 ** 16 } }, batching: { batching: { maxDelayMs: 1 } } };
    const plan = runtime.register(plans.mixed, { name: kind, ...accept, ...more[kind] });
    const strict = runtime.register(plans.mixed, { name: `${kind} strict` });
    const row = { income: 2, list: ['NaN', null] };
    const want = { y: [7, -2, 1, 2] };
    const rows = [row, { ...row, age: 3 }, { ...row, income: null }];
    const error = { code, details: { row: 2, input: 'income' } };
    expect(runtime.predictSync(plan, row)).toEqual(want);
    expect(await runtime.predict(plan, row)).toEqual(want);
    expect(runtime.predictManySync([plan, plan], row)).toEqual([want, want]);
    expect(() => runtime.predictManySync([plan, strict], row)).toThrow('input "age"');
    for (const engine of ['batch', 'request-response', 'auto', 'reference'] as const) {
      expect(await runtime.predictBatch(plan, rows.slice(0, 2), { engine })).toEqual([want, { y: [3, -2, 1, 2] }]);
      await expect(runtime.predictBatch(plan, rows, { engine })).rejects.toMatchObject(error);
    }
    const streamed: unknown[] = [];
    for await (const one of runtime.predictStream(plan, rows.slice(0, 1))) streamed.push(one);
    expect(streamed).toEqual([want]);
    const many = Array.from({ length: 20_000 }, () => row);
    expect((await runtime.predictBatch(plan, many)).every(({ y }) => String(y) === String(want.y))).toBe(true);
    for (const one of [plan, strict]) runtime.unregister(one);
  });

  test('the schemas of rows', () => {
    const plan = runtime.register(plans.mixed, accept);
    const accepts = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(plan.jsonSchema().row);
    for (const [row, isRow] of [
      [{ income: 1 }, true],
      [{ income: 1, age: null, list: [null, 'NaN'] }, true],
      [{ income: 1, age: 'NaN', list: null }, true],
      [{ income: null }, false],
      [{ income: 1, age: 'nan' }, false],
      [{ income: 1, list: [1] }, false],
      [{}, false],
    ] as const) {
      expect(accepts(row), JSON.stringify(row)).toBe(isRow);
      expect('value' in plan['~standard'].validate(row)).toBe(isRow);
    }
    runtime.unregister(plan);
  });
});

describe.each(all)('extra fields, %s', (_, runtime) => {
  test('are errors by default, or are not read', async () => {
    const row = { age: 1, id: 'a', constructor: 2 };
    const strict = runtime.register(plans.imputed);
    expect(() => runtime.predictSync(strict, row)).toThrow('an extra field "id"');
    const plan = runtime.register(plans.imputed, { extraFields: 'ignore' });
    expect(runtime.predictSync(plan, row)).toEqual({ y: [1] });
    expect(await runtime.predictBatch(plan, [row, row])).toEqual([{ y: [1] }, { y: [1] }]);
    expect(runtime.predictManySync([plan, plan], row)).toEqual([{ y: [1] }, { y: [1] }]);
    expect(() => runtime.predictManySync([plan, strict], row)).toThrow('an extra field "id"');
    expect(() => runtime.predictSync(plan, { id: 1 })).toThrow('input "age"');
    expect(plan.jsonSchema().row).toMatchObject({ additionalProperties: true });
    const text = runtime.register(plans.text, { extraFields: 'ignore' });
    expect(runtime.predictSync(text, { text: 'a', more: 1 })).toEqual({ y: 'a' });
    for (const one of [strict, plan, text]) runtime.unregister(one);
  });
});

describe.each(all)('float32 answers, %s', (_, runtime) => {
  test('have the shortest decimals in every verb, and out-arrays are exact', async () => {
    const x = floats('x', 2);
    const outputs = {
      scalar: float('s').map('negate'),
      vector: x,
      map: x.zipMap(['a', 'b']),
      grid: x.asTensor([2, 1]),
      double: flour.input('d', scalar('float64')) as Flow,
      sparse: x.concat(
        flour
          .columns({ c: 'string' })
          .select('c')
          .oneHot({ categories: ['u', 'v'] }),
      ),
    };
    const compiled = flour.program(outputs).plan();
    const exact = runtime.register(compiled);
    const short = { answers: { float32: 'short' } } as const;
    const plan = runtime.register(compiled, { name: 'short', ...short });
    const cached = runtime.register(compiled, { name: 'cached', ...short, cache: { maxBytes: 2 ** 16 } });
    compiled.release();
    const row = { s: 0.1, x: [0.993530869, -0.3], d: Math.fround(0.1), c: 'v' };
    const want = {
      scalar: -0.1,
      vector: [0.99353087, -0.3],
      map: { a: 0.99353087, b: -0.3 },
      grid: [[0.99353087], [-0.3]],
      double: 0.10000000149011612,
      sparse: [0.99353087, -0.3, 0, 1],
    };
    for (const one of [plan, cached]) {
      for (let run = 0; run < 2; run++) expect(runtime.predictSync(one, row)).toEqual(want);
      for (const engine of ['batch', 'request-response', 'reference'] as const)
        expect(await runtime.predictBatch(one, [row, row], { engine })).toEqual([want, want]);
    }
    expect(runtime.predictManySync([plan, exact], row)[0]).toEqual(want);
    expect(runtime.predictManySync([plan, exact], row)[1]).toEqual(runtime.predictSync(exact, row));
    expect(runtime.predictSync(exact, row).scalar).toBe(Math.fround(-0.1));
    const many = await runtime.predictBatch(plan, Array<typeof row>(20_000).fill(row));
    expect(many.every(({ scalar }) => scalar === -0.1)).toBe(true);
    const numbers = (one: typeof plan) => [...runtime.predictSync(one, row, new Float64Array(one.width))];
    expect(numbers(plan)).toEqual(numbers(exact));
    for (const one of [exact, plan, cached]) runtime.unregister(one);
  });
});

test('options out of range are errors', () => {
  const [[, runtime]] = all as [(typeof all)[number]];
  const wrong: [unknown, string][] = [
    [{ missing: true }, 'expected missing accept or refuse'],
    [{ extraFields: 'allow' }, 'expected extraFields refuse or ignore'],
    [{ answers: { float32: 'long' } }, 'expected answers.float32 exact or short'],
    [{ answers: { float23: 'short' } }, 'float32'],
  ];
  for (const [options, message] of wrong)
    expect(() => runtime.register(plans.text, options as RegisterOptions)).toThrow(message);
});

test('a registry and a runtime without deadlines accept the options', async () => {
  const registry = await createRegistry();
  using own = await createFlour({ store: registry.store });
  const imputed = own
    .program({ y: (own.input('x', vector('float32', 1)) as Flow<'vector'>).impute({ values: 7 }) })
    .plan();
  registry.add('m', imputed, { missing: 'accept', extraFields: 'ignore', answers: { float32: 'short' } });
  imputed.release();
  expect(await registry.predict('m', { more: 1 })).toEqual({ y: [7] });
  expect(await registry.predict('m', { x: Math.fround(0.1) })).toEqual({ y: [0.1] });
  await registry.close();
  const isolated = createRuntime({ store: flour.store, isolated: true });
  const plan = isolated.register(plans.imputed, accept);
  expect(await isolated.predict(plan, {})).toEqual({ y: [7] });
  await isolated.close();
});
