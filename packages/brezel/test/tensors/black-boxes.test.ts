import {
  DataType,
  makeFunction,
  makeModel,
  makeNode,
  makeTensor,
  type NodeProto,
  tensorInput,
  writeModel,
} from '@brezel/onnx';
import {
  type Backend,
  type BlackBoxChoice,
  createFlour,
  createRuntime,
  importModel,
  importTensors,
  onnxruntimeBackend,
  type TensorValue,
} from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { constant, float, float32, type Graph, graph } from './models.js';

const backend = onnxruntimeBackend({ workers: 1 });
const flour = await createFlour();
const runtime = createRuntime({ store: flour.store, backends: [backend] });
const { available, why } = await backend.probe();
if (!available) console.warn(`black boxes are not run: ${why}`);
afterAll(async () => {
  await runtime.close();
  await backend.dispose();
  flour.dispose();
});

/** An operator of another domain that Brezel will never support: inverse matrices. */
const inverse = (input: string, output: string): NodeProto =>
  makeNode('Inverse', [input], [output], {}, 'com.microsoft');
const file = (main: Graph, parts = {}): Uint8Array =>
  writeModel(makeModel(main, { '': 17, 'com.microsoft': 1, local: 1 }, parts));
const square = ['N', 2, 2];
const half = float32([1, 2, 2], 2, 0, 0, 4);

const load = (bytes: Uint8Array, blackBox: BlackBoxChoice = 'allow') =>
  importTensors(bytes, { flour, blackBox }).program;

async function answer(
  bytes: Uint8Array,
  inputs: Readonly<Record<string, TensorValue>>,
  blackBox?: BlackBoxChoice,
): Promise<Readonly<Record<string, TensorValue>>> {
  const registered = runtime.registerTensors(load(bytes, blackBox));
  try {
    return await runtime.predictTensors(registered, inputs);
  } finally {
    runtime.unregister(registered);
  }
}

const boxesOf = (bytes: Uint8Array, blackBox?: BlackBoxChoice) =>
  load(bytes, blackBox).blackBoxes.map(({ nodes }) => nodes.map(({ name }) => name).join(' '));

describe('which nodes', () => {
  const bytes = file(
    graph(
      [makeNode('Neg', ['x'], ['a']), inverse('a', 'b'), makeNode('Neg', ['b'], ['y'])],
      [float('x', square)],
      [float('y', square)],
    ),
  );

  test('are rejected unless they are allowed, with a hint', () => {
    expect(() => importTensors(bytes)).toThrow(
      expect.objectContaining({ code: 'ERR_ONNX_UNSUPPORTED', hint: expect.stringContaining("blackBox: 'allow'") }),
    );
    expect(() => load(bytes, 'perhaps' as never)).toThrow(expect.objectContaining({ code: 'ERR_ONNX_OPTION' }));
  });

  test('are unsupported nodes, with the reason', () => {
    const [box, ...others] = load(bytes).blackBoxes;
    expect(others).toEqual([]);
    expect(box).toMatchObject({
      name: 'black box 0 (Inverse)',
      nodes: [
        {
          name: 'b',
          operator: 'com.microsoft:Inverse',
          why: 'Brezel does not have com.microsoft:Inverse, opset 1',
        },
      ],
      inputs: [{ name: 'a', element: undefined }],
      outputs: ['b'],
    });
    expect(importModel(bytes, flour, { blackBox: 'allow' })).toMatchObject({ kind: 'tensor', program: { nodes: 3 } });
  });

  test('are all unsupported nodes, and the nodes that a function selects', () => {
    expect(boxesOf(bytes, 'prefer')).toEqual(['a b y']);
    expect(boxesOf(bytes, ({ operator }) => operator === 'Neg')).toEqual(['a b y']);
    const white = file(graph([makeNode('Neg', ['x'], ['y'])], [float('x', square)], [float('y', square)]));
    expect(boxesOf(white)).toEqual([]);
    expect(boxesOf(white, 'prefer')).toEqual(['y']);
    expect(importModel(white, flour).kind).toBe('row');
    expect(importModel(white, flour, { blackBox: 'prefer' }).kind).toBe('tensor');
  });

  test('form as few boxes as possible, without a path that leaves a box and returns to it', () => {
    // x ─▶ I1 ─▶ Neg ─▶ I2 ─▶ y          One box contains I1 and I3,
    // └──▶ I3 ───┴────▶ Add ─▶ I4 ─▶ z   the other contains I2 and I4.
    const nodes = [
      inverse('x', 'i1'),
      makeNode('Neg', ['i1'], ['n']),
      inverse('n', 'i2'),
      inverse('x', 'i3'),
      makeNode('Add', ['n', 'i3'], ['s']),
      inverse('s', 'i4'),
    ];
    const bytes = file(graph(nodes, [float('x', square)], [float('i2', square), float('i4', square)]));
    expect(boxesOf(bytes)).toEqual(['i1 i3', 'i2 i4']);
  });

  test('unused nodes form no separate box', () => {
    const dead = file(
      graph([makeNode('Neg', ['x'], ['y']), inverse('x', 'unused')], [float('x', square)], [float('y', square)]),
    );
    expect(boxesOf(dead)).toEqual([]);
  });
});

describe.skipIf(!available)('answers', () => {
  test('of supported nodes before and after a box', async () => {
    const bytes = file(
      graph(
        [makeNode('Neg', ['x'], ['a']), inverse('a', 'b'), makeNode('Neg', ['b'], ['y'])],
        [float('x', square)],
        [float('y', square), float('b', square)],
      ),
    );
    expect(await answer(bytes, { x: half })).toEqual({
      y: float32([1, 2, 2], 0.5, 0, 0, 0.25),
      b: float32([1, 2, 2], -0.5, -0, -0, -0.25),
    });
  });

  test('constants and parameters belong to the box that reads them', async () => {
    const nodes = [
      constant('c', float32([2, 2], 2, 2, 2, 2)),
      makeNode('Mul', ['x', 'c'], ['a']),
      inverse('a', 'b'),
      makeNode('Mul', ['b', 'w'], ['y']),
    ];
    const w = makeTensor('w', 'float32', [1], Float32Array.of(8));
    const main = graph(nodes, [float('x', square)], [float('y', square)], { initializer: [w] });
    const wish: BlackBoxChoice = ({ operator }) => operator === 'Mul';
    expect(load(file(main), wish).constantBytes, 'only the constant node is read here').toBe(16);
    expect(await answer(file(main), { x: half }, wish)).toEqual({ y: float32([1, 2, 2], 2, 0, 0, 1) });
    const old = { irVersion: 3 };
    const input = [float('x', square), float('w', [1])];
    expect(await answer(file({ ...main, input }, old), { x: half }, wish)).toEqual({
      y: float32([1, 2, 2], 2, 0, 0, 1),
    });
  });

  test('an input with a default can be replaced', async () => {
    const w = makeTensor('w', 'float32', [1], Float32Array.of(8));
    const bytes = file(
      graph(
        [inverse('x', 'b'), makeNode('Mul', ['b', 'w'], ['y'])],
        [float('x', square), float('w', [1])],
        [float('y', square)],
        { initializer: [w] },
      ),
    );
    expect(await answer(bytes, { x: half }, 'prefer')).toEqual({ y: float32([1, 2, 2], 4, 0, 0, 2) });
    const replaced = { x: half, w: float32([1], 16) };
    expect(await answer(bytes, replaced, 'prefer')).toEqual({ y: float32([1, 2, 2], 8, 0, 0, 4) });
  });

  test('functions and subgraphs with an unsupported node are boxed completely', async () => {
    const twice = makeFunction(
      'local',
      'Back',
      { input: ['v'], output: ['w'], node: [inverse('v', 'u'), inverse('u', 'w')] },
      { 'com.microsoft': 1 },
    );
    const branch = (node: NodeProto, name: string) => graph([node], [], [float(name, square)]);
    const nodes = [
      makeNode('Neg', ['x'], ['a']),
      makeNode('Back', ['a'], ['b'], {}, 'local'),
      makeNode('ReduceMax', ['x'], ['most'], { keepdims: { i: 0 } }),
      makeNode('Greater', ['most', 'three'], ['c']),
      makeNode('If', ['c'], ['y'], {
        then_branch: { g: branch(inverse('a', 't'), 't') },
        else_branch: { g: branch(makeNode('Neg', ['b'], ['e']), 'e') },
      }),
    ];
    const three = makeTensor('three', 'float32', [], Float32Array.of(3));
    const bytes = file(graph(nodes, [float('x', square)], [float('y', square)], { initializer: [three] }), {
      functions: [twice],
    });
    expect(boxesOf(bytes)).toEqual(['b y']);
    expect(await answer(bytes, { x: half })).toEqual({ y: float32([1, 2, 2], -0.5, -0, -0, -0.25) });
    const ones = float32([1, 2, 2], 1, 0, 0, 2);
    expect(await answer(bytes, { x: ones })).toEqual({ y: float32([1, 2, 2], 1, 0, 0, 2) });
  });

  test('parameters of element types that Brezel does not have', async () => {
    const w = {
      ...makeTensor('w', 'float32', [2], new Float32Array()),
      dataType: DataType.FLOAT8E4M3FN,
      rawData: Uint8Array.of(0x38, 0xc0), // 1 and -2
    };
    const scale = makeTensor('s', 'float32', [], Float32Array.of(0.5));
    const bytes = writeModel(
      makeModel(
        graph(
          [makeNode('DequantizeLinear', ['w', 's'], ['d']), makeNode('Mul', ['x', 'd'], ['y'])],
          [float('x', ['N', 2])],
          [float('y', ['N', 2])],
          { initializer: [w, scale] },
        ),
        { '': 19 },
        { irVersion: 9 },
      ),
    );
    expect(load(bytes).blackBoxes[0]!.nodes[0]!.why).toContain('element type');
    expect(await answer(bytes, { x: float32([1, 2], 3, 5) })).toEqual({ y: float32([1, 2], 1.5, -5) });
  });

  test('undeclared element types are the types of the values', async () => {
    const x = tensorInput('x', DataType.DOUBLE, ['N', 2]);
    const bytes = file(
      graph(
        [makeNode('Neg', ['x'], ['a']), makeNode('Abs', ['a'], ['b']), makeNode('Neg', ['b'], ['y'])],
        [x],
        [{ ...x, name: 'y' }],
      ),
    );
    const data = { element: 'float64', shape: [1, 2], data: Float64Array.of(0.1, -0.2) } as const;
    expect(await answer(bytes, { x: data }, ({ operator }) => operator === 'Abs')).toEqual({
      y: { ...data, data: Float64Array.of(-0.1, -0.2) },
    });
  });

  test('concurrent requests have separate answers', async () => {
    const bytes = file(
      graph([inverse('x', 'b'), makeNode('Neg', ['b'], ['y'])], [float('x', square)], [float('y', square)]),
    );
    const registered = runtime.registerTensors(load(bytes));
    const values = Array.from({ length: 50 }, (_, at) => 2 ** (at % 7));
    const answers = await Promise.all(
      values.map((value) => runtime.predictTensors(registered, { x: float32([1, 2, 2], value, 0, 0, value) })),
    );
    expect(answers).toEqual(values.map((value) => ({ y: float32([1, 2, 2], -1 / value, -0, -0, -1 / value) })));
    runtime.unregister(registered);
    await expect(runtime.predictTensors(registered, { x: half })).rejects.toMatchObject({
      code: 'ERR_RUNTIME_UNKNOWN_PLAN',
    });
  });
});

describe('faults', () => {
  const bytes = file(graph([inverse('x', 'y')], [float('x', ['N', 'A', 'B'])], [float('y', ['N', 'A', 'B'])]));

  test('without a backend or an installed package, the error says what to do', async () => {
    const without = createRuntime({ store: flour.store });
    expect(() => without.registerTensors(load(bytes))).toThrow(
      expect.objectContaining({
        code: 'ERR_BACKEND_MISSING',
        hint: expect.stringContaining('npm install onnxruntime-node'),
      }),
    );
    without.registerBackend(onnxruntimeBackend({ module: 'no-such-onnxruntime' }));
    const registered = without.registerTensors(load(bytes));
    await expect(without.predictTensors(registered, { x: half })).rejects.toMatchObject({
      code: 'ERR_BACKEND_MISSING',
      hint: 'npm install no-such-onnxruntime',
    });
    await without.close();
  });

  test('a program with black boxes has no synchronous answer', () => {
    expect(() => load(bytes).run([half])).toThrow(expect.objectContaining({ code: 'ERR_FLOUR_BLACK_BOX' }));
  });

  test.skipIf(!available)('invalid inputs of a box do not affect other requests', async () => {
    const ports: [Graph['input'], Graph['output']] = [[float('x', ['N', 'A', 'B'])], [float('y', ['N', 'A', 'A'])]];
    const squared = file(graph([makeNode('MatMul', ['x', 'x'], ['y'])], ...ports));
    const registered = runtime.registerTensors(load(squared, 'prefer'));
    const answers = await Promise.allSettled([
      runtime.predictTensors(registered, { x: float32([1, 1, 2], 1, 2) }),
      runtime.predictTensors(registered, { x: half }),
      runtime.predictTensors(registered, { x: half }, { signal: AbortSignal.abort(new Error('enough')) }),
    ]);
    expect(answers).toEqual([
      { status: 'rejected', reason: expect.objectContaining({ code: 'ERR_BACKEND_RUN' }) },
      { status: 'fulfilled', value: { y: float32([1, 2, 2], 4, 0, 0, 16) } },
      { status: 'rejected', reason: new Error('enough') },
    ]);
    runtime.unregister(registered);
  });

  test.skipIf(!available)('outputs of a box count toward the limit of elements', async () => {
    const registered = runtime.registerTensors(load(bytes), { maxElements: 3 });
    await expect(runtime.predictTensors(registered, { x: half })).rejects.toMatchObject({ code: 'ERR_FLOUR_LIMIT' });
    runtime.unregister(registered);
  });

  test.skipIf(!available)('the backend reports an unknown operator', async () => {
    const nobody = file(graph([makeNode('Nobody', ['x'], ['y'], {}, 'local')], [float('x', [2])], [float('y', [2])]));
    const registered = runtime.registerTensors(load(nobody));
    await expect(runtime.predictTensors(registered, { x: float32([2], 1, 2) })).rejects.toMatchObject({
      code: 'ERR_BACKEND_MODEL',
      message: expect.stringContaining('Nobody'),
    });
    runtime.unregister(registered);
  });

  test('custom backends are opened once and closed once, and have unique names', async () => {
    const calls: string[] = [];
    const other: Backend = {
      name: 'other',
      formats: ['onnx'],
      probe: async () => ({ name: 'other', available: true, formats: ['onnx'], providers: [] }),
      async open({ checksum }) {
        calls.push(`open ${checksum.length}`);
        return {
          inputs: [],
          outputs: [],
          provider: 'mine',
          device: 'cpu',
          bytes: 0,
          run: async ({ x }) => ({ y: x! }),
          dispose: async () => void calls.push('dispose'),
        };
      },
      dispose: async () => void calls.push('backend'),
    };
    const own = createRuntime({ store: flour.store, backends: [other] });
    expect(() => own.registerBackend(other)).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_BACKEND' }));
    expect(() => own.registerBackend({ name: 'half' } as never)).toThrow(/expected a backend/);
    const registered = own.registerTensors(load(bytes));
    expect(await own.predictTensors(registered, { x: half })).toEqual({ y: half });
    expect(await own.predictTensors(registered, { x: half })).toEqual({ y: half });
    await own.close();
    await new Promise(setImmediate);
    expect(calls).toEqual(['open 64', 'dispose']);
  });
});
