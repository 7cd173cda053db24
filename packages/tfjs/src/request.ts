import {
  type BackendPort,
  type BackendTensor,
  type BackendTensors,
  backendError,
  checkBackendTensors,
} from '@brezel/core';
import type { NamedTensor } from './messages.js';

/** The element types that TensorFlow.js supports. */
const held: readonly string[] = ['float32', 'int32', 'bool', 'string'];

/**
 * Checks the tensors of a request against the inputs of a stage, and copies them. The copies are
 * transferred to a worker; the caller owns the originals.
 *
 * @throws ERR_BACKEND_INPUT with the name of the input.
 */
export function requestOf(ports: readonly BackendPort[], inputs: BackendTensors, at: string): NamedTensor[] {
  checkBackendTensors(ports, inputs, at);
  return ports.map(({ name }) => {
    const tensor = inputs[name]!;
    const location = `${at}, input "${name}"`;
    if (!held.includes(tensor.element)) throw inputError(held.join(', '), tensor.element, location);
    if (!tensor.shape.every((size) => Number.isSafeInteger(size) && size >= 0))
      throw inputError('sizes', `shape [${tensor.shape}]`, location);
    return { name, tensor: copyOf(tensor) };
  });
}

const copyOf = (tensor: BackendTensor): BackendTensor =>
  ({ element: tensor.element, shape: [...tensor.shape], data: tensor.data.slice() }) as BackendTensor;

const inputError = (expected: string, received: string, at: string) =>
  backendError('ERR_BACKEND_INPUT', { expected, received, at });
