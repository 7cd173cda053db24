import {
  type BackendTensor,
  elementArray,
  fromBfloat16,
  fromFloat16,
  type NumericElement,
  type NumericTensor,
  toFloat16,
} from '@brezel/core';
import type { Buffers } from './buffers.js';
import type { KnownOutput } from './output-shapes.js';
import type { WireTensor } from './tasks.js';

/**
 * Converts a tensor to the form that is sent to another thread. Copies numbers into a reusable
 * buffer, except half floats.
 */
export function toWire(tensor: BackendTensor, buffers: Buffers): WireTensor {
  const { element, shape } = tensor;
  if (tensor.element === 'string') return { element, shape, data: tensor.data };
  if (element === 'float16') return { element, shape, data: toFloat16(tensor.data as Float32Array) };
  const data = viewOf(tensor.element, buffers.take(tensor.data.byteLength), 0, tensor.data.length);
  (data as Float32Array).set(tensor.data as Float32Array);
  return { element, shape, data: data as ArrayBufferView<ArrayBuffer> };
}

/**
 * Returns an array for an output in the form that is sent between threads. With `buffers`, the
 * array is in a reusable buffer. Without it, the array is new, so that the caller may own it.
 */
export function wireFor({ element, shape, length }: KnownOutput, buffers: Buffers | undefined): WireTensor {
  const bytes = length * bytesOf(element);
  const data = viewOf(element, buffers?.take(bytes) ?? new ArrayBuffer(bytes), 0, length);
  return { element, shape, data: data as ArrayBufferView<ArrayBuffer> };
}

/** Converts a tensor from the form that is sent between threads. */
export function fromWire({ element, shape, data }: WireTensor): BackendTensor {
  if (element === 'string') return { element, shape, data: data as readonly string[] };
  const { buffer, byteOffset, byteLength } = data as ArrayBufferView<ArrayBuffer>;
  if (element === 'float16' || element === 'bfloat16') {
    const decode = element === 'float16' ? fromFloat16 : fromBfloat16;
    return { element, shape, data: decode(new Uint16Array(buffer, byteOffset, byteLength / 2)) };
  }
  const values = viewOf(element, buffer, byteOffset, byteLength / bytesOf(element));
  return { element, shape, data: values } as BackendTensor;
}

function viewOf(element: NumericElement, buffer: ArrayBuffer, offset: number, length: number): NumericTensor['data'] {
  const List = elementArray(element, 0).constructor as new (
    ...at: [ArrayBuffer, number, number]
  ) => NumericTensor['data'];
  return new List(buffer, offset, length);
}

const bytesOf = (element: NumericElement): number => elementArray(element, 0).BYTES_PER_ELEMENT;
