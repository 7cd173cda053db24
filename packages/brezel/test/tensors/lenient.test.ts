import { DataType, makeGraph, makeModel, makeNode, tensorInput, writeModel } from '@brezel/onnx';
import { createFlour, createRuntime, importModel, importOnnx } from 'brezel';
import { describe, expect, test } from 'vitest';
import { answer, constant, file, float, float32, graph, int64 } from './models.js';

// Files that the checker of ONNX rejects and onnxruntime accepts. Exporters and optimizers write
// such files.

const x = float32([2, 2], 1, 2, 3, 4);

/** Returns the answers of a row program to the rows of `x`. */
async function byRows(bytes: Uint8Array): Promise<unknown> {
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store, executors: 0 });
  const { program } = importOnnx(bytes, flour);
  const plan = program.plan();
  const registered = runtime.register(plan);
  plan.release();
  const rows = [{ x: [1, 2] }, { x: [3, 4] }];
  const plain = (y: unknown) => (typeof y === 'number' ? y : Array.from(y as ArrayLike<number>));
  return (await runtime.predictBatch(registered, rows)).map(({ y }) => plain(y));
}

const ports = [[float('x', ['N', 2])], [float('y', ['N', 2])]] as const;

describe('nodes out of order', () => {
  const late = file(
    graph(
      [
        makeNode('Add', ['twice', 'one'], ['y']),
        makeNode('Mul', ['x', 'two'], ['twice']),
        constant('two', float32([], 2)),
        constant('one', float32([], 1)),
      ],
      ...ports,
    ),
  );

  test('are sorted, in row programs and tensor programs', async () => {
    expect(await byRows(late)).toEqual([
      [3, 5],
      [7, 9],
    ]);
    expect(await answer(late, { x })).toEqual({ y: float32([2, 2], 3, 5, 7, 9) });
  });

  test('an omitted input does not depend on an omitted output', async () => {
    const nodes = [
      makeNode('Clip', ['x', '', 'most'], ['cut']),
      makeNode('Dropout', ['cut'], ['y', '']),
      constant('most', float32([], 3)),
    ];
    expect(await answer(file(graph(nodes, ...ports)), { x })).toEqual({ y: float32([2, 2], 1, 2, 3, 3) });
  });

  test('a cycle is rejected by every importer', async () => {
    const cycle = file(
      graph([makeNode('Add', ['x', 'b'], ['a']), makeNode('Add', ['x', 'a'], ['b'])], [ports[0][0]], [float('b', [2])]),
    );
    using flour = await createFlour();
    expect(() => importModel(cycle, flour)).toThrow(/value "[ab]" before its user/);
    await expect(answer(cycle, { x })).rejects.toThrow(/value "[ab]" before its user/);
  });
});

describe('operator sets', () => {
  const model = (opsets: Readonly<Record<string, number>>) =>
    writeModel(
      makeModel(
        makeGraph({
          node: [
            makeNode('Binarizer', ['x'], ['cut'], { threshold: { f: 1.5 } }, 'ai.onnx.ml'),
            makeNode('Neg', ['cut'], ['y']),
          ],
          input: [tensorInput('x', DataType.FLOAT, ['N', 2])],
          output: [tensorInput('y', DataType.FLOAT, ['N', 2])],
        }),
        opsets,
      ),
    );

  test('of onnxruntime need no declaration beside others', async () => {
    expect(await byRows(model({ '': 17 }))).toEqual([
      [-0, -1],
      [-1, -1],
    ]);
    expect(await answer(model({ '': 17 }), { x })).toEqual({ y: float32([2, 2], -0, -1, -1, -1) });
  });

  test('a file without operator sets is rejected', async () => {
    using flour = await createFlour();
    expect(() => importModel(model({}), flour)).toThrow(/operator set for domain/);
    expect(() => importModel(model({ 'ai.onnx.ml': 1 }), flour)).toThrow(/operator set for domain "ai.onnx"/);
  });
});

test('the end of a slice may exceed every integer, also in attributes of old operator sets', async () => {
  const most = 2n ** 63n - 1n;
  const slice = makeNode('Slice', ['x'], ['y'], {
    starts: { ints: [1n] },
    ends: { ints: [most] },
    axes: { ints: [1n] },
  });
  const bytes = file(graph([slice], ports[0], [float('y', ['N', 1])]), 9);
  expect(await byRows(bytes)).toEqual([[2], [4]]);
  expect(await answer(bytes, { x })).toEqual({ y: float32([2, 1], 2, 4) });
  const rows = file(
    graph(
      [
        makeNode('Shape', ['x'], ['shape']),
        makeNode('Slice', ['shape'], ['y'], {
          starts: { ints: [-1n] },
          ends: { ints: [most] },
        }),
      ],
      ports[0],
      [tensorInput('y', DataType.INT64, [1])],
    ),
    9,
  );
  expect(await answer(rows, { x })).toEqual({ y: int64([1], 2) });
});

test('classes without leaves in a forest are never the label', async () => {
  const leaves = (weights: number[], ids: number[]) =>
    makeNode(
      'TreeEnsembleClassifier',
      ['x'],
      ['y', 'scores'],
      {
        classlabels_int64s: { ints: [7, 8, 9] },
        nodes_treeids: { ints: [0, 0, 0] },
        nodes_nodeids: { ints: [0, 1, 2] },
        nodes_featureids: { ints: [0, 0, 0] },
        nodes_values: { floats: [2, 0, 0] },
        nodes_modes: { strings: ['BRANCH_LEQ', 'LEAF', 'LEAF'] },
        nodes_truenodeids: { ints: [1, 0, 0] },
        nodes_falsenodeids: { ints: [2, 0, 0] },
        class_treeids: { ints: ids.map(() => 0) },
        class_nodeids: { ints: ids.map((_, at) => 1 + (at % 2)) },
        class_ids: { ints: ids },
        class_weights: { floats: weights },
      },
      'ai.onnx.ml',
    );
  const label = (weights: number[], ids: number[]) =>
    byRows(file(graph([leaves(weights, ids)], ports[0], [tensorInput('y', DataType.INT64, ['N'])])));
  expect(await label([-1, -2], [2, 2])).toEqual([9, 9]);
  expect(await label([-1, -3, -2, -2], [1, 1, 2, 2])).toEqual([8, 9]);
});

describe('a ZipMap at the end', () => {
  const zip = (labels: string[]) =>
    makeNode('ZipMap', ['s'], ['y'], { classlabels_strings: { strings: labels } }, 'ai.onnx.ml');
  // CumSum along the rows, so that a row depends on other rows.
  const scores = makeNode('CumSum', ['x', 'axis'], ['s']);
  const model = (labels: string[]) => file(graph([constant('axis', int64([], 0)), scores, zip(labels)], ...ports));

  test('of a tensor program returns the scores, and a warning lists the labels', async () => {
    using flour = await createFlour();
    const imported = importModel(model(['a', 'b']), flour);
    expect(imported.kind).toBe('tensor');
    expect(imported.warnings).toEqual(['output "y" is a tensor with a column a label, not a map: "a", "b"']);
    expect(await answer(model(['a', 'b']), { x })).toEqual({ y: float32([2, 2], 1, 2, 4, 6) });
    const many = importModel(model(Array.from({ length: 20 }, (_, at) => `l${at}`)), flour);
    expect(many.warnings[0]).toMatch(/"l7" and 12 more$/);
  });

  test('stays a map in a row program', async () => {
    using flour = await createFlour();
    const rows = file(graph([makeNode('Neg', ['x'], ['s']), zip(['a', 'b'])], ...ports));
    expect(importModel(rows, flour)).toMatchObject({ kind: 'row', warnings: [] });
  });
});

test('coefficients of a linear classifier beyond its intercepts are not read', async () => {
  const linear = (coefficients: number[], intercepts: number[]) =>
    makeNode(
      'LinearClassifier',
      ['x'],
      ['label', 'y'],
      {
        classlabels_ints: { ints: [0, 1, 2] },
        coefficients: { floats: coefficients },
        intercepts: { floats: intercepts },
      },
      'ai.onnx.ml',
    );
  const model = (...of: Parameters<typeof linear>) =>
    file(graph([linear(...of)], [ports[0][0]], [float('y', ['N', 3])]));
  const six = [1, 0, 0, 1, 1, 1];
  using flour = await createFlour();
  const { warnings } = importOnnx(model([...six, 7, 7], [0, 0, 1]), flour);
  expect(warnings[0]).toMatch(/8 coefficients, of which 6 belong to 3 intercepts: the rest is not read$/);
  expect(await byRows(model([...six, 7, 7], [0, 0, 1]))).toEqual([
    [1, 2, 4],
    [3, 4, 8],
  ]);
  expect(() => importOnnx(model(six.slice(1), [0, 0, 1]), flour)).toThrow(/5 coefficients for 2 features/);
});
