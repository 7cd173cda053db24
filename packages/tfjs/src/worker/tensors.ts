import type { BackendTensor } from '@brezel/core';
import type { NamedTensor } from '../messages.js';
import type { TensorFlow, TfTensor } from './tensor-flow.js';

/**
 * Converts the tensors of a request to tensors of the library. Brezel and the library have the same
 * names and typed arrays for float32, int32, bool and string.
 */
export const feedOf = (tf: TensorFlow, inputs: readonly NamedTensor[]): Record<string, TfTensor> =>
  Object.fromEntries(
    inputs.map(({ name, tensor: { data, shape, element } }) => [name, tf.tensor(data as never, shape, element)]),
  );

/**
 * Returns a copy of an output, because the array of the library may be a weight, or several outputs
 * may share it.
 */
export async function answerOf(name: string, tensor: TfTensor | undefined): Promise<NamedTensor> {
  if (tensor === undefined) throw new Error(`the model has no output "${name}"`);
  const data = (await tensor.data()).slice();
  if (!(tensor.dtype in ELEMENTS)) throw new Error(`output "${name}" is ${tensor.dtype}`);
  return { name, tensor: { element: tensor.dtype, shape: [...tensor.shape], data } as BackendTensor };
}

const ELEMENTS = { float32: true, int32: true, bool: true, string: true };
