import type { BackendPort, BackendTensor, BackendTensors } from './backend.js';
import { backendError } from './backend-errors.js';
import { elementArray, elementCount, printPort } from './tensor.js';

/**
 * Throws if the tensors of a request do not match the inputs of a stage. Backends call this
 * function before they pass the tensors to the other runtime.
 *
 * @param at name of the stage, for errors.
 * @throws ERR_BACKEND_INPUT with the name of an input that is missing, unknown or invalid: another
 * element type, rank or size, or data that does not match its shape.
 */
export function checkBackendTensors(ports: readonly BackendPort[], inputs: BackendTensors, at: string): void {
  const extra = Object.keys(inputs).find((name) => !ports.some((port) => port.name === name));
  if (extra !== undefined) throw backendError('ERR_BACKEND_INPUT', { received: `an extra input "${extra}"`, at });
  for (const port of ports) {
    const problem = mismatch(port, Object.hasOwn(inputs, port.name) ? inputs[port.name] : undefined);
    if (problem === undefined) continue;
    throw backendError('ERR_BACKEND_INPUT', {
      expected: printPort(port),
      received: problem,
      at: `${at}, input "${port.name}"`,
    });
  }
}

function mismatch({ element, shape }: BackendPort, tensor: BackendTensor | undefined): string | undefined {
  if (tensor === undefined) return 'nothing';
  if (element !== undefined && tensor.element !== element) return `element type ${tensor.element}`;
  const fits =
    shape === undefined ||
    (shape.length === tensor.shape.length &&
      shape.every((size, axis) => typeof size !== 'number' || size === tensor.shape[axis]));
  if (!fits) return `shape [${tensor.shape}]`;
  const isArray =
    tensor.element === 'string'
      ? Array.isArray(tensor.data)
      : tensor.data instanceof elementArray(tensor.element, 0).constructor;
  if (!isArray) return 'data of another kind';
  const count = elementCount(tensor.shape);
  return tensor.data.length === count ? undefined : `data of ${tensor.data.length} elements for ${count}`;
}
