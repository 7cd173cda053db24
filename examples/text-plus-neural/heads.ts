import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Backend,
  type BackendModel,
  createRuntime,
  type FlourContext,
  type Flow,
  onnxruntimeBackend,
  tfjsBackend,
  vector,
} from 'brezel';
import { network } from './network.js';
import { networkAsOnnx, writeAsTensorFlow } from './network-files.js';

/** The neural part, wherever it runs: rows of features, one after the other → a number a row. */
export interface Head {
  readonly where: string;
  predict(features: Float32Array<ArrayBuffer>, rows: number): Promise<ArrayLike<number>>;
  close(): Promise<void>;
}

export const headNames = ['onnxruntime', 'tfjs', 'own'] as const;
type HeadName = (typeof headNames)[number];

/** The head on a backend that is installed here, or undefined. Our own layers are always there. */
export async function openHead(name: HeadName, flour: FlourContext): Promise<Head | undefined> {
  if (name === 'own') return ownHead(flour);
  const folder = mkdtempSync(join(tmpdir(), 'brezel-head-'));
  try {
    writeAsTensorFlow(folder);
    if (name === 'tfjs')
      return await onBackend(tfjsBackend(), { format: 'tfjs-layers', path: folder, checksum: 'head' });
    return await onBackend(onnxruntimeBackend(), { format: 'onnx', bytes: networkAsOnnx(), checksum: 'head' });
  } finally {
    rmSync(folder, { recursive: true }); // an open model needs its files no more
  }
}

/** A black box: whole tensors go in and come out, off the event loop. */
async function onBackend(backend: Backend, model: BackendModel): Promise<Head | undefined> {
  const { available, why, package: library, version } = await backend.probe();
  if (!available) {
    console.log(`${backend.name} is left out: ${why}`);
    await backend.dispose();
    return undefined;
  }
  const stage = await backend.open(model);
  const [input, output] = [stage.inputs[0]!.name, stage.outputs[0]!.name];
  return {
    where: `${library} ${version}, ${stage.provider} on the ${stage.device.toUpperCase()}`,
    async predict(data, rows) {
      const answers = await stage.run({ [input]: { element: 'float32', shape: [rows, data.length / rows], data } });
      return answers[output]!.data as Float32Array;
    },
    close: () => backend.dispose(),
  };
}

/** The same network from Brezel's own layers, as a plan. */
function ownHead(flour: FlourContext): Head {
  const [{ inputs }] = network as [(typeof network)[number]];
  const features = flour.input('features', vector('float32', inputs)) as Flow<'vector'>;
  const plan = flour.program({ positive: features.mlp({ layers: network }).asScalar() }).plan();
  const runtime = createRuntime(flour);
  const handle = runtime.register(plan);
  return {
    where: 'layers of our own',
    async predict(data, rows) {
      const list = Array.from({ length: rows }, (_, row) => ({
        features: data.subarray(row * inputs, (row + 1) * inputs),
      }));
      const answers = await runtime.predictBatch(handle, list);
      return answers.map(({ positive }) => positive as number);
    },
    async close() {
      await runtime.close();
      plan.release();
    },
  };
}
