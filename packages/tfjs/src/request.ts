import {
  type BackendPort,
  type BackendTensor,
  type BackendTensors,
  backendError,
  elementArray,
  elementCount,
  printPort,
} from '@brezel/core';
import type { NamedTensor } from './messages.js';

/**
 * The tensors of a request, checked against the inputs of a stage and copied: the copies are given to a worker, the caller keeps its own.
 *
 * @throws ERR_BACKEND_INPUT naming the input.
 */
export function requestOf(ports: readonly BackendPort[], inputs: BackendTensors, at: string): NamedTensor[] {
  const known = new Set(ports.map(({ name }) => name));
  for (const name of Object.keys(inputs)) {
    if (!known.has(name)) throw fault(`inputs ${[...known].join(', ')}`, `"${name}"`, at);
  }
  return ports.map((port) => {
    const tensor = Object.hasOwn(inputs, port.name) ? inputs[port.name] : undefined;
    const place = `input "${port.name}" of ${at}`;
    if (tensor === undefined) throw fault(printPort(port), 'nothing', place);
    checkTensor(port, tensor, place);
    return { name: port.name, tensor: copyOf(tensor) };
  });
}

function checkTensor(port: BackendPort, tensor: BackendTensor, at: string): void {
  const { element, shape } = tensor;
  const isShape = Array.isArray(shape) && shape.every((size) => Number.isSafeInteger(size) && size >= 0);
  if (!isShape) throw fault(printPort(port), `a shape of ${JSON.stringify(shape)}`, at);
  if (port.element !== undefined && element !== port.element) throw fault(printPort(port), print(tensor), at);
  if (!hasType(tensor)) throw fault(`data of ${element}`, tensor.data?.constructor?.name ?? String(tensor.data), at);
  const count = elementCount(shape);
  if (tensor.data.length !== count) throw fault(`${count} elements`, `${tensor.data.length}`, at);
  if (port.shape !== undefined && !fits(shape, port.shape)) throw fault(printPort(port), print(tensor), at);
}

const held = ['float32', 'int32', 'bool', 'string'] as const;

function hasType({ element, data }: BackendTensor): boolean {
  if (element === 'string') return Array.isArray(data) && data.every((text) => typeof text === 'string');
  const isHeld = (held as readonly string[]).includes(element);
  return isHeld && elementArray(element, 0).constructor === data?.constructor;
}

const fits = (shape: readonly number[], wanted: NonNullable<BackendPort['shape']>) =>
  shape.length === wanted.length &&
  shape.every((size, axis) => typeof wanted[axis] !== 'number' || wanted[axis] === size);

const print = ({ element, shape }: BackendTensor) => printPort({ kind: 'tensor', element, shape });

const copyOf = (tensor: BackendTensor): BackendTensor =>
  ({ element: tensor.element, shape: [...tensor.shape], data: tensor.data.slice() }) as BackendTensor;

const fault = (expected: string, received: string, at: string) =>
  backendError('ERR_BACKEND_INPUT', { expected, received, at });
