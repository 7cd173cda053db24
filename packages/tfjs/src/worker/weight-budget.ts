import type { TensorFlow } from './tensor-flow.js';

/**
 * Builds a model whose layers may make as many weights as its files bring, and no more: layers are built before weights are looked at, and a layer
 * of a hostile file asks for any size. This worker is ours alone, and loads one model at a time, so the method can be watched meanwhile.
 */
export async function withWeightBudget<T>(tf: TensorFlow, elements: number, build: () => Promise<T>): Promise<T> {
  const { prototype } = tf.layers.Layer;
  const { addWeight } = prototype;
  let left = elements;
  prototype.addWeight = function (name, shape, ...rest) {
    left -= shape.reduce((product, size) => product * size, 1);
    if (!(left >= 0)) throw new Error(`weight ${name} of [${shape}] is more than the weight files hold`);
    return addWeight.call(this, name, shape, ...rest);
  };
  try {
    return await build();
  } finally {
    prototype.addWeight = addWeight;
  }
}
