import { makeNode, makeTensor } from '@brezel/onnx';
import { createFlour, createRuntime, importOnnx } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { answer, bool, file, flag, float, float32, graph } from './models.js';

const values = (data: readonly number[], name = 'w') =>
  makeTensor(name, 'float32', [data.length], Float32Array.from(data));
const places = (shape: readonly number[], ...data: number[]) =>
  makeTensor('', 'int64', shape, BigInt64Array.from(data, BigInt));
type Sparse = Parameters<typeof model>[0];

/** A model that returns its sparse constant w. */
const model = (sparse: {
  values?: ReturnType<typeof values>;
  indices?: ReturnType<typeof places>;
  dims: readonly number[];
}) =>
  file(
    graph([makeNode('Identity', ['w'], ['y'])], [], [float('y', ['a', 'b'])], {
      sparseInitializer: [{ values: undefined, indices: undefined, ...sparse }],
    }),
  );

describe('sparse initializers', () => {
  test('become dense, with indices into all elements or along each axis', async () => {
    const dense = { y: float32([2, 3], 0, 5, 0, 0, 0, -1) };
    expect(await answer(model({ values: values([5, -1]), indices: places([2], 1, 5), dims: [2, 3] }))).toEqual(dense);
    const byAxes = places([2, 2], 0, 1, 1, 2);
    expect(await answer(model({ values: values([5, -1]), indices: byAxes, dims: [2, 3] }))).toEqual(dense);
  });

  test('may be empty', async () => {
    expect(await answer(model({ values: values([]), dims: [1, 2] }))).toEqual({ y: float32([1, 2], 0, 0) });
  });

  test('are found in subgraphs and Constant nodes, too', async () => {
    const sparseTensor = { values: values([7], ''), indices: places([1], 1), dims: [2] };
    const node = makeNode('Constant', [], ['v'], { value: { t: values([1]) } });
    const attribute = { ...node.attribute[0]!, name: 'sparse_value', type: 11, t: undefined, sparseTensor };
    const branch = graph([{ ...node, attribute: [attribute] }], [], [float('v', [2])]);
    const other = graph([makeNode('Identity', ['w'], ['v'])], [], [float('v', [2])], {
      sparseInitializer: [{ values: values([3]), indices: places([1], 0), dims: [2] }],
    });
    const nodes = [makeNode('If', ['c'], ['y'], { then_branch: { g: branch }, else_branch: { g: other } })];
    const whole = file(graph(nodes, [flag('c')], [float('y', [2])]));
    expect(await answer(whole, { c: bool(true) })).toEqual({ y: float32([2], 0, 7) });
    expect(await answer(whole, { c: bool(false) })).toEqual({ y: float32([2], 3, 0) });
  });

  test('can be weights of row programs', async () => {
    using flour = await createFlour();
    const runtime = createRuntime({ store: flour.store });
    afterAll(() => runtime.close());
    const bytes = file(
      graph([makeNode('MatMul', ['x', 'w'], ['y'])], [float('x', ['n', 2])], [float('y', ['n', 2])], {
        sparseInitializer: [{ values: values([2, 3]), indices: places([2], 1, 2), dims: [2, 2] }],
      }),
    );
    const plan = importOnnx(bytes, flour).program.plan();
    expect(runtime.predictSync(runtime.register(plan), { x: [1, 10] })).toEqual({ y: [30, 2] });
    plan.release();
  });

  const wrong: readonly (readonly [string, Sparse, string])[] = [
    ['without values', { dims: [2] }, 'ERR_ONNX_TENSOR'],
    ['without indices', { values: values([1]), dims: [2] }, 'ERR_ONNX_TENSOR'],
    ['a place outside', { values: values([1]), indices: places([1], 2), dims: [2] }, 'ERR_ONNX_TENSOR'],
    ['a place before', { values: values([1]), indices: places([1], -1), dims: [2] }, 'ERR_ONNX_TENSOR'],
    ['the same place twice', { values: values([1, 2]), indices: places([2], 1, 1), dims: [2] }, 'ERR_ONNX_TENSOR'],
    [
      'an index beyond its axis',
      { values: values([1]), indices: places([1, 2], 0, 3), dims: [2, 3] },
      'ERR_ONNX_TENSOR',
    ],
    [
      'indices of another shape',
      { values: values([1]), indices: places([1, 3], 0, 0, 0), dims: [2, 3] },
      'ERR_ONNX_TENSOR',
    ],
    ['a negative size', { values: values([]), dims: [-2] }, 'ERR_ONNX_TENSOR'],
    ['a size beyond memory', { values: values([1]), indices: places([1], 0), dims: [2 ** 40] }, 'ERR_ONNX_LIMIT'],
    ['sizes whose product is no number', { values: values([]), dims: [2 ** 52, 2 ** 52, 2 ** 52] }, 'ERR_ONNX_LIMIT'],
  ];
  test.each(wrong)('%s is rejected', async (_, sparse, code) => {
    await expect(answer(model(sparse))).rejects.toMatchObject({ code });
  });
});
