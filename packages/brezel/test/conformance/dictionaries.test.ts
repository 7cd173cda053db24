import {
  type AttributeValue,
  DataType,
  makeGraph,
  makeModel,
  makeNode,
  mapInput,
  tensorInput,
  writeModel,
} from '@brezel/onnx';
import {
  type AnyPlan,
  BrezelError,
  createFlour,
  createRuntime,
  defineOperator,
  type FlourContext,
  importOnnx,
  openFleet,
  packFleet,
} from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../fleet/folder.js';
import { Engines, expectSame } from './engines.js';

const flour: FlourContext = await createFlour();
const runtime = createRuntime({ store: flour.store });
const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
  flour.dispose();
});

const { STRING, INT64, FLOAT, DOUBLE } = DataType;

/** Returns a model with one ONNX-ML node whose input is a map. */
function modelOf(
  operator: string,
  attributes: Readonly<Record<string, AttributeValue>>,
  keys: number,
  values: number,
): Uint8Array {
  const graph = makeGraph({
    node: [makeNode(operator, ['x'], ['y'], attributes, 'ai.onnx.ml')],
    input: [mapInput('x', keys, values)],
    output: [tensorInput('y', FLOAT, [])],
  });
  for (const output of graph.output) Object.assign(output.type!.tensorType!, { shape: undefined });
  return writeModel(makeModel(graph, { '': 17, 'ai.onnx.ml': 1 }));
}

async function answers(bytes: Uint8Array, rows: readonly unknown[]): Promise<unknown[]> {
  const plan = importOnnx(bytes, flour).program.plan();
  const found = await new Engines(flour.store).answers(
    plan,
    rows.map((x) => ({ x })),
  );
  const want = found.answers.get('reference')!;
  expectSame(found.answers, want);
  plan.release();
  return want.map(({ y }) => y);
}

describe('ONNX maps', () => {
  test('DictVectorizer puts values in the order of its vocabulary', async () => {
    const vocabulary = { string_vocabulary: { strings: ['a', 'c', 'b', 'z'] } };
    const rows = [{ a: 4, c: 8 }, { z: 1.5, q: 9 }, {}];
    for (const values of [FLOAT, DOUBLE])
      expect(await answers(modelOf('DictVectorizer', vocabulary, STRING, values), rows)).toEqual([
        [4, 8, 0, 0],
        [0, 0, 0, 1.5],
        [0, 0, 0, 0],
      ]);
    expect(await answers(modelOf('DictVectorizer', vocabulary, STRING, INT64), [{ b: -3 }])).toEqual([[0, 0, -3, 0]]);
    const integers = modelOf('DictVectorizer', { int64_vocabulary: { ints: [7, -1] } }, INT64, STRING);
    expect(await answers(integers, [{ 7: 'x', 8: 'y' }, new Map([[-1, 'z']]), new Map([[7n, 'w']])])).toEqual([
      ['x', ''],
      ['', 'z'],
      ['w', ''],
    ]);
  });

  test('CastMap, sparse packing', async () => {
    const sparse = { map_form: { s: 'SPARSE' }, max_map: { i: 4 } };
    const cast = (to: string, values: number) => modelOf('CastMap', { ...sparse, cast_to: { s: to } }, INT64, values);
    expect(await answers(cast('TO_FLOAT', FLOAT), [{ 1: 0.5, 3: -2 }, {}])).toEqual([
      [0, 0.5, 0, -2],
      [0, 0, 0, 0],
    ]);
    expect(await answers(cast('TO_FLOAT', STRING), [{ 0: '1e3' }])).toEqual([[1000, 0, 0, 0]]);
    expect(await answers(cast('TO_INT64', STRING), [{ 2: '12' }])).toEqual([[0, 0, 12, 0]]);
    expect(await answers(cast('TO_INT64', FLOAT), [{ 2: 1.9 }])).toEqual([[0, 0, 1, 0]]);
    await expect(answers(cast('TO_FLOAT', FLOAT), [{ 4: 1 }])).rejects.toMatchObject({ code: 'ERR_RUNTIME_INPUT' });
    await expect(answers(cast('TO_FLOAT', STRING), [{ 1: 'one' }])).rejects.toMatchObject({
      code: 'ERR_RUNTIME_INPUT',
    });
  });

  test.each([
    ['dense packing', modelOf('CastMap', {}, INT64, FLOAT), 'ERR_ONNX_UNSUPPORTED'],
    ['keys that are texts', modelOf('CastMap', { map_form: { s: 'SPARSE' } }, STRING, FLOAT), 'ERR_ONNX_UNSUPPORTED'],
    [
      'millions of columns',
      modelOf('CastMap', { map_form: { s: 'SPARSE' }, max_map: { i: 2 ** 24 } }, INT64, FLOAT),
      'ERR_ONNX_UNSUPPORTED',
    ],
    [
      'a vocabulary of other keys',
      modelOf('DictVectorizer', { int64_vocabulary: { ints: [1] } }, STRING, FLOAT),
      'ERR_ONNX_UNSUPPORTED',
    ],
    [
      'an empty vocabulary',
      modelOf('DictVectorizer', { string_vocabulary: { strings: [] } }, STRING, FLOAT),
      'ERR_ONNX_SHAPE',
    ],
    [
      'a word twice',
      modelOf('DictVectorizer', { string_vocabulary: { strings: ['a', 'a'] } }, STRING, FLOAT),
      'ERR_ONNX_SHAPE',
    ],
    [
      'keys of floats',
      modelOf('DictVectorizer', { string_vocabulary: { strings: ['a'] } }, FLOAT, FLOAT),
      'ERR_ONNX_SHAPE',
    ],
    ['another operator', modelOf('Normalizer', {}, STRING, FLOAT), 'ERR_ONNX_'],
  ])('what cannot be imported is an error: %s', (_, bytes, code) => {
    expect(() => importOnnx(bytes, flour)).toThrow(expect.objectContaining({ code: expect.stringContaining(code) }));
  });
});

describe('rows with dictionaries', () => {
  const plan = runtime.register(flour.dictionary('x').lookupKeys(['a', 'b']).plan());
  const whole = runtime.register(flour.dictionary('x', { keys: 'int64', values: 'int64' }).lookupKeys(['1']).plan());
  const mixed = runtime.register(
    flour
      .dictionary('x', { values: 'mixed' })
      .dictVectorizer({ featureNames: ['a', 'a=x'] })
      .plan(),
  );

  test('are objects or Maps', () => {
    const bare = Object.assign(Object.create(null), { a: 1 });
    for (const x of [{ a: 1 }, new Map([['a', 1]]), bare, { a: 1, other: 3 }])
      expect(runtime.predictSync(plan, { x })).toEqual({ output: [1, 0] });
    expect(runtime.predictSync(whole, { x: { 1: 5n } })).toEqual({ output: [5] });
    expect(runtime.predictSync(whole, { x: { '01': 2 ** 53 - 1 } })).toEqual({ output: [2 ** 53 - 1] });
  });

  test.each([
    ['a text', plan, 'a', 'expected an object or a Map of keys and values'],
    ['a list', plan, [1], 'received an array of 1'],
    ['nothing', plan, undefined, 'expected dictionary<string, float32>'],
    ['numbers', plan, new Float32Array(2), 'received an array of 2'],
    ['a text for a number', plan, { a: 'x' }, 'input "x", key "a"'],
    ['a key that is no text', plan, new Map([[1, 1]]), 'expected keys of string'],
    ['a key that is no integer', whole, { '1.5': 1 }, 'expected keys of int64'],
    ['a key beyond int64', whole, { '9223372036854775808': 1 }, 'expected keys of int64'],
    ['one key twice', whole, { 1: 1, '01': 2 }, 'the key "1" twice'],
    ['a fraction for an integer', whole, { 1: 0.5 }, 'key "1"'],
    ['an object in a mixed dictionary', mixed, { a: {} }, 'expected a number, a text, a list of texts, or null'],
    ['a list of numbers', mixed, { a: [1] }, 'key "a"'],
  ] as const)('%s is refused', async (_, which, x, message) => {
    const error = await runtime.predictBatch(which as AnyPlan, [{ x: {} }, { x }]).catch((one: BrezelError) => one);
    expect(error).toBeInstanceOf(BrezelError);
    expect(error).toMatchObject({ code: 'ERR_RUNTIME_INPUT', message: expect.stringContaining(message) });
    expect((error as BrezelError).message).toContain('row 1');
  });

  test('too many bytes are rejected', () => {
    const small = runtime.register(flour.dictionary('x').lookupKeys(['a']).plan(), { maxInputBytes: 20 });
    expect(runtime.predictSync(small, { x: { a: 1, b: 2 } })).toEqual({ output: [1] });
    expect(() => runtime.predictSync(small, { x: { a: 1, b: 2, c: 3 } })).toThrow(
      /27 bytes, longer than maxInputBytes 20/,
    );
    runtime.unregister(small);
  });

  test('are read completely, wherever their buffer grows', () => {
    const features = ['n', 't=x', 'l=y', 'l=x'];
    const handle = runtime.register(
      flour.dictionary('x', { values: 'mixed' }).dictVectorizer({ featureNames: features }).plan(),
    );
    // The buffer for a row grows by doubling. The length of the padding varies, so that each entry
    // after the padding crosses the end of the buffer once.
    for (const size of [4096, 8192, 65_536])
      for (let less = 0; less < 64; less++) {
        const x = { pad: 'é'.repeat(size / 2 - less), n: 0.5, t: 'x', l: ['y', 'x'], odd: 'é' };
        expect(runtime.predictSync(handle, { x })).toEqual({ output: [0.5, 1, 1, 1] });
      }
    runtime.unregister(handle);
  });

  test('the input itself can be an answer, and an unused input may be missing', () => {
    const [x, unread] = [flour.dictionary('x', { values: 'mixed' }), flour.dictionary('unread')];
    const echo = runtime.register(flour.program({ x }, { inputs: [x, unread] }).plan());
    const row = { a: 1, b: 'x', c: ['y', 'z'] };
    expect(runtime.predictSync(echo, { x: row })).toEqual({ x: row });
    runtime.unregister(echo);
  });

  test('a custom operator receives an object', async () => {
    const count = defineOperator({
      name: 'test/entries',
      inputs: ['dictionary'],
      output: 'text',
      run: (entries) => JSON.stringify(entries),
    });
    const handle = runtime.register(flour.dictionary('x', { values: 'mixed' }).custom(count).plan());
    expect(runtime.predictSync(handle, { x: { a: 1, b: ['c'] } })).toEqual({ output: '{"a":1,"b":["c"]}' });
    runtime.unregister(handle);
  });
});

test('fleet files store and replay golden rows with dictionaries', async () => {
  const rows = [{ x: { a: -0, b: 'x', c: ['y', 'a'], d: Number.NaN } }, { x: {} }];
  const columns = { a: 0.5, b: 'x', 'a=1': 2 };
  const features = Object.keys(columns);
  const mixed = flour.dictionary('x', { values: 'mixed' });
  const plans = [
    mixed
      .dictVectorizer({ featureNames: [...features, 'b=x', 'c=y'] })
      .linear({ weights: [1, 2, 3, 4, 5] })
      .plan({ name: 'vectorizer' }),
    mixed.featureHasher({ nFeatures: 32 }).plan({ name: 'hasher' }),
    flour.dictionary('n', { keys: 'int64', values: 'int64' }).lookupKeys(['7', '8']).plan({ name: 'lookup' }),
    flour.dictionary('s', { values: 'string' }).lookupKeys(['7', '8']).plan({ name: 'texts' }),
  ];
  const path = folder.path('dictionaries.brezel');
  await packFleet([{ plan: plans[0]!, rows }, ...plans.slice(1)], path, { store: flour.store });
  for (const plan of plans) plan.release();
  using fleet = await openFleet(path);
  const replay = await fleet.replay();
  expect(replay).toMatchObject({ plans: 4, differences: [] });
  expect(replay.rows).toBe(2 + 3 * 7);
  expect(fleet.describe('lookup').inputs[0]!.type).toEqual({ kind: 'dictionary', keys: 'int64', values: 'int64' });
  const own = createRuntime({ store: fleet.store });
  const handle = own.register(fleet.plan('vectorizer'));
  expect(own.predictSync(handle, rows[0]!)).toEqual({ output: [9] });
});
