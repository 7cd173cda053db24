import { makeModel, makeNode, writeModel } from '@brezel/onnx';
import {
  createFlour,
  createRuntime,
  importOnnx,
  importTensors,
  type RegisteredTensors,
  type Tensor,
  type TensorInputs,
} from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { answer, bool, constant, file, float, float32, graph, int64, integer } from './models.js';

const flour = await createFlour();
const runtime = createRuntime({ store: flour.store });
afterAll(async () => {
  await runtime.close();
  flour.dispose();
});

const weights = float32([2], 7, 8);
const main = graph(
  [makeNode('Identity', ['x'], ['y']), constant('w', weights), makeNode('Identity', ['text'], ['words'])],
  [float('x', ['N', 2]), { ...integer('text', [1]), name: 'text' }],
  [float('y', ['N', 2]), float('w', [2]), integer('words', [1])],
);
const { program } = importTensors(file(main));
const tensors = runtime.registerTensors(program, { name: 'echo' });
const text = int64([1], 3);
const x = float32([1, 2], 1, 2);

describe('a registered tensor program', () => {
  test('lists its inputs and outputs', () => {
    expect(tensors.name).toBe('echo');
    expect(tensors.inputs).toEqual([
      { name: 'x', kind: 'tensor', element: 'float32', shape: ['N', 2] },
      { name: 'text', kind: 'tensor', element: 'int64', shape: [1] },
    ]);
    expect(tensors.outputs.map(({ name }) => name)).toEqual(['y', 'w', 'words']);
    expect(runtime.stats().tensors).toEqual([{ name: 'echo', constantBytes: 8 }]);
  });

  test('returns separate outputs to each caller', async () => {
    const given = { x: float32([1, 2], 1, 2), text };
    const first = await runtime.predictTensors(tensors, given);
    expect(first).toEqual({ y: x, w: weights, words: text });
    for (const value of Object.values(first) as Exclude<Tensor, { element: 'string' }>[])
      new Uint8Array(value.data.buffer).fill(1);
    expect(given.x).toEqual(x);
    expect(await runtime.predictTensors(tensors, given)).toEqual({ y: x, w: weights, words: text });
  });

  test.each<[string, TensorInputs, RegExp]>([
    ['missing', { x }, /expected int64\[1\] at input "text", received nothing/],
    ['extra', { x, text, z: x }, /an extra input "z"/],
    ['inherited', Object.create({ x, text }), /input "x", received nothing/],
    [
      'of another element type',
      { x: { ...x, element: 'float64', data: Float64Array.of(1, 2) } as Tensor, text },
      /received element type float64/,
    ],
    ['of an unknown element type', { x: { ...x, element: 'complex' } as never, text }, /received element type complex/],
    ['of a sequence', { x: { element: 'sequence', tensors: [x] }, text }, /received a sequence/],
    ['of another rank', { x: float32([2], 1, 2), text }, /expected float32\[N, 2\] at input "x", received shape \[2\]/],
    ['of another size', { x: float32([1, 3], 1, 2, 3), text }, /received shape \[1,3\]/],
    ['with too little data', { x: float32([2, 2], 1, 2, 3), text }, /data of 3 elements for 4/],
    ['with data of another kind', { x: { ...x, data: [1, 2] } as never, text }, /data that is Array/],
    ['with a negative size', { x: { ...x, shape: [-1, 2] } as never, text }, /no shape of sizes/],
    ['with a fraction as a size', { x: { ...x, shape: [0.5, 2] } as never, text }, /no shape of sizes/],
    ['with a shape beyond all', { x: { ...x, shape: [2 ** 52, 2 ** 52] } as never, text }, /no shape of sizes/],
    ['null', { x: null, text } as never, /received no such value/],
    ['a number', { x: 5, text } as never, /received no such value/],
    ['no object', null as never, /expected an object of tensors/],
  ])('refuses an input that is %s', async (_, inputs, message) => {
    const refused = runtime.predictTensors(tensors, inputs);
    await expect(refused).rejects.toMatchObject({ code: 'ERR_RUNTIME_INPUT' });
    await expect(refused).rejects.toThrow(message);
  });

  test('is unknown after its removal, and in other runtimes', async () => {
    const gone = runtime.registerTensors(program);
    runtime.unregister(gone);
    await expect(runtime.predictTensors(gone, { x, text })).rejects.toMatchObject({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' });
    expect(() => runtime.unregister(gone)).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' }));
    await expect(runtime.predictTensors({ ...tensors }, { x, text })).rejects.toMatchObject({
      code: 'ERR_RUNTIME_UNKNOWN_PLAN',
    });
    const rows = file(graph([makeNode('Identity', ['x'], ['y'])], [float('x', ['N', 2])], [float('y', ['N', 2])]));
    const plan = runtime.register(importOnnx(rows, flour).program.plan());
    await expect(runtime.predictTensors(plan as unknown as RegisteredTensors, { x })).rejects.toMatchObject({
      code: 'ERR_RUNTIME_UNKNOWN_PLAN',
    });
    runtime.unregister(plan);
  });

  test('a closed runtime has no programs', async () => {
    const other = createRuntime({ store: flour.store });
    const registered = other.registerTensors(program);
    await other.close();
    await expect(other.predictTensors(registered, { x, text })).rejects.toMatchObject({ code: 'ERR_RUNTIME_CLOSED' });
    expect(() => other.registerTensors(program)).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_CLOSED' }));
  });

  test.each<[string, number, Uint8Array]>([
    // 6 elements are read; each of the 12 indices counts as 8 elements
    [
      'indices of NonZero',
      6 + 8 * 12,
      file(graph([makeNode('NonZero', ['x'], ['y'])], [float('x', [2, 3])], [integer('y', [2, 6])])),
    ],
    // each of the 6 lookups counts as 8 elements; the result has 6 x 2
    [
      'lookups of OneHotEncoder',
      8 * 6 + 12,
      writeModel(
        makeModel(
          graph(
            [{ ...makeNode('OneHotEncoder', ['x'], ['y'], { cats_int64s: { ints: [1n, 2n] } }), domain: 'ai.onnx.ml' }],
            [float('x', [2, 3])],
            [float('y', [2, 3, 2])],
          ),
          { '': 17, 'ai.onnx.ml': 3 },
        ),
      ),
    ],
  ])('%s count as the elements that they take', async (_, elements, bytes) => {
    const x = { element: 'float32', shape: [2, 3], data: Float32Array.of(1, 2, 1, 2, 1, 2) } as const;
    await expect(answer(bytes, { x }, { maxElements: elements })).resolves.toBeDefined();
    await expect(answer(bytes, { x }, { maxElements: elements - 1 })).rejects.toThrow(/at most \d+ elements/);
  });

  test.each([Number.NaN, -1, 1.5, '5'])('a limit of %j is rejected', (maxElements) => {
    expect(() => runtime.registerTensors(program, { maxElements: maxElements as number })).toThrow(
      /maxElements, a count/,
    );
  });
});

describe('values of other types', () => {
  const echo = (input: ReturnType<typeof float>) =>
    runtime.registerTensors(
      importTensors(file(graph([makeNode('Identity', [input.name], ['y'])], [input], [{ ...input, name: 'y' }])))
        .program,
    );
  const typed = (elemType: number) => {
    const port = float('x', ['n']);
    return { ...port, type: { ...port.type!, tensorType: { ...port.type!.tensorType!, elemType } } };
  };

  test('text becomes well-formed; other values are rejected', async () => {
    const registered = echo(typed(8));
    const given = (...data: string[]): TensorInputs => ({ x: { element: 'string', shape: [data.length], data } });
    expect(await runtime.predictTensors(registered, given('a', 'half \ud83d'))).toEqual({
      y: { element: 'string', shape: [2], data: ['a', 'half \ufffd'] },
    });
    await expect(runtime.predictTensors(registered, given('a', null as never))).rejects.toThrow(
      /null among its strings/,
    );
  });

  test('bools are 0 and 1', async () => {
    const registered = echo(typed(9));
    await expect(
      runtime.predictTensors(registered, { x: { ...bool(true), shape: [1] } as Tensor }),
    ).resolves.toMatchObject({ y: { element: 'bool' } });
    const two = { element: 'bool', shape: [1], data: Uint8Array.of(2) } as const;
    await expect(runtime.predictTensors(registered, { x: two })).rejects.toThrow(/other numbers than 0 and 1/);
  });

  test('sequences can be inputs and outputs, and each tensor is checked', async () => {
    const port = float('x', ['n']);
    const sequence = {
      ...port,
      type: { ...port.type!, tensorType: undefined, sequenceType: { elemType: port.type! } },
    };
    const registered = echo(sequence);
    expect(registered.inputs).toEqual([{ name: 'x', kind: 'sequence', element: 'float32', shape: ['n'] }]);
    const given = { element: 'sequence', tensors: [float32([1], 5), float32([2], 6, 7)] } as const;
    expect(await runtime.predictTensors(registered, { x: given })).toEqual({ y: given });
    const wrong = { ...given, tensors: [float32([1], 5), float32([1, 1], 5)] };
    await expect(runtime.predictTensors(registered, { x: wrong })).rejects.toThrow(
      /sequence of float32\[n\] at input "x"\[1\], received shape \[1,1\]/,
    );
    await expect(runtime.predictTensors(registered, { x: float32([1], 5) })).rejects.toThrow(
      /expected sequence of float32\[n\]/,
    );
  });
});
