import {
  type BackendPort,
  type BackendTensor,
  type BackendTensors,
  backendError,
  checkBackendTensors,
} from '@brezel/core';
import type { NamedTensor } from './messages.js';

/** Elements that TensorFlow.js has, too. */
const held: readonly string[] = ['float32', 'int32', 'bool', 'string'];

/**
 * The tensors of a request, checked against the inputs of a stage and copied: the copies are given to a worker, the caller keeps its own.
 *
 * @throws ERR_BACKEND_INPUT naming the input.
 */
export function requestOf(ports: readonly BackendPort[], inputs: BackendTensors, at: string): NamedTensor[] {
  checkBackendTensors(ports, inputs, at);
  return ports.map(({ name }) => {
    const tensor = inputs[name]!;
    const place = `${at}, input "${name}"`;
    if (!held.includes(tensor.element)) throw fault(held.join(', '), tensor.element, place);
    if (!tensor.shape.every((size) => Number.isSafeInteger(size) && size >= 0))
      throw fault('sizes', `shape [${tensor.shape}]`, place);
    return { name, tensor: copyOf(tensor) };
  });
}

const copyOf = (tensor: BackendTensor): BackendTensor =>
  ({ element: tensor.element, shape: [...tensor.shape], data: tensor.data.slice() }) as BackendTensor;

const fault = (expected: string, received: string, at: string) =>
  backendError('ERR_BACKEND_INPUT', { expected, received, at });
