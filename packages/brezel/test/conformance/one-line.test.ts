import { type AttributeValue, DataType, makeGraph, makeModel, tensorInput, writeModel } from '@brezel/onnx';
import { InferenceSession, Tensor } from 'brezel/inference-session';
import { describe, expect, test } from 'vitest';
import { ml } from '../robustness/models.js';
import { ort } from './against-onnxruntime.js';

// Operators of ai.onnx.ml read a tensor [N] as one row of N features, so its axis does not count
// rows.

type Attributes = Readonly<Record<string, AttributeValue>>;

const leaves = (prefix: string): Attributes => ({
  [`${prefix}_ids`]: { ints: [0, 0] },
  [`${prefix}_nodeids`]: { ints: [1, 2] },
  [`${prefix}_treeids`]: { ints: [0, 0] },
  [`${prefix}_weights`]: { floats: [1, 5] },
});
/** A tree with one test, which reads the first feature. It accepts any number of features. */
const stump: Attributes = {
  nodes_falsenodeids: { ints: [2, 0, 0] },
  nodes_featureids: { ints: [0, 0, 0] },
  nodes_modes: { strings: ['BRANCH_LEQ', 'LEAF', 'LEAF'] },
  nodes_nodeids: { ints: [0, 1, 2] },
  nodes_treeids: { ints: [0, 0, 0] },
  nodes_truenodeids: { ints: [1, 0, 0] },
  nodes_values: { floats: [1.5, 0, 0] },
};
const labels = { classlabels_int64s: { ints: [3, 4] } };
const label = tensorInput('y0', DataType.INT64, ['A']);
const line = (name: string) => tensorInput(name, DataType.FLOAT, ['A']);
const rows = (name: string) => tensorInput(name, DataType.FLOAT, ['A', 'B']);
const operators: readonly [name: string, attributes: Attributes, outputs: readonly ReturnType<typeof line>[]][] = [
  ['TreeEnsembleRegressor', { ...stump, ...leaves('target'), n_targets: { i: 1 } }, [rows('y0')]],
  ['TreeEnsembleClassifier', { ...stump, ...leaves('class'), ...labels }, [label, rows('y1')]],
  ['FeatureVectorizer', { inputdimensions: { ints: [1] } }, [rows('y0')]],
  ['FeatureVectorizer', { inputdimensions: { ints: [3] } }, [rows('y0')]],
  ['LinearRegressor', { coefficients: { floats: [1, 2, 3] } }, [rows('y0')]],
  ['Normalizer', { norm: { s: 'MAX' } }, [line('y0')]],
  ['Scaler', { offset: { floats: [1, 2, 3] }, scale: { floats: [2, 3, 4] } }, [line('y0')]],
  ['Scaler', { offset: { floats: [1] }, scale: { floats: [2] } }, [line('y0')]],
  ['Imputer', { imputed_value_floats: { floats: [7, 8, 9] }, replaced_value_float: { f: 2 } }, [line('y0')]],
  ['Binarizer', { threshold: { f: 1.5 } }, [line('y0')]],
];

const numbers = Float32Array.of(1, 2, 4);

describe.skipIf(ort === undefined)('a tensor [N] agrees with onnxruntime', () => {
  test.each(operators)('%s %j', async (operator, attributes, output) => {
    const outputs = output.map((_, index) => `y${index}`);
    const bytes = writeModel(
      makeModel(
        makeGraph({
          node: [ml(operator, ['x'], outputs, attributes)],
          input: [tensorInput('x', DataType.FLOAT, ['N'])],
          output,
        }),
        { '': 17, 'ai.onnx.ml': 1 },
      ),
    );
    const theirs = await ort!.InferenceSession.create(bytes);
    const ours = await InferenceSession.create(bytes);
    const wanted = await theirs.run({ x: new ort!.Tensor('float32', numbers, [3]) });
    const got = await ours.run({ x: new Tensor('float32', numbers, [3]) });
    for (const name of outputs) {
      expect(got[name]?.dims, name).toEqual(wanted[name]!.dims);
      expect([...(got[name]!.data as Float32Array)].map(Number), name).toEqual(
        [...(wanted[name]!.data as Float32Array)].map(Number),
      );
    }
    await theirs.release();
    await ours.release();
  });
});
