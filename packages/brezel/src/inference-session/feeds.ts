import { elementCount } from '@brezel/core';
import { runtimeError } from '@brezel/runtime';
import { isSize, PlainTensor, type TensorLike } from './tensor.js';
import { isDataOf, isTensorType, type TensorData, type TensorType } from './tensor-types.js';
import type { ValueMetadata } from './types.js';

/** A checked tensor of a request. */
export interface FedTensor {
  readonly type: TensorType;
  readonly data: TensorData[TensorType];
  readonly dims: readonly number[];
}

/**
 * Checks a tensor of a request: type, rank, sizes, and the number of elements.
 *
 * @param freeAxis the axis that holds the rows; its size may differ from the declared size. With
 * `all`, every shape is valid, because the file does not declare the number of axes.
 * @throws ERR_RUNTIME_INPUT with the name of the input
 */
export function fedTensor(value: unknown, port: ValueMetadata, freeAxis?: number | 'all'): FedTensor {
  const fail = (expected: string, received: string) =>
    runtimeError('ERR_RUNTIME_INPUT', { expected, received, at: `input "${port.name}"`, input: port.name });
  if (!port.isTensor) throw fail('a tensor input', 'a tensor for an input of another kind');
  if (!isTensorLike(value)) throw fail('a Tensor', value === undefined ? 'nothing' : describe(value));
  const { type, dims, data } = value;
  if (type !== port.type) throw fail(`a tensor of type ${port.type}`, `type ${type}`);
  if (!isTensorType(type) || !isDataOf(type, data)) throw fail(`data of ${port.type}`, describe(data));
  if (!dims.every(isSize)) throw fail('dims, a list of sizes', `[${dims.slice(0, 16).join(', ')}]`);
  const fits = (size: number | string, axis: number) =>
    typeof size === 'string' || axis === freeAxis || size === dims[axis];
  if (freeAxis !== 'all' && (dims.length !== port.shape.length || !port.shape.every(fits)))
    throw fail(`dims [${port.shape.map((size) => size || '?').join(', ')}]`, `[${dims.slice(0, 16).join(', ')}]`);
  const { length } = data as ArrayLike<unknown>;
  if (elementCount(dims) !== length) throw fail(`${elementCount(dims)} elements`, `${length}`);
  return { type, dims, data: data as TensorData[TensorType] };
}

/**
 * Returns whether a value has the fields of a tensor. Does not read `data`: on a tensor of
 * onnxruntime, the getter throws if the data is not on the CPU.
 */
const isTensorLike = (value: unknown): value is TensorLike =>
  value instanceof PlainTensor ||
  (typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    'dims' in value &&
    Array.isArray(value.dims) &&
    'data' in value);

/** Returns the class or the type of a wrong value, for an error message. */
export function describe(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'object' ? (value.constructor?.name ?? 'an object') : typeof value;
}
