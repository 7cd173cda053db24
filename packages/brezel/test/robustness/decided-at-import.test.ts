import { DataType, makeGraph, makeModel, makeNode, tensorInput, writeModel } from '@brezel/onnx';
import { BrezelError, createFlour, createRuntime, importModel, importOnnx, importTensors } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { ml, node } from './models.js';

// Errors that depend only on types and versions occur during the import, not at each request.

const flour = await createFlour();
const runtime = createRuntime({ store: flour.store, executors: 0 });
afterAll(async () => {
  await runtime.close();
  flour.dispose();
});

const file = (
  one: ReturnType<typeof node>,
  type: number,
  opsets: Record<string, number> = { '': 17, 'ai.onnx.ml': 2 },
) =>
  writeModel(
    makeModel(
      makeGraph({
        node: [one],
        input: [tensorInput('x', type, ['N', 1])],
        output: [tensorInput('y', DataType.FLOAT, ['N', 'k'])],
      }),
      opsets,
    ),
  );
const errorOf = (run: () => unknown): BrezelError => {
  try {
    run();
  } catch (error) {
    if (error instanceof BrezelError) return error;
    throw error;
  }
  throw new Error('it was imported');
};
const { STRING, FLOAT, INT64 } = DataType;
const integers = { ints: [1, 2] };
const texts = { strings: ['a', 'b'] };

describe('a OneHotEncoder whose categories are of another kind than its input', () => {
  test.each([
    ['integers over a text', { cats_int64s: integers }, STRING, 'a'],
    ['texts over a float', { cats_strings: texts }, FLOAT, 1],
    ['texts over an integer', { cats_strings: texts }, INT64, 1],
  ] as const)('answers zeros as onnxruntime does, with a warning: %s', async (_, attributes, type, value) => {
    const bytes = file(ml('OneHotEncoder', ['x'], ['y'], attributes), type);
    const imported = importModel(bytes, flour);
    if (imported.kind !== 'row') throw imported.why;
    expect(imported.warnings).toEqual([expect.stringContaining('no category matches, so every output is 0')]);
    const plan = imported.program.plan();
    const registered = runtime.register(plan);
    plan.release();
    for (const engine of ['reference', 'batch', 'request-response'] as const)
      expect(await runtime.predictBatch(registered, [{ x: [value] }], { engine })).toEqual([{ y: [[[0, 0]]].flat() }]);
    const tensors = runtime.registerTensors(importTensors(bytes, { flour }).program);
    const x =
      typeof value === 'string'
        ? { element: 'string' as const, shape: [1, 1], data: [value] }
        : type === FLOAT
          ? { element: 'float32' as const, shape: [1, 1], data: Float32Array.of(value) }
          : { element: 'int64' as const, shape: [1, 1], data: BigInt64Array.of(BigInt(value)) };
    expect(await runtime.predictTensors(tensors, { x })).toEqual({
      y: { element: 'float32', shape: [1, 1, 2], data: new Float32Array(2) },
    });
  });
});

describe('nodes that no row can satisfy are rejected by every importer of row programs', () => {
  test.each([
    ['zeros=0', ml('OneHotEncoder', ['x'], ['y'], { cats_int64s: integers, zeros: { i: 0 } }), STRING],
    [
      'both kinds of categories',
      ml('OneHotEncoder', ['x'], ['y'], { cats_int64s: integers, cats_strings: texts }),
      STRING,
    ],
    ['no categories', ml('OneHotEncoder', ['x'], ['y'], {}), STRING],
    [
      'keys of integers over a text',
      ml('LabelEncoder', ['x'], ['y'], { keys_int64s: integers, values_floats: { floats: [1, 2] } }),
      STRING,
    ],
    [
      'keys of texts over a float',
      ml('LabelEncoder', ['x'], ['y'], { keys_strings: texts, values_floats: { floats: [1, 2] } }),
      FLOAT,
    ],
    [
      'fewer values than keys',
      ml('LabelEncoder', ['x'], ['y'], { keys_strings: texts, values_floats: { floats: [1] } }),
      STRING,
    ],
    ['no values', ml('LabelEncoder', ['x'], ['y'], { keys_strings: texts }), STRING],
    ['an attribute of another operator', ml('LabelEncoder', ['x'], ['y'], { cats_int64s: integers }), STRING],
  ] as const)('%s', (_, one, type) => {
    for (const run of [importOnnx, importModel])
      expect(errorOf(() => run(file(one, type), flour))).toMatchObject({
        code: 'ERR_ONNX_ATTRIBUTE',
        details: { expected: expect.any(String), received: expect.any(String), at: expect.stringContaining('"y"') },
      });
  });
});

describe('unknown operator sets', () => {
  const operators = ['Softmax', 'Relu', 'ReduceSum', 'Transpose', 'Identity', 'Reshape', 'Scan', 'Constant', 'Shape'];
  test.each(operators.flatMap((operator) => [255, 28, 0, -1].map((version) => [operator, version] as const)))(
    '%s of %i is unsupported by rows and over tensors',
    (operator, version) => {
      const bytes = file(node(operator, ['x'], ['y']), FLOAT, { '': version });
      for (const run of [importOnnx, importModel, (given: Uint8Array) => importTensors(given, { flour })])
        expect(errorOf(() => run(bytes, flour))).toMatchObject({
          code: 'ERR_ONNX_UNSUPPORTED',
          details: { expected: 'operator set 1 to 27 of ai.onnx', received: `${version}` },
        });
    },
  );

  test.each(['Softmax', 'Relu', 'Transpose', 'Identity', 'Flatten', 'Shape'])(
    '%s of a version that Brezel does not read is unsupported, whatever strategy would convert it',
    (operator) => {
      const bytes = file(node(operator, ['x'], ['y']), FLOAT, { '': 26 });
      for (const run of [importOnnx, importModel, (given: Uint8Array) => importTensors(given, { flour })])
        expect(errorOf(() => run(bytes, flour)).code).toBe('ERR_ONNX_UNSUPPORTED');
    },
  );

  test('of other domains, and of domains that no node uses', () => {
    const scaler = file(ml('Binarizer', ['x'], ['y'], {}), FLOAT, { 'ai.onnx.ml': 6 });
    expect(errorOf(() => importModel(scaler, flour)).details).toMatchObject({
      expected: 'operator set 1 to 5 of ai.onnx.ml',
    });
    const gelu = file(makeNode('Gelu', ['x'], ['y'], {}, 'com.microsoft'), FLOAT, { '': 17, 'com.microsoft': 2 });
    expect(errorOf(() => importModel(gelu, flour)).code).toBe('ERR_ONNX_UNSUPPORTED');
    const unused = file(ml('Binarizer', ['x'], ['y'], {}), FLOAT, { '': 255, 'ai.onnx.ml': 3 });
    expect(importModel(unused, flour).kind).toBe('row');
  });
});
