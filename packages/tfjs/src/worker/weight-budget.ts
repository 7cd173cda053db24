import type { TensorFlow } from './tensor-flow.js';

/**
 * Calls `build`, which creates the layers of a model. Throws if the layers create weights with more
 * elements than the files contain.
 *
 * Layers are built before weights are read, so a layer of a hostile file could allocate memory of
 * any size. Only Brezel uses the worker, and it loads one model at a time. Therefore this function
 * can temporarily replace the method with which layers create weights.
 */
export async function withWeightBudget<T>(tf: TensorFlow, elements: number, build: () => Promise<T>): Promise<T> {
  const { prototype } = tf.layers.Layer;
  const { addWeight } = prototype;
  let left = elements;
  prototype.addWeight = function (name, shape, ...rest) {
    left -= shape.reduce((product, size) => product * size, 1);
    if (!(left >= 0)) throw new Error(`weight ${name} of [${shape}] is larger than the weight files`);
    return addWeight.call(this, name, shape, ...rest);
  };
  try {
    return await build();
  } finally {
    prototype.addWeight = addWeight;
  }
}
