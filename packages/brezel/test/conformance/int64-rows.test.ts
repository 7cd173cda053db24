import { DataType, makeGraph, makeModel, makeNode, makeTensor, tensorInput, writeModel } from '@brezel/onnx';
import { type Answer, createFlour, importOnnx, type Row } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { runtimes } from '../serving/runtimes.js';
import { ort } from './against-onnxruntime.js';
import { difference, Engines } from './engines.js';

// Integers of rows stay int64 from the row to the kernel, because float64 cannot represent 2^53 +
// 1.

const odd = 2n ** 53n + 1n;
const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n];
const keys = [odd, 2n ** 53n, most, least];

const keyTensor = makeTensor('keys', 'int64', [4], BigInt64Array.from(keys));
const places = makeTensor('places', 'int64', [4], BigInt64Array.of(1n, 2n, 3n, 4n));

const node = (operator: string, inputs: string[], output: string, attributes = {}, domain = '') =>
  makeNode(operator, inputs, [output], attributes, domain);
const outputs = {
  same: DataType.INT64,
  equal: DataType.BOOL,
  less: DataType.BOOL,
  key: DataType.INT64,
  joined: DataType.INT64,
  taken: DataType.INT64,
  sum: DataType.INT64,
  float: DataType.FLOAT,
} as const;
const bytes = writeModel(
  makeModel(
    makeGraph({
      node: [
        node('Identity', ['x'], 'same'),
        node('Equal', ['x', 'odd'], 'equal'),
        node('Less', ['x', 'odd'], 'less'),
        node(
          'LabelEncoder',
          ['x'],
          'key',
          { keys_tensor: { t: keyTensor }, values_tensor: { t: places } },
          'ai.onnx.ml',
        ),
        node('Concat', ['x', 'other'], 'joined', { axis: { i: 1 } }),
        node('Gather', ['joined', 'last'], 'taken', { axis: { i: 1 } }),
        node('Add', ['x', 'odd'], 'sum'),
        node('Cast', ['x'], 'float', { to: { i: DataType.FLOAT } }),
      ],
      initializer: [
        makeTensor('odd', 'int64', [1], BigInt64Array.of(odd)),
        makeTensor('last', 'int64', [1], BigInt64Array.of(1n)),
      ],
      input: [tensorInput('x', DataType.INT64, ['N', 1]), tensorInput('other', DataType.INT64, ['N', 1])],
      output: Object.entries(outputs).map(([name, type]) => tensorInput(name, type, ['N', name === 'joined' ? 2 : 1])),
    }),
    { '': 17, 'ai.onnx.ml': 4 },
  ),
);

const values = [0n, -1n, 2n ** 53n - 1n, 2n ** 53n, odd, -odd, 2n ** 62n + 1n, most, least];
const rows = values.map((x, at) => ({ x, other: values.at(-at)! }));

const flour = await createFlour();
const engines = new Engines(flour.store);
const all = runtimes(flour, { executors: 1 });
const plan = importOnnx(bytes, flour).program.plan();
afterAll(async () => {
  for (const [, runtime] of all) await runtime.close();
  plan.release();
  flour.dispose();
});

const exact = (value: unknown): unknown => (Array.isArray(value) ? value.map(exact) : BigInt(value as number));

describe('int64 rows', () => {
  test('every engine gives the answers of onnxruntime', async () => {
    const { answers } = await engines.answers(plan, rows);
    const reference = answers.get('reference')!;
    for (const [name, got] of answers) expect(difference(got, reference), name).toBeUndefined();
    values.forEach((x, row) => {
      const { same, equal, joined, taken, key } = reference[row]!;
      const other = values.at(-row)!;
      expect([exact(same), equal, exact(joined), exact(taken)]).toEqual([[x], [x === odd], [x, other], [other]]);
      if (keys.includes(x)) expect(key).toEqual([keys.indexOf(x) + 1]);
    });
    if (ort === undefined) return;
    const session = await ort.InferenceSession.create(bytes, { logSeverityLevel: 4 });
    for (const [row, x] of values.entries()) {
      const tensor = (value: bigint) => new ort!.Tensor('int64', BigInt64Array.of(value), [1, 1]);
      const want = await session.run({ x: tensor(x), other: tensor(values.at(-row)!) });
      for (const [name, type] of Object.entries(outputs)) {
        const given = Array.from(want[name]!.data as Iterable<number | bigint>);
        const got = [reference[row]![name] as Answer[string]].flat();
        if (type === DataType.INT64)
          expect(
            got.map((one) => BigInt(one as number)),
            `${name} of ${x}`,
          ).toEqual(given);
        else expect(got.map(Number), `${name} of ${x}`).toEqual(given.map(Number));
      }
    }
  });

  test('a uint64 beyond 2^53 is exact', () => {
    const graph = makeGraph({
      node: [node('Identity', ['x'], 'y')],
      input: [tensorInput('x', DataType.UINT64, ['N', 1])],
      output: [tensorInput('y', DataType.UINT64, ['N', 1])],
    });
    const same = importOnnx(writeModel(makeModel(graph, { '': 17 })), flour).program.plan();
    for (const [, runtime] of all)
      expect(exact(runtime.predictSync(runtime.register(same, { name: 'uint64' }), { x: odd }).y)).toEqual([odd]);
    same.release();
  });

  test('a number, a bigint and typed arrays are the same integer', () => {
    for (const [, runtime] of all) {
      const registered = runtime.register(plan);
      const of = (x: unknown) => exact(runtime.predictSync(registered, { x, other: 0 } as Row).same);
      for (const x of [2 ** 53, 2n ** 53n, [2 ** 53], BigInt64Array.of(2n ** 53n)]) expect(of(x)).toEqual([2n ** 53n]);
      for (const x of [odd, [odd], BigInt64Array.of(odd)]) expect(of(x)).toEqual([odd]);
      expect(of(-(2 ** 63))).toEqual([least]);
      for (const x of [2 ** 63, most + 1n, least - 1n, 0.5, Number.NaN, Infinity, '1', null]) {
        const error = expect.objectContaining({ code: 'ERR_RUNTIME_INPUT', message: expect.stringContaining('int64') });
        expect(() => of(x), String(x)).toThrow(error);
      }
      runtime.unregister(registered);
    }
  });

  describe.each(all)('%s', (_, runtime) => {
    test.each(['plain', 'cached', 'batching', 'short'] as const)('%s: in every verb', async (kind) => {
      const options = {
        plain: {},
        cached: { cache: { maxBytes: 2 ** 20 } },
        batching: { batching: { maxDelayMs: 1 } },
        short: { answers: { float32: 'short' }, missing: 'accept' },
      } as const;
      const registered = runtime.register(plan, { name: kind, ...options[kind] });
      const want = rows.map((row) => exact([row.x, row.other]));
      const joined = (answers: readonly Answer[]) => answers.map((answer) => exact(answer.joined));
      for (let run = 0; run < 2; run++) {
        expect(joined(rows.map((row) => runtime.predictSync(registered, row)))).toEqual(want);
        expect(joined(await Promise.all(rows.map((row) => runtime.predict(registered, row))))).toEqual(want);
        for (const engine of ['batch', 'request-response', 'auto', 'reference'] as const)
          expect(joined(await runtime.predictBatch(registered, rows, { engine }))).toEqual(want);
      }
      const [first, second] = runtime.predictManySync([registered, registered], rows[4]!);
      expect(joined([first!, second!])).toEqual([want[4], want[4]]);
      const small = rows.slice(0, 3);
      const many = Array.from({ length: 20_000 }, (_, at) => (at % 5000 === 4999 ? rows[4]! : small[at % 3]!));
      const answers = joined(await runtime.predictBatch(registered, many));
      expect(answers.every((one, at) => String(one) === String(exact([many[at]!.x, many[at]!.other])))).toBe(true);
      runtime.unregister(registered);
    });
  });
});
