import { mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LayersModel, Tensor as TfTensor } from '@tensorflow/tfjs';

// Models as their tools write them. TensorFlow.js builds and saves layers models; graphs are
// written by hand.

type Tf = typeof import('@tensorflow/tfjs');
export const tf = createRequire(import.meta.url)('@tensorflow/tfjs') as Tf;
tf.enableProdMode();

export const temporaryFolder = () => mkdtempSync(join(tmpdir(), 'brezel-tfjs-'));

export interface Files {
  readonly json: Record<string, unknown>;
  readonly shards: Record<string, Uint8Array>;
}

export function writeFiles({ json, shards }: Files, folder = temporaryFolder()): string {
  writeFileSync(join(folder, 'model.json'), JSON.stringify(json));
  for (const [name, bytes] of Object.entries(shards)) writeFileSync(join(folder, name), bytes);
  return folder;
}

/**
 * Returns the files of a model: what `model.save` passes to an IO handler, with the weights in two
 * shards.
 */
export async function layersFiles(model: LayersModel): Promise<Files> {
  let files: Files | undefined;
  const save = tf.io.withSaveHandler(async (artifacts) => {
    const bytes = new Uint8Array(artifacts.weightData as ArrayBuffer);
    const half = bytes.length >> 1;
    const weightsManifest = [{ paths: ['a.bin', 'b.bin'], weights: artifacts.weightSpecs }];
    const { format, modelTopology } = artifacts;
    files = {
      json: { format, modelTopology, weightsManifest },
      shards: { 'a.bin': bytes.subarray(0, half), 'b.bin': bytes.subarray(half) },
    };
    return { modelArtifactsInfo: { dateSaved: new Date(0), modelTopologyType: 'JSON' } };
  });
  await model.save(save);
  return files!;
}

/** Builds a network of sizes 4 → 6 (relu) → 3 (softmax). */
export function perceptron(): LayersModel {
  return tf.sequential({
    layers: [
      tf.layers.dense({
        name: 'hidden',
        units: 6,
        inputShape: [4],
        activation: 'relu',
        biasInitializer: 'randomNormal',
      }),
      tf.layers.dense({ name: 'head', units: 3, activation: 'softmax', biasInitializer: 'randomNormal' }),
    ],
  });
}

/**
 * Returns the weights of each dense layer for Brezel's `mlp`. TensorFlow.js and Brezel both store
 * weights in feature-major order.
 */
export function denseLayers(model: LayersModel): { weights: Float32Array; bias: Float32Array }[] {
  const numbers = (model.getWeights() as TfTensor[]).map((weight) => weight.dataSync() as Float32Array);
  return numbers.flatMap((weights, index) => (index % 2 === 0 ? [{ weights, bias: numbers[index + 1]! }] : []));
}

const shape = (sizes: readonly number[]) => ({ dim: sizes.map((size) => ({ size: String(size) })) });
const float = { type: 'DT_FLOAT' };

/**
 * Returns the files of y = x times a matrix, plus a bias. The input has no declared shape, so that
 * TensorFlow itself detects a mismatch.
 */
export function graphFiles(weights: readonly number[], bias: readonly number[]): Files {
  const [inputs, outputs] = [weights.length / bias.length, bias.length];
  const constant = (name: string, sizes: readonly number[]) => ({
    name,
    op: 'Const',
    attr: { dtype: float, value: { tensor: { dtype: 'DT_FLOAT', tensorShape: shape(sizes) } } },
  });
  const node = [
    { name: 'x', op: 'Placeholder', attr: { dtype: float, shape: { shape: shape([-1, -1]) } } },
    constant('weights', [inputs, outputs]),
    constant('bias', [outputs]),
    { name: 'product', op: 'MatMul', input: ['x', 'weights'], attr: { T: float } },
    { name: 'sum', op: 'BiasAdd', input: ['product', 'bias'], attr: { T: float } },
    { name: 'zero', op: 'ZerosLike', input: ['sum'], attr: { T: float } },
    { name: 'positive', op: 'Greater', input: ['sum', 'zero'], attr: { T: float } },
    { name: 'places', op: 'Where', input: ['positive'], attr: {} },
  ];
  const spec = (name: string, sizes: readonly number[]) => ({ name, shape: sizes, dtype: 'float32' });
  const tensor = (name: string, dtype: string, sizes: readonly number[]) => ({
    name,
    dtype,
    tensorShape: shape(sizes),
  });
  return {
    json: {
      format: 'graph-model',
      modelTopology: { node, library: {}, versions: {} },
      signature: {
        inputs: { features: tensor('x:0', 'DT_FLOAT', [-1, -1]) },
        outputs: {
          scores: tensor('sum:0', 'DT_FLOAT', [-1, outputs]),
          signs: tensor('positive:0', 'DT_BOOL', [-1, outputs]),
          places: tensor('places:0', 'DT_INT64', [-1, 2]),
        },
      },
      weightsManifest: [{ paths: ['w.bin'], weights: [spec('weights', [inputs, outputs]), spec('bias', [outputs])] }],
    },
    shards: { 'w.bin': new Uint8Array(Float32Array.from([...weights, ...bias]).buffer) },
  };
}
