import { readArtifacts } from '../files/artifacts.js';
import type { ModelRef } from '../messages.js';
import type { OpenModel } from './open-model.js';
import { distinct, portOf } from './ports.js';
import type { TensorFlow, TfSymbol } from './tensor-flow.js';
import { withWeightBudget } from './weight-budget.js';

/** Opens a Keras model, as `model.save('file://...')` or tensorflowjs_converter writes it. */
export async function openLayersModel(tf: TensorFlow, { path, maxBytes }: ModelRef): Promise<OpenModel> {
  const { artifacts, digest, bytes } = readArtifacts(path, 'tfjs-layers', maxBytes);
  const elements = artifacts.weightSpecs.reduce((sum, { shape }) => sum + shape.reduce((a, b) => a * b, 1), 0);
  const model = await withWeightBudget(tf, elements, () => tf.loadLayersModel({ load: async () => artifacts }));
  const inputs = distinct(model.inputs.map(layerOf));
  const outputs = distinct(model.outputs.map(layerOf));
  return {
    inputs: inputs.map((name, index) => portOf(name, model.inputs[index]!)),
    outputs: outputs.map((name, index) => portOf(name, model.outputs[index]!)),
    bytes,
    digest,
    async run(feed, wanted) {
      const tensors = inputs.map((name) => feed[name]!);
      const answers = [model.predictOnBatch(tensors.length === 1 ? tensors[0]! : tensors)].flat();
      return wanted.map((name) => answers[outputs.indexOf(name)]!);
    },
    dispose: () => model.dispose(),
  };
}

/**
 * Returns the name of an input or output: the name of its layer. The field `inputNames` of the
 * model cannot be used, because a sequential model lacks it before its first request.
 */
const layerOf = ({ name, sourceLayer }: TfSymbol) => sourceLayer?.name ?? name;
