import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DataType, makeModel, makeNode, type NodeProto, tensorInput, writeElements, writeModel } from '@brezel/onnx';
import { createFlour, createRuntime, importModel } from 'brezel';
import { InferenceSession, Tensor, type TensorLike } from 'brezel/inference-session';
import * as ort from 'onnxruntime-node';
import { describe, expect, test, vi } from 'vitest';
import { compareRow, readModel } from '../corpus/corpus.js';
import { constant, file, float, float32, type Graph, graph, int64 } from '../tensors/models.js';
import { sessionAnswers } from './replay.js';

const own = fileURLToPath(new URL('../corpus/own', import.meta.url));
const examples = fileURLToPath(new URL('../../../../examples/models', import.meta.url));
const folders = readdirSync(own, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const model = (name: string) => join(own, name, 'model.onnx');
const gmm = model('num-bc-gmm');

describe('models of the repository', () => {
  test.each(folders.map(({ name }) => name))('%s has the bits of predictBatch', async (name) => {
    const path = existsSync(model(name)) ? model(name) : join(examples, `${name}.onnx`);
    const read = readModel(join(own, name), path);
    const answers = await sessionAnswers(read);
    expect(answers.map((answer, row) => compareRow(read, row, answer)).filter(Boolean)).toEqual([]);
  });

  test('tensors, names and metadata are those of onnxruntime-node', async () => {
    const session = await InferenceSession.create(gmm);
    const theirs = await ort.InferenceSession.create(gmm);
    for (const field of ['inputNames', 'outputNames', 'inputMetadata', 'outputMetadata'] as const)
      expect(session[field], field).toEqual(theirs[field]);
    const x = new ort.Tensor('float32', new Float32Array(12).fill(0.5), [2, 6]);
    const feeds = { [session.inputNames[0]!]: x };
    const [got, wanted] = [await session.run(feeds), await theirs.run(feeds)];
    expect(Object.keys(got)).toEqual(Object.keys(wanted));
    for (const [name, tensor] of Object.entries(wanted))
      expect(got[name], name).toMatchObject({ type: tensor.type, dims: [...tensor.dims], size: tensor.size });
    await session.release();
  });

  test('a ZipMap is a tensor with the names of its columns', async () => {
    const path = model('num-iris-logreg-zipmap-strings');
    const session = await InferenceSession.create(path);
    const map = session.outputMetadata.find((port) => port.isTensor && port.labels !== undefined)!;
    expect((await ort.InferenceSession.create(path)).outputMetadata.find(({ name }) => name === map.name)).toEqual({
      name: map.name,
      isTensor: false,
    });
    const results = await session.run({ [session.inputNames[0]!]: new Tensor(new Float32Array(8), [2, 4]) });
    const { type, dims, data, labels } = results[map.name]!;
    expect({ type, dims, length: data.length, labels }).toEqual({
      type: 'float32',
      dims: [2, 3],
      length: 6,
      labels: ['setosa', 'versicolor', 'virginica'],
    });
    await session.release();
  });
});

const x = (rows: number, columns = 2) =>
  new Tensor(
    'float32',
    Array.from({ length: rows * columns }, (_, at) => at / 4),
    [rows, columns],
  );

/** A program over whole tensors: it sums the rows of a batch. */
const sum = file(
  graph(
    [
      constant('axes', int64([1], 0)),
      makeNode('ReduceSum', ['x', 'axes'], ['sum'], { keepdims: { i: 0n } }),
      makeNode('Cast', ['sum'], ['half'], { to: { i: 10n } }),
    ],
    [float('x', ['N', 2])],
    [float('sum', [2]), tensorInput('half', 10, [2])],
  ),
);
/** A row program of one vector and one weight with a default value. */
const scaled = file(
  graph([makeNode('Mul', ['x', 'w'], ['y'])], [float('x', ['N', 2]), float('w', [2])], [float('y', ['N', 2])], {
    initializer: [writeElements('w', { element: 'float32', shape: [2], data: Float32Array.of(2, 4) })],
  }),
);

describe('a session', () => {
  test('runs programs over whole tensors with the bits of predictTensors', async () => {
    const session = await InferenceSession.create(sum.buffer, sum.byteOffset, sum.byteLength);
    const { sum: total, half } = await session.run({ x: x(3) });
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const imported = importModel(sum, flour);
    if (imported.kind !== 'tensor') throw new Error('a row program');
    const data = x(3).data as Float32Array<ArrayBuffer>;
    const wanted = await runtime.predictTensors(runtime.registerTensors(imported.program), {
      x: { element: 'float32', shape: [3, 2], data },
    });
    expect(total).toMatchObject({ type: 'float32', dims: [2], data: (wanted.sum as { data: Float32Array }).data });
    expect(half).toMatchObject({ type: 'float16', data: Uint16Array.of(0x3e00, 0x4080) });
    await session.release();
    await expect(session.run({ x: x(1) })).rejects.toMatchObject({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' });
    await session.release();
  });

  test('returns chosen outputs, and fills tensors of the caller', async () => {
    const session = await InferenceSession.create(sum);
    expect(Object.keys(await session.run({ x: x(2) }, ['half']))).toEqual(['half']);
    const target = new ort.Tensor('float32', new Float32Array(2), [2]);
    const results = await session.run({ x: x(2) }, { sum: target, half: null }, { tag: 'a' });
    expect(results.sum).toBe(target);
    expect(target.data).toEqual(Float32Array.of(0.5, 1));
    expect(Object.keys(await session.run({ x: x(2) }, { deadlineMs: 600_000 }))).toEqual(['sum', 'half']);
    for (const fetches of [[], ['y'], [7]] as never[])
      await expect(session.run({ x: x(2) }, fetches)).rejects.toMatchObject({ code: 'ERR_RUNTIME_OUTPUT' });
    const short = new Tensor(new Float32Array(1), [1]);
    await expect(session.run({ x: x(2) }, { sum: short })).rejects.toThrow(/expected a tensor float32\[2\]/);
    await session.release();
  });

  const undeclared = (name: string) => ({ ...float(name, []), type: undefined });
  const relu = makeNode('Relu', ['x'], ['y']);
  test.each<[string, readonly NodeProto[], Graph['output']]>([
    [
      'no type, over whole tensors',
      [constant('axes', int64([1], 0)), makeNode('ReduceSum', ['x', 'axes'], ['sum'])],
      [undeclared('sum')],
    ],
    ['no type, for an input', [relu], [undeclared('y'), undeclared('x')]],
    [
      'another type than a constant has',
      [relu, constant('c', float32([2], 3, 7))],
      [float('y', ['N', 2]), tensorInput('c', DataType.BOOL, [2])],
    ],
  ])('returns an output with %s, as onnxruntime does', async (_, nodes, outputs) => {
    const bytes = file(graph([...nodes], [float('x', ['N', 2])], outputs));
    const session = await InferenceSession.create(bytes);
    const theirs = await ort.InferenceSession.create(bytes);
    const [got, wanted] = [
      await session.run({ x: x(3) }),
      await theirs.run({ x: new ort.Tensor('float32', x(3).data as Float32Array, [3, 2]) }),
    ];
    expect(Object.keys(got)).toEqual(Object.keys(wanted));
    for (const [name, { type, dims, data }] of Object.entries(wanted))
      expect(got[name]).toMatchObject({ type, dims, data });
    await session.release();
  });

  test('returns the elements of narrow integers in their computed type', async () => {
    const nodes = [makeNode('Cast', ['x'], ['y'], { to: { i: BigInt(DataType.INT8) } })];
    const session = await InferenceSession.create(
      file(graph(nodes, [float('x', ['N', 2])], [tensorInput('y', DataType.INT32, ['N', 2])])),
    );
    expect((await session.run({ x: new Tensor(Float32Array.of(3, -4), [1, 2]) })).y).toMatchObject({
      type: 'int8',
      data: Int8Array.of(3, -4),
    });
    await session.release();
  });

  test('returns the narrow integers that a node of rows computes in their declared type', async () => {
    const tensorOf = (element: 'string' | 'int16', data: never) => ({
      t: writeElements('', { element, shape: [2], data }),
    });
    const node = makeNode('LabelEncoder', ['x'], ['y'], {
      keys_tensor: tensorOf('string', ['a', 'b'] as never),
      values_tensor: tensorOf('int16', Int16Array.of(3, -4) as never),
      default_tensor: { t: writeElements('', { element: 'int16', shape: [1], data: Int16Array.of(7) }) },
    });
    const main = graph(
      [{ ...node, domain: 'ai.onnx.ml' }],
      [tensorInput('x', DataType.STRING, ['N', 2])],
      [tensorInput('y', DataType.INT16, ['N', 2])],
    );
    const session = await InferenceSession.create(writeModel(makeModel(main, { 'ai.onnx.ml': 4 })));
    expect((await session.run({ x: new Tensor('string', ['b', 'c'], [1, 2]) })).y).toMatchObject({
      type: 'int16',
      data: Int16Array.of(-4, 7),
    });
    await session.release();
  });

  test('passes on deadlines and signals', async () => {
    const session = await InferenceSession.create(scaled);
    const reason = new Error('left');
    await expect(session.run({ x: x(1) }, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await expect(session.run({ x: x(1) }, { terminate: true })).rejects.toMatchObject({ code: 'ERR_RUNTIME_OPTION' });
    await session.release();
  });

  const wrong = (type: string, data: unknown, dims: readonly number[]): TensorLike => ({ type, data, dims });
  test.each<[string, Record<string, unknown>, RegExp]>([
    ['no feeds', null as never, /an object with a tensor for each input/],
    ['a missing input', {}, /a tensor for input "x"/],
    ['an unknown input', { x: x(1), y: x(1) }, /"y"/],
    ['a default value', { x: x(1), w: new Tensor(new Float32Array(2)) }, /"w"/],
    ['a number', { x: 7 }, /expected a Tensor at input "x"/],
    ['another type', { x: new Tensor('float64', [1, 2], [1, 2]) }, /type float32.*float64/],
    ['another rank', { x: new Tensor(new Float32Array(2), [2]) }, /dims \[N, 2\].*\[2\]/],
    ['another width', { x: x(1, 3) }, /dims \[N, 2\].*\[1, 3\]/],
    ['too few elements', { x: wrong('float32', new Float32Array(1), [1, 2]) }, /2 elements.*1/],
    ['another array', { x: wrong('float32', new Float64Array(2), [1, 2]) }, /Float64Array/],
  ])('rejects %s', async (_, feeds, message) => {
    const session = await InferenceSession.create(scaled);
    const error = await session.run(feeds as never).catch((cause) => cause);
    expect(error).toMatchObject({ code: 'ERR_RUNTIME_INPUT' });
    expect(error.message + (error.hint ?? '')).toMatch(message);
    await session.release();
  });

  test('answers no rows', async () => {
    const session = await InferenceSession.create(scaled);
    expect((await session.run({ x: x(0) })).y).toMatchObject({ dims: [0, 2], size: 0 });
    await session.release();
  });

  test.each<[object, RegExp]>([
    [{ intraOpNumThread: 1 }, /the option "intraOpNumThreads"/],
    [{ executionProviders: ['cuda'] }, /a list with "cpu"/],
    [{ preferredOutputLocation: 'gpu-buffer' }, /preferredOutputLocation/],
    [{ enableProfiling: true }, /explain --analyze/],
    [{ optimizedModelFilePath: 'm.ort' }, /brezel pack/],
    [{ freeDimensionOverrides: { M: 3 } }, /"M"/],
  ])('rejects the options %j', async (options, message) => {
    const error = await InferenceSession.create(scaled, options).catch((cause) => cause);
    expect(error).toMatchObject({ code: 'ERR_RUNTIME_OPTION' });
    expect(`${error.message} ${error.details?.hint}`).toMatch(message);
  });

  test('warns once about options without an effect', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const options = { intraOpNumThreads: 1, graphOptimizationLevel: 'all', executionProviders: ['cuda', 'cpu'] };
    for (let turn = 0; turn < 2; turn++) await (await InferenceSession.create(scaled, options)).release();
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]![0]).toMatch(/intraOpNumThreads, graphOptimizationLevel, executionProviders cuda/);
    warn.mockRestore();
  });

  test('accepts the sizes of named axes', async () => {
    const open = file(graph([makeNode('Neg', ['x'], ['y'])], [float('x', ['N', 'C'])], [float('y', ['N', 'C'])]));
    const session = await InferenceSession.create(open, { freeDimensionOverrides: { C: 3 } });
    expect((await session.run({ x: x(2, 3) })).y).toMatchObject({ dims: [2, 3] });
    await expect(session.run({ x: x(2, 2) })).rejects.toMatchObject({ code: 'ERR_RUNTIME_INPUT' });
    await session.release();
  });

  test('a failed create leaves nothing behind, and a process with a session ends', () => {
    const text = `import { InferenceSession, Tensor } from 'brezel/inference-session';
      await InferenceSession.create(new Uint8Array(3)).catch(() => undefined);
      const session = await InferenceSession.create(${JSON.stringify(gmm)});
      const data = new Float32Array(6 * 3000);
      const { size } = Object.values(await session.run({ [session.inputNames[0]]: new Tensor(data, [3000, 6]) }))[0];
      console.log(size % 3000);`;
    const cwd = fileURLToPath(new URL('../..', import.meta.url));
    expect(execFileSync(process.execPath, ['--input-type=module', '-e', text], { cwd, encoding: 'utf8' })).toBe('0\n');
  });
});

describe('a tensor', () => {
  const create = (args: readonly unknown[]) => new (Tensor as unknown as new (...args: unknown[]) => Tensor)(...args);

  test.each<[string, unknown[], object]>([
    ['integers', ['int64', [1, 2n]], { type: 'int64', data: BigInt64Array.of(1n, 2n), dims: [2] }],
    ['booleans', ['bool', [true, false], [2, 1]], { type: 'bool', data: Uint8Array.of(1, 0), dims: [2, 1] }],
    ['clamped bytes', [new Uint8ClampedArray([300])], { type: 'uint8', data: Uint8Array.of(255) }],
    ['texts', [['a']], { type: 'string', data: ['a'] }],
    ['one number', ['float32', [0.1], []], { type: 'float32', dims: [], size: 1 }],
  ])('of %s', async (_, args, fields) => {
    const tensor = create(args);
    expect(tensor).toMatchObject(fields);
    expect(await tensor.getData()).toBe(tensor.data);
    expect(tensor.reshape([tensor.size, 1]).dims).toEqual([tensor.size, 1]);
  });

  test.each<[unknown[], RegExp]>([
    [['float31', [1]], /type float31/],
    [['float16', [1]], /Uint16Array/],
    [['string', [1]], /an array of strings/],
    [[[1]], /data without a type/],
    [[new Float32Array(2), [3]], /3 elements/],
    [[new Float32Array(2), [-2]], /dims/],
  ])('rejects %j', (args, message) => {
    const build = () => create(args);
    expect(build).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_INPUT' }));
    expect(build).toThrow(message);
  });
});
