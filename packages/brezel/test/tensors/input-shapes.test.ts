import { sizeOf } from '@brezel/core';
import { makeGraph, makeModel, makeNode, makeTensor, type NodeProto, writeModel } from '@brezel/onnx';
import { type Answer, createFlour, createRuntime, importModel, importOnnx, type Row } from 'brezel';
import { InferenceSession, Tensor as OrtTensor } from 'onnxruntime-node';
import { afterAll, describe, expect, test } from 'vitest';
import { constant, file, float, float32, graph, int64 } from './models.js';

const flour = await createFlour();
const runtime = createRuntime({ store: flour.store });
afterAll(async () => {
  await runtime.close();
  flour.dispose();
});

const ml = (node: readonly NodeProto[], initializer: Parameters<typeof makeGraph>[0]['initializer'] = []) =>
  writeModel(
    makeModel(
      makeGraph({ name: 'm', input: [open('x')], output: [float('y', [])].map(noShape), node: [...node], initializer }),
      { '': 17, 'ai.onnx.ml': 3, 'com.microsoft': 1 },
    ),
  );

/** An input `[?, ?]`, as skl2onnx writes it for `FloatTensorType([None, None])`. */
const open = (name: string) => ({
  ...float(name, []),
  type: {
    ...float(name, []).type!,
    tensorType: { elemType: 1, shape: { dim: [free, free] } },
  },
});
const free = { dimValue: undefined, dimParam: undefined, denotation: '' };
const noShape = (port: ReturnType<typeof float>) => ({
  ...port,
  type: { ...port.type!, tensorType: { elemType: 1, shape: undefined } },
});

/** Returns the answers of Brezel and of onnxruntime as flat lists of numbers, and the model. */
async function both(bytes: Uint8Array, rows: readonly (readonly number[])[]) {
  const model = importOnnx(bytes, flour);
  const plan = model.program.plan();
  const registered = runtime.register(plan);
  plan.release();
  try {
    const answers = await runtime.predictBatch(
      registered,
      rows.map((x) => ({ x }) as Row),
    );
    const session = await InferenceSession.create(bytes, { logSeverityLevel: 4 });
    const tensor = new OrtTensor('float32', Float32Array.from(rows.flat()), [rows.length, rows[0]!.length]);
    const theirs = await session.run({ x: tensor });
    return {
      model,
      ours: answers.flatMap((answer: Answer) => [answer.y].flat(2)),
      theirs: Array.from(theirs.y!.data as Float32Array, Number),
    };
  } finally {
    runtime.unregister(registered);
  }
}

const rows = [
  [1, 2, 3],
  [-4, 0.5, 6],
];
const weights = makeTensor('w', 'float32', [3, 2], Float32Array.of(1, 2, 3, 4, 5, 6));
const turned = makeTensor('t', 'float32', [2, 3], Float32Array.of(1, 3, 5, 2, 4, 6));
const line = makeTensor('l', 'float32', [3], Float32Array.of(10, 20, 30));
const one = makeTensor('o', 'float32', [1], Float32Array.of(2));
const scaler = { offset: { floats: [1, 2, 3] }, scale: { floats: [1, 0.5, 2] } };
const tree = {
  nodes_treeids: { ints: [0n, 0n, 0n] },
  nodes_nodeids: { ints: [0n, 1n, 2n] },
  nodes_featureids: { ints: [1n, 7n, 0n] },
  nodes_modes: { strings: ['BRANCH_LEQ', 'LEAF', 'LEAF'] },
  nodes_values: { floats: [1, 0, 0] },
  nodes_truenodeids: { ints: [1n, 0n, 0n] },
  nodes_falsenodeids: { ints: [2n, 0n, 0n] },
  target_treeids: { ints: [0n, 0n] },
  target_nodeids: { ints: [1n, 2n] },
  target_ids: { ints: [0n, 0n] },
  target_weights: { floats: [5, 9] },
  n_targets: { i: 1n },
};
const learned = (name: string, attributes: Parameters<typeof makeNode>[3], input = 'x') =>
  makeNode(name, [input], ['y'], attributes, 'ai.onnx.ml');

describe('inputs of shape [?, ?]', () => {
  test.each<[string, Uint8Array]>([
    ['MatMul', ml([makeNode('MatMul', ['x', 'w'], ['y'])], [weights])],
    ['Gemm', ml([makeNode('Gemm', ['x', 't'], ['y'], { transB: { i: 1n } })], [turned])],
    ['Sub', ml([makeNode('Sub', ['x', 'l'], ['y'])], [line])],
    ['Scaler', ml([learned('Scaler', scaler)])],
    [
      'Imputer',
      ml([learned('Imputer', { imputed_value_floats: { floats: [7, 8, 9] }, replaced_value_float: { f: 1 } })]),
    ],
    ['LinearRegressor', ml([learned('LinearRegressor', { coefficients: { floats: [1, 2, 3] } })])],
    [
      'LinearRegressor of two targets',
      ml([learned('LinearRegressor', { coefficients: { floats: [1, 2, 3, 4, 5, 6] }, targets: { i: 2n } })]),
    ],
    [
      'a chain',
      ml(
        [makeNode('Mul', ['x', 'o'], ['a']), makeNode('Relu', ['a'], ['b']), makeNode('MatMul', ['b', 'w'], ['y'])],
        [one, weights],
      ),
    ],
    ['a constant node', ml([constant('c', float32([1, 3], 1, 2, 3)), makeNode('Add', ['x', 'c'], ['y'])])],
  ])('%s determines the number of columns', async (_, bytes) => {
    const { model, ours, theirs } = await both(bytes, rows);
    expect(ours).toEqual(theirs);
    expect(model.warnings.join()).not.toContain('declares no number of columns');
    expect(model.program.inputs[0]!.type).toMatchObject({ size: 3 });
  });

  test.each<[string, Uint8Array]>([
    ['trees', ml([learned('TreeEnsembleRegressor', tree)])],
    [
      'selected columns',
      ml([constant('i', int64([2], 1, 0)), makeNode('Gather', ['x', 'i'], ['y'], { axis: { i: 1n } })]),
    ],
  ])('%s read two columns: a warning says so, and shapes has the last word', async (_, bytes) => {
    const two = await both(bytes, [
      [1, 2],
      [-4, 0.5],
    ]);
    expect(two.ours).toEqual(two.theirs);
    expect(two.model.warnings.join()).toMatch(
      /input "x" declares no number of columns: the model reads 2;.*--shape x=N/,
    );
    const wide = importOnnx(bytes, flour, { shapes: { x: [null, 5] } });
    expect(wide.program.inputs[0]!.type).toMatchObject({ size: 5 });
    expect(wide.warnings).toEqual([]);
  });

  test('an exact width takes precedence over a minimum width', async () => {
    const bytes = ml(
      [
        constant('i', int64([1], 0)),
        makeNode('Gather', ['x', 'i'], ['g'], { axis: { i: 1n } }),
        makeNode('Sub', ['x', 'l'], ['s']),
        makeNode('Add', ['s', 'g'], ['y']),
      ],
      [line],
    );
    const { model, ours, theirs } = await both(bytes, rows);
    expect(ours).toEqual(theirs);
    expect(model.warnings).toEqual([]);
  });

  test('a classifier of two labels without intercepts may have one score or two: its width is unknown', () => {
    const two = { coefficients: { floats: [1, 2, 3, 4] }, classlabels_ints: { ints: [0n, 1n] } };
    const bytes = ml([makeNode('LinearClassifier', ['x'], ['label', 'y'], two, 'ai.onnx.ml')]);
    expect(() => importOnnx(bytes, flour)).toThrow(expect.objectContaining({ code: 'ERR_ONNX_SHAPE' }));
    const three = { ...two, coefficients: { floats: [1, 2, 3, 4, 5, 6] }, classlabels_ints: { ints: [0n, 1n, 2n] } };
    const model = importOnnx(ml([makeNode('LinearClassifier', ['x'], ['label', 'y'], three, 'ai.onnx.ml')]), flour);
    expect(model.program.inputs.map(({ type }) => sizeOf(type))).toEqual([2]);
  });

  test('without weights, the error names the option', () => {
    const bytes = ml([makeNode('Relu', ['x'], ['y'])]);
    expect(() => importOnnx(bytes, flour)).toThrow(
      expect.objectContaining({
        code: 'ERR_ONNX_SHAPE',
        hint: expect.stringContaining('{ shapes: { "x": [null, size] } }'),
      }),
    );
    expect(importModel(bytes, flour).kind).toBe('tensor');
    expect(importModel(bytes, flour, { shapes: { x: [null, 3] } }).kind).toBe('row');
  });

  test.each<[string, unknown, RegExp]>([
    ['an unknown input', { z: [null, 3] }, /one of the inputs x.*"z"/],
    ['other axes', { x: [null, 3, 4] }, /2 axes, as in the file.*shapes.x.*3/],
    ['no list', { x: 3 }, /a list of positive whole numbers/],
    ['a zero', { x: [null, 0] }, /a list of positive whole numbers/],
    ['no object', [1], /an object of shapes/],
  ])('shapes with %s are refused', (_, shapes, message) => {
    const bytes = ml([makeNode('Relu', ['x'], ['y'])]);
    expect(() => importOnnx(bytes, flour, { shapes: shapes as never })).toThrow(message);
    expect(() => importModel(bytes, flour, { shapes: shapes as never })).toThrow(message);
  });

  test('a size that the file declares cannot change', () => {
    const bytes = file(graph([makeNode('Relu', ['x'], ['y'])], [float('x', ['N', 3])], [float('y', ['N', 3])]));
    expect(() => importOnnx(bytes, flour, { shapes: { x: [null, 4] } })).toThrow(/3 along axis 1, as in the file/);
    expect(importOnnx(bytes, flour, { shapes: { x: [null, 3] } }).program.inputs).toHaveLength(1);
  });
});

describe('outputs', () => {
  test.each<[string, Parameters<typeof constant>[1], unknown]>([
    ['a list', float32([2], 1.5, -2), [1.5, -2]],
    ['a number', int64([], 7), 7],
    ['a table', float32([2, 2], 1, 2, 3, 4), [1, 2, 3, 4]],
  ])('%s that is the same for all rows is the answer of each row', async (_, value, expected) => {
    const bytes = file(
      graph(
        [constant('c', value), makeNode('Relu', ['x'], ['y'])],
        [float('x', ['N', 2])],
        [float('y', ['N', 2]), value.element === 'int64' ? { ...float('c', []), type: undefined } : float('c', [])],
      ),
    );
    const model = importModel(bytes, flour);
    if (model.kind !== 'row') throw model.why;
    const plan = model.program.plan();
    const registered = runtime.register(plan);
    plan.release();
    const answers = await runtime.predictBatch(registered, [{ x: [1, -2] }, { x: [-3, 4] }]);
    for (const { c } of answers) expect([c].flat(2)).toEqual([expected].flat());
    expect(answers.map(({ y }) => y)).toEqual([
      [1, 0],
      [0, 4],
    ]);
    expect(model.outputLayouts.c).toEqual({ shape: value.shape, axis: undefined, element: value.element });
    runtime.unregister(registered);
  });

  test('with another number of rows give a tensor program with a warning', () => {
    const bytes = file(
      graph(
        [constant('s', int64([2], -1, 2)), makeNode('Reshape', ['x', 's'], ['y'])],
        [float('x', ['N', 6])],
        [float('y', ['M', 2])],
      ),
    );
    const model = importModel(bytes, flour);
    expect(model.kind).toBe('tensor');
    expect(model.warnings.join()).toMatch(/output "y" has 3 rows for each row of the inputs: the exporter probably/);
    expect(() => importOnnx(bytes, flour)).toThrow(/3 rows for each row/);
  });
});
