import { createRequire } from 'node:module';
import type { LibraryFacts, LibraryRef } from '../messages.js';
import { inScope } from './scope.js';
import type { TensorFlow } from './tensor-flow.js';

let library: Promise<TensorFlow> | undefined;

/**
 * Returns the library of this worker. The first task loads the library. A worker never loads two
 * libraries, because they would share one engine.
 */
export function loaded(ref: LibraryRef): Promise<TensorFlow> {
  library ??= load(ref);
  return library;
}

async function load({ file }: LibraryRef): Promise<TensorFlow> {
  const tf = createRequire(import.meta.url)(file) as TensorFlow;
  tf.enableProdMode(); // disables NaN checks of every tensor, and hints on the console
  await tf.ready();
  return tf;
}

/** Returns the memory of the library if it is loaded; never loads the library. */
export async function memoryFacts() {
  if (library === undefined) return { tensors: 0, bytes: 0 };
  const { numTensors, numBytes } = (await library).memory();
  return { tensors: numTensors, bytes: numBytes };
}

/** Builds a small model, runs it, and checks the answer 1 * 1 + 2 * 1. */
export async function probeLibrary(ref: LibraryRef): Promise<LibraryFacts> {
  const tf = await loaded(ref);
  await inScope(tf, async () => {
    const layer = tf.layers.dense({ units: 1, inputShape: [2], kernelInitializer: 'ones' });
    const model = tf.sequential({ layers: [layer] });
    const [answer] = [model.predictOnBatch(tf.tensor(Float32Array.of(1, 2), [1, 2], 'float32'))].flat();
    const [value] = await answer!.data();
    model.dispose();
    if (value !== 3) throw new Error(`a small model answered ${value} instead of 3`);
    return { value };
  });
  return {
    version: tf.version.tfjs ?? tf.version['tfjs-core'] ?? 'unknown',
    device: tf.backend().isUsingGpuDevice === true ? 'gpu' : 'cpu',
    savedModels: tf.node !== undefined,
  };
}
