import { DataType, makeNode, tensorInput } from '@brezel/onnx';
import { InferenceSession, Tensor, type TensorLike } from 'brezel/inference-session';
import { describe, expect, test } from 'vitest';
import { file, float, graph } from '../tensors/models.js';

const string = (name: string) => tensorInput(name, DataType.STRING, ['N', 1]);
/** A row program with outputs of floats and of texts. */
const model = file(
  graph(
    [makeNode('Neg', ['x'], ['y']), makeNode('Neg', ['y'], ['z']), makeNode('Identity', ['t'], ['text'])],
    [float('x', ['N', 1]), string('t')],
    [float('y', ['N', 1]), float('z', ['N', 1]), string('text')],
  ),
);
const feeds = { x: new Tensor(Float32Array.of(1, 2), [2, 1]), t: new Tensor(['a', 'b'], [2, 1]) };
const like = (type: string, data: unknown, dims: unknown) => ({ type, data, dims }) as TensorLike;

/** Returns the error of a promise; undefined if it resolves. */
const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error) => error,
  );

describe('the dims of a feed', () => {
  test.each([
    ['a fraction', [2, 0.5], 1],
    ['a negative size', [-1, 1], 0],
    ['a fraction of rows', [0.5, 1], 1],
    ['a text', ['2', 1], 2],
    ['a bigint', [2n, 1], 2],
    ['NaN', [Number.NaN, 1], 0],
    ['an infinite size', [Number.POSITIVE_INFINITY, 1], 0],
  ])('are rejected: %s', async (_, dims, length) => {
    const session = await InferenceSession.create(model);
    const error = await errorOf(session.run({ ...feeds, x: like('float32', new Float32Array(length), dims) }));
    expect(error).toMatchObject({ code: 'ERR_RUNTIME_INPUT', message: expect.stringMatching(/input "x"/) });
    await session.release();
  });
});

test('a program over whole tensors rejects dims with a fraction', async () => {
  const free = (name: string) => float(name, ['N', 'M']);
  const node = makeNode('Concat', ['x', 'x'], ['y'], { axis: { i: 0n } });
  const session = await InferenceSession.create(file(graph([node], [free('x')], [free('y')])));
  const error = await errorOf(session.run({ x: like('float32', new Float32Array(1), [2, 0.5]) }));
  expect(error).toMatchObject({ code: 'ERR_RUNTIME_INPUT', message: expect.stringMatching(/dims.*2, 0\.5/) });
  await session.release();
});

describe('fetches', () => {
  test.each([['y'], [7], [true], [null], [1n], [[1n]]])('reject %s', async (fetches) => {
    const session = await InferenceSession.create(model);
    const error = await errorOf(session.run(feeds, fetches as never));
    expect(error).toMatchObject({ code: 'ERR_RUNTIME_OUTPUT', message: expect.stringMatching(/at fetches/) });
    await session.release();
  });

  test.each<[string, TensorLike]>([
    ['type', like('float64', new Float64Array(2), [2, 1])],
    ['class of data', like('float32', [0, 0], [2, 1])],
    ['array', like('float32', new Float64Array(2), [2, 1])],
    ['length', like('float32', new Float32Array(1), [2, 1])],
    ['longer length', like('float32', new Float32Array(3), [2, 1])],
    ['dims', like('float32', new Float32Array(2), [1, 2])],
    ['missing dims', like('float32', new Float32Array(2), undefined)],
    ['missing data', like('float32', undefined, [2, 1])],
  ])('reject a tensor of another %s before they write', async (_, wrong) => {
    const session = await InferenceSession.create(model);
    const y = new Tensor(new Float32Array(2), [2, 1]);
    const error = await errorOf(session.run(feeds, { y, z: wrong }));
    expect(error).toMatchObject({ code: 'ERR_RUNTIME_OUTPUT', message: expect.stringMatching(/fetches "z"/) });
    expect(y.data).toEqual(new Float32Array(2));
    await session.release();
  });

  test('fill tensors of texts', async () => {
    const session = await InferenceSession.create(model);
    const text = new Tensor(['', ''], [2, 1]);
    expect((await session.run(feeds, { text })).text).toBe(text);
    expect(text.data).toEqual(['a', 'b']);
    await session.release();
  });
});

describe('create rejects', () => {
  const buffer = model.buffer as ArrayBuffer;
  const create = InferenceSession.create as (...args: unknown[]) => Promise<InferenceSession>;

  test.each<[string, unknown[], RegExp]>([
    ['a negative length', [buffer, 0, -1], /length -1/],
    ['a fraction of a length', [buffer, 0, 1.5], /length 1.5/],
    ['a negative offset', [buffer, -1], /offset -1/],
    ['an offset outside the buffer', [buffer, buffer.byteLength + 1], /offset/],
    ['a length outside the buffer', [buffer, 1, buffer.byteLength], /length/],
    ['an offset of other bytes', [model, 5], /offset 5/],
    ['an offset of a path', ['model.onnx', 5], /offset 5/],
    ['options that are a text', [model, 'cpu'], /cpu/],
    ['a model that is null', [null], /null/],
    ['external data of 5', [model, { externalData: 5 }], /externalData.*5/],
    ['an external file of 5', [model, { externalData: [5] }], /externalData.*5/],
    ['an external file without data', [model, { externalData: [{ path: 'w' }] }], /externalData/],
    ['sizes that are null', [model, { freeDimensionOverrides: null }], /freeDimensionOverrides.*null/],
    ['sizes that are a number', [model, { freeDimensionOverrides: 5 }], /freeDimensionOverrides.*5/],
    ['a size that is a text', [model, { freeDimensionOverrides: { N: '3' } }], /freeDimensionOverrides.*3/],
  ])('%s', async (_, args, message) => {
    const error = await errorOf(create(...args));
    expect(error).toMatchObject({ code: 'ERR_RUNTIME_OPTION', message: expect.stringMatching(message) });
  });
});

test('an empty list of providers is the default', async () => {
  await (await InferenceSession.create(model, { executionProviders: [] })).release();
});

test.each<[unknown[], RegExp]>([
  [['int64', [1.5]], /1\.5 at 0/],
  [['int64', [1n, 'abc']], /abc at 1/],
  [['uint64', [null]], /null at 0/],
  [['float32', ['abc']], /abc at 0/],
  [['int32', [1, undefined]], /undefined at 1/],
  [['bool', ['x']], /x at 0/],
  [['float64', [Symbol('s')]], /Symbol\(s\) at 0/],
])('a tensor rejects %#', (args, message) => {
  const build = () => new (Tensor as unknown as new (...args: unknown[]) => Tensor)(...args);
  expect(build).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_INPUT' }));
  expect(build).toThrow(message);
});
