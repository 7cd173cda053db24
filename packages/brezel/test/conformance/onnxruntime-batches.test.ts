import {
  DataType,
  makeGraph,
  makeModel,
  makeNode,
  makeTensor,
  type NodeProto,
  tensorInput,
  writeModel,
} from '@brezel/onnx';
import { createFlour, createRuntime, importModel, type Tensor } from 'brezel';
import { describe, expect, test } from 'vitest';
import { expectAsOnnxruntime, mlNode, ort } from './against-onnxruntime.js';

// Nodes that look like row operators, but use the whole batch. Tensor programs give the answers and
// shapes of onnxruntime.

const pool = { kernel_shape: { ints: [2, 2] }, strides: { ints: [2, 1] } };
const linear = {
  coefficients: { floats: [1, 0.5, -1, 2, 0, 1, 1, -2] },
  intercepts: { floats: [0.5, 0.25] },
  classlabels_ints: { ints: [3, 7] },
};
const batched: readonly [name: string, node: NodeProto, shape: readonly number[]][] = [
  ['indices of MaxPool count from the first row on', makeNode('MaxPool', ['x'], ['y', 'i'], pool), [3, 2, 4, 3]],
  ['... of one row, too', makeNode('MaxPool', ['x'], ['y', 'i'], { ...pool, storage_order: { i: 1 } }), [1, 2, 4, 3]],
  ['Normalizer of [C]', mlNode('Normalizer', { norm: { s: 'L1' } }), [4]],
  ['LinearClassifier of [C]', mlNode('LinearClassifier', linear, ['l', 'y']), [4]],
  [
    'FeatureVectorizer takes as many as it says',
    mlNode('FeatureVectorizer', { inputdimensions: { ints: [2] } }),
    [3, 5],
  ],
  ['... and zeros beyond', mlNode('FeatureVectorizer', { inputdimensions: { ints: [7] } }), [3, 5]],
  ['... of rows with several axes', mlNode('FeatureVectorizer', { inputdimensions: { ints: [5] } }), [2, 3, 2]],
  ['... of [C]', mlNode('FeatureVectorizer', { inputdimensions: { ints: [3] } }), [4]],
];

/** Returns a file that leaves the first axis open. */
function fileOf(node: NodeProto, shape: readonly number[]): Uint8Array {
  const output = node.output.map((name) => tensorInput(name, name === 'y' ? DataType.FLOAT : DataType.INT64, []));
  for (const { type } of output) Object.assign(type!.tensorType!, { shape: undefined });
  const input = [tensorInput('x', DataType.FLOAT, ['N', ...shape.slice(1)])];
  return writeModel(makeModel(makeGraph({ node: [node], input, output }), { '': 17, 'ai.onnx.ml': 3 }));
}

const floats = (shape: readonly number[]) =>
  Float32Array.from({ length: shape.reduce((all, size) => all * size, 1) }, (_, at) => ((at * 7) % 11) / 4 - 1);

describe.skipIf(ort === undefined)('operators over the whole batch agree with onnxruntime', () => {
  test.each(batched)('%s', async (_, node, shape) => {
    const bytes = fileOf(node, shape);
    const session = await ort!.InferenceSession.create(bytes, { logSeverityLevel: 4 });
    const wanted = await session.run({ x: new ort!.Tensor('float32', floats(shape), shape) });
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store });
    const model = importModel(bytes, flour);
    if (model.kind !== 'tensor') throw new Error('it is a program by rows');
    const given: Tensor = { element: 'float32', shape, data: floats(shape) };
    const answers = await runtime.predictTensors(runtime.registerTensors(model.program), { x: given });
    for (const name of node.output) {
      const { element, shape: dims, data } = answers[name] as Tensor;
      const { type, dims: wantedDims, data: want } = wanted[name]!;
      expect({ element, dims }, name).toEqual({ element: type, dims: wantedDims });
      Array.from(want as Float32Array, Number).forEach((value, at) => {
        expect(Number(data[at]), `${name}[${at}]`).toBeCloseTo(value, 5);
      });
    }
  });
});

const nan = Number.NaN;
const modes = ['LEQ', 'LT', 'GTE', 'GT', 'EQ', 'NEQ'] as const;
const rows = [
  [nan, 1],
  [0.2, nan],
  [nan, nan],
  [1, 3],
  [Number.POSITIVE_INFINITY, 3],
];

describe.skipIf(ort === undefined)('NaN at a branch takes the side that onnxruntime takes', () => {
  for (const first of modes)
    for (const second of modes)
      for (const missing of [undefined, [0, 0, 0, 0, 0], [1, 0, 0, 0, 0], [1, 1, 0, 0, 0]]) {
        const attributes = {
          nodes_treeids: { ints: [0, 0, 0, 0, 0] },
          nodes_nodeids: { ints: [0, 1, 2, 3, 4] },
          nodes_featureids: { ints: [0, 1, 0, 0, 0] },
          nodes_values: { floats: [0.2, 3, 0, 0, 0] },
          nodes_modes: { strings: [`BRANCH_${first}`, `BRANCH_${second}`, 'LEAF', 'LEAF', 'LEAF'] },
          nodes_truenodeids: { ints: [1, 2, 0, 0, 0] },
          nodes_falsenodeids: { ints: [4, 3, 0, 0, 0] },
          ...(missing && { nodes_missing_value_tracks_true: { ints: missing } }),
          target_treeids: { ints: [0, 0, 0] },
          target_nodeids: { ints: [2, 3, 4] },
          target_ids: { ints: [0, 0, 0] },
          target_weights: { floats: [1, 2, 4] },
          n_targets: { i: 1 },
        };
        const tree5 = {
          nodes_featureids: { ints: [0, 1] },
          nodes_splits: { t: makeTensor('', 'float32', [2], Float32Array.of(0.2, 3)) },
          nodes_modes: {
            t: {
              ...makeTensor('', 'int32', [2], Int32Array.of(modes.indexOf(first), modes.indexOf(second))),
              dataType: DataType.UINT8,
            },
          },
          nodes_truenodeids: { ints: [1, 0] },
          nodes_trueleafs: { ints: [0, 1] },
          nodes_falsenodeids: { ints: [2, 1] },
          nodes_falseleafs: { ints: [1, 1] },
          ...(missing && { nodes_missing_value_tracks_true: { ints: missing.slice(0, 2) } }),
          leaf_targetids: { ints: [0, 0, 0] },
          leaf_weights: { t: makeTensor('', 'float32', [3], Float32Array.of(1, 2, 4)) },
          tree_roots: { ints: [0] },
          n_targets: { i: 1 },
        };
        test(`${first}, ${second}, missing values true at [${missing ?? ''}]`, async () => {
          const asked = { inputs: { x: { type: 'float32', rows } }, outputs: { y: 'float32' } } as const;
          await expectAsOnnxruntime({ ...asked, nodes: [mlNode('TreeEnsembleRegressor', attributes)] });
          await expectAsOnnxruntime({ ...asked, nodes: [mlNode('TreeEnsemble', tree5)], opset: 5 });
        });
      }
});
