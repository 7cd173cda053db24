import { DataType, makeGraph, makeModel, makeNode, makeTensor, tensorInput, writeModel } from '@brezel/onnx';
import { createFlour, importOnnx, type Row } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { ort } from './against-onnxruntime.js';
import { difference, Engines } from './engines.js';

// Graph inputs of types that rows do not have. Integers in the range of the type are accepted
// unchanged, others are rejected, and floats are rounded.

const types = {
  int8: [DataType.INT8, Int8Array, -128, 127],
  uint8: [DataType.UINT8, Uint8Array, 0, 255],
  int16: [DataType.INT16, Int16Array, -(2 ** 15), 2 ** 15 - 1],
  uint16: [DataType.UINT16, Uint16Array, 0, 2 ** 16 - 1],
  uint32: [DataType.UINT32, Uint32Array, 0, 2 ** 32 - 1],
  uint64: [DataType.UINT64, BigUint64Array, 0, 2 ** 53 - 1],
} as const;
type Name = keyof typeof types;

const flour = await createFlour();
const engines = new Engines(flour.store);
afterAll(() => flour.dispose());

/** Returns a file with `y = float(x) * 0.5` and, if `integers` is `Add`, also `z = x + x`. */
function fileOf(element: number, shape: readonly (string | number)[], integers = 'Identity'): Uint8Array {
  const cast = makeNode('Cast', ['x'], ['f'], { to: { i: DataType.FLOAT } });
  const nodes = [cast, makeNode('Mul', ['f', 'half'], ['y'])];
  if (integers === 'Add') nodes.push(makeNode('Add', ['x', 'x'], ['z']));
  const outputs = integers === 'Add' ? ['y', 'z'] : ['y'];
  const graph = makeGraph({
    node: nodes,
    initializer: [makeTensor('half', 'float32', [1], Float32Array.of(0.5))],
    input: [tensorInput('x', element, shape)],
    output: outputs.map((name, at) => tensorInput(name, at === 0 ? DataType.FLOAT : element, shape)),
  });
  return writeModel(makeModel(graph, { '': 17 }));
}

/**
 * Returns the answers of the reference, and the engine of the plan. Fails if an engine gives other
 * answers.
 */
async function answersOf(bytes: Uint8Array, rows: readonly Row[]) {
  const plan = importOnnx(bytes, flour).program.plan();
  try {
    const { answers, engine } = await engines.answers(plan, rows);
    const reference = answers.get('reference')!;
    for (const [name, got] of answers) expect(difference(got, reference), name).toBeUndefined();
    return { reference, engine };
  } finally {
    plan.release();
  }
}

describe.each(Object.keys(types) as Name[])('%s', (name) => {
  const [element, array, least, most] = types[name];
  const values = [least, most, 1, 100];

  test('is read unchanged', async () => {
    const { reference, engine } = await answersOf(fileOf(element, ['N', 2]), [
      { x: values.slice(0, 2) },
      { x: values.slice(2) },
    ]);
    const halves = values.map((value) => Math.fround(Math.fround(value) / 2));
    expect(reference).toEqual([{ y: halves.slice(0, 2) }, { y: halves.slice(2) }]);
    if (engines.native && name !== 'uint64') expect(engine).toBe('native');
    if (ort === undefined) return;
    const session = await ort.InferenceSession.create(fileOf(element, ['N', 2]), { logSeverityLevel: 4 });
    const data =
      array === BigUint64Array
        ? BigUint64Array.from(values, BigInt)
        : (array as Uint8ArrayConstructor).from(values as number[]);
    const { y } = await session.run({ x: new ort.Tensor(name as 'uint8', data as Uint8Array, [2, 2]) });
    expect(Array.from(y!.data as Float32Array)).toEqual(halves);
  });

  test('of one value a row, and of several axes', async () => {
    const scalars = await answersOf(
      fileOf(element, ['N']),
      values.map((x) => ({ x })),
    );
    expect(scalars.reference[3]).toEqual({ y: 50 });
    const cubes = await answersOf(fileOf(element, ['N', 2, 2]), [
      {
        x: [
          [least, 2],
          [3, 100],
        ],
      },
    ]);
    expect(cubes.reference).toEqual([
      {
        y: [
          [least / 2, 1],
          [1.5, 50],
        ],
      },
    ]);
  });

  test('is rejected if it is out of range', async () => {
    for (const wrong of [least - 1, ...(name === 'uint64' ? [] : [most + 1])]) {
      const refused = answersOf(fileOf(element, ['N', 2]), [{ x: [1, wrong] }]);
      await expect(refused).rejects.toMatchObject({ code: 'ERR_RUNTIME_INPUT' });
    }
  });
});

test('sums of narrow integers wrap around as in onnxruntime', async () => {
  const { reference } = await answersOf(fileOf(DataType.UINT8, ['N', 2], 'Add'), [{ x: [200, 100] }]);
  expect(reference).toEqual([{ y: [100, 50], z: [144, 200] }]);
});

describe.each([
  ['float16', DataType.FLOAT16, 2049, 2048, Number.POSITIVE_INFINITY],
  ['bfloat16', DataType.BFLOAT16, 257, 256, Math.fround(70144)],
] as const)('%s', (_, element, odd, even, large) => {
  const rows = [{ x: [0.5, odd] }, { x: [-odd, 70_001] }];

  test('is rounded when it is read', async () => {
    const { reference } = await answersOf(fileOf(element, ['N', 2]), rows);
    expect(reference).toEqual([{ y: [0.25, even / 2] }, { y: [-even / 2, large / 2] }]);
  });

  test('is computed in its type', async () => {
    const { reference } = await answersOf(fileOf(element, ['N', 2], 'Add'), [{ x: [odd, 0.25] }]);
    expect(reference).toEqual([{ y: [even / 2, 0.125], z: [even * 2, 0.5] }]);
  });

  test('of one value a row', async () => {
    const { reference } = await answersOf(fileOf(element, ['N']), [{ x: odd }]);
    expect(reference).toEqual([{ y: even / 2 }]);
  });
});
