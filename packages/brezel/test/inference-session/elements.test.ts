import { DataType, makeNode, tensorInput } from '@brezel/onnx';
import { createFlour, importModel } from 'brezel';
import { InferenceSession, Tensor, type TensorData, type TensorType } from 'brezel/inference-session';
import * as ort from 'onnxruntime-node';
import { describe, expect, test } from 'vitest';
import { microsoft } from '../robustness/models.js';
import { file, graph } from '../tensors/models.js';

/** Returns the output `y` of a model for the input `x`. */
async function answer(bytes: Uint8Array, x: Tensor): Promise<Tensor> {
  const session = await InferenceSession.create(bytes);
  try {
    return (await session.run({ x })).y!;
  } finally {
    await session.release();
  }
}

async function kindOf(bytes: Uint8Array): Promise<string> {
  using flour = await createFlour();
  return importModel(bytes, flour).kind;
}

/** Three elements of each type, including the limits that rows support. */
const elements: { readonly [T in TensorType]: readonly [number, TensorData[T]] } = {
  float32: [DataType.FLOAT, Float32Array.of(1.5, -0, Number.NaN)],
  float64: [DataType.DOUBLE, Float64Array.of(0.1, -1e300, Number.POSITIVE_INFINITY)],
  float16: [DataType.FLOAT16, Uint16Array.of(0x3c00, 0xc001, 0x7c00)],
  int8: [DataType.INT8, Int8Array.of(1, -128, 127)],
  uint8: [DataType.UINT8, Uint8Array.of(0, 128, 255)],
  int16: [DataType.INT16, Int16Array.of(1, -(2 ** 15), 2 ** 15 - 1)],
  uint16: [DataType.UINT16, Uint16Array.of(0, 2 ** 15, 2 ** 16 - 1)],
  int32: [DataType.INT32, Int32Array.of(1, -(2 ** 31), 2 ** 31 - 1)],
  uint32: [DataType.UINT32, Uint32Array.of(0, 2 ** 31, 2 ** 32 - 1)],
  int64: [DataType.INT64, BigInt64Array.of(2n ** 53n + 1n, -(2n ** 63n), 2n ** 63n - 1n)],
  uint64: [DataType.UINT64, BigUint64Array.of(0n, 2n ** 32n, 2n ** 53n - 1n)],
  bool: [DataType.BOOL, Uint8Array.of(1, 0, 1)],
  string: [DataType.STRING, ['a', '', 'ä']],
};
const types = Object.keys(elements) as TensorType[];

describe.each(types)('elements of %s', (type) => {
  const [code, data] = elements[type];
  const twice = type === 'string' ? [...data, ...data] : [...(data as Uint8Array), ...(data as Uint8Array)];

  test.each(['scalar', 'vector', 'one element'] as const)('pass through rows: %s', async (form) => {
    const [shape, dims] = {
      scalar: [['N'], [3]],
      vector: [
        ['N', 3],
        [1, 3],
      ],
      'one element': [
        ['N', 1],
        [3, 1],
      ],
    }[form] as [(string | number)[], number[]];
    const bytes = file(
      graph([makeNode('Identity', ['x'], ['y'])], [tensorInput('x', code, shape)], [tensorInput('y', code, shape)]),
    );
    expect(await kindOf(bytes)).toBe('row');
    expect(await answer(bytes, new Tensor(type, data, dims))).toMatchObject({ type, dims, data });
  });

  test('pass through a program over whole tensors', async () => {
    const node = makeNode('Concat', ['x', 'x'], ['y'], { axis: { i: 0n } });
    const bytes = file(graph([node], [tensorInput('x', code, ['N'])], [tensorInput('y', code, ['M'])]));
    expect(await kindOf(bytes)).toBe('tensor');
    const y = await answer(bytes, new Tensor(type, data, [3]));
    expect(y).toMatchObject({ type, dims: [6] });
    expect(y.data.constructor).toBe(data.constructor);
    expect([...(y.data as Iterable<unknown>)]).toEqual(twice);
  });
});

test('rows compute with the numbers of half floats', async () => {
  const half = (name: string) => tensorInput(name, DataType.FLOAT16, ['N', 2]);
  const bytes = file(graph([makeNode('Neg', ['x'], ['y'])], [half('x')], [half('y')]));
  const y = await answer(bytes, new Tensor('float16', Uint16Array.of(0x3c00, 0x4000), [1, 2]));
  expect(y.data).toEqual(Uint16Array.of(0xbc00, 0xc000));
});

// answers of rows hold a uint64 as the int64 with its bits
test('rows return every uint64', async () => {
  const port = (name: string) => tensorInput(name, DataType.UINT64, ['N', 1]);
  const bytes = file(graph([makeNode('Add', ['x', 'x'], ['y'])], [port('x')], [port('y')]));
  const x = BigUint64Array.of(1n, 2n ** 52n + 1n, 2n ** 62n - 1n, 2n ** 62n, 2n ** 62n + 1n, 2n ** 63n - 1n);
  const y = await answer(bytes, new Tensor('uint64', x, [x.length, 1]));
  expect(y).toMatchObject({ type: 'uint64', data: x.map((value) => 2n * value) });
  const tooLarge = new Tensor('uint64', BigUint64Array.of(2n ** 63n), [1, 1]);
  await expect(answer(bytes, tooLarge)).rejects.toMatchObject({ code: 'ERR_RUNTIME_INPUT' });
});

describe.each<[string, (string | number)[]]>([
  ['[N]', ['N']],
  ['[N, 1]', ['N', 1]],
])('tokens of %s', (_, shape) => {
  const attributes = { mark: { i: 0n }, mincharnum: { i: 1n }, pad_value: { s: '#' }, separators: { strings: [' '] } };
  const text = (name: string, axes: (string | number)[]) => tensorInput(name, DataType.STRING, axes);
  const bytes = file(
    graph([microsoft('Tokenizer', ['x'], ['y'], attributes)], [text('x', shape)], [text('y', [...shape, 'T'])]),
  );

  test.each([[['']], [['', '']], [['a b', '']], [['', 'a']], [['a b c', 'd', '', 'e f']]])('of %j', async (texts) => {
    const dims = [texts.length, 1].slice(0, shape.length);
    const theirs = await ort.InferenceSession.create(bytes);
    const wanted = (await theirs.run({ x: new ort.Tensor('string', texts, dims) })).y!;
    const { data, dims: sizes } = await answer(bytes, new Tensor('string', texts, dims));
    expect({ data, dims: sizes }).toEqual({ data: wanted.data, dims: [...wanted.dims] });
    await theirs.release();
  });
});

test.each([[[]], [[3]], [[1, 3, 1]]])('an input without a declared shape takes a tensor %j', async (dims) => {
  const { name, type, docString } = tensorInput('x', DataType.FLOAT, []);
  const input = { name, docString, type: { ...type!, tensorType: { ...type!.tensorType!, shape: undefined } } };
  const bytes = file(graph([makeNode('Neg', ['x'], ['y'])], [input], [tensorInput('y', DataType.FLOAT, ['a'])]));
  const x = Float32Array.of(1, 2, 3).subarray(0, dims.length === 0 ? 1 : 3);
  const y = await answer(bytes, new Tensor('float32', x, dims));
  expect(y).toMatchObject({ dims, data: x.map((value) => -value) });
});
