import {
  type BackendTensor,
  elementArray,
  fromBfloat16,
  fromFloat16,
  type NumericElement,
  toFloat16,
} from '@brezel/core';
import type { WireTensor } from './tasks.js';

/** A copy of a tensor that can be handed to another thread, and the memory to hand over. */
export function toWire(tensor: BackendTensor): { readonly wire: WireTensor; readonly memory: ArrayBuffer[] } {
  const { element, shape } = tensor;
  if (tensor.element === 'string') return { wire: { element, shape, data: tensor.data }, memory: [] };
  const data = element === 'float16' ? toFloat16(tensor.data as Float32Array) : tensor.data.slice();
  return { wire: { element, shape, data: data as ArrayBufferView<ArrayBuffer> }, memory: [data.buffer as ArrayBuffer] };
}

/** The tensor that another thread handed over. */
export function fromWire({ element, shape, data }: WireTensor): BackendTensor {
  if (element === 'string') return { element, shape, data: data as readonly string[] };
  const { buffer, byteOffset, byteLength } = data as ArrayBufferView<ArrayBuffer>;
  if (element === 'float16' || element === 'bfloat16') {
    const decode = element === 'float16' ? fromFloat16 : fromBfloat16;
    return { element, shape, data: decode(new Uint16Array(buffer, byteOffset, byteLength / 2)) };
  }
  const List = elementArray(element, 0).constructor as new (
    ...at: [ArrayBuffer, number, number]
  ) => BackendTensor['data'];
  const bytes = bytesOf(element);
  return { element, shape, data: new List(buffer, byteOffset, byteLength / bytes) } as BackendTensor;
}

const bytesOf = (element: NumericElement): number => elementArray(element, 0).BYTES_PER_ELEMENT;
