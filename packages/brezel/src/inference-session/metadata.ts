import type { TensorPort } from '@brezel/core';
import { isTensorType } from './tensor-types.js';
import type { ValueMetadata } from './types.js';

/**
 * Returns the metadata of an input or output that a file declares. `isTensor` is false if the value
 * is not a tensor, or if onnxruntime-node lacks its element type.
 */
export function metadataOf({ name, kind, element, shape = [] }: TensorPort, labels?: readonly string[]): ValueMetadata {
  if (kind !== 'tensor' || !isTensorType(element)) return { name, isTensor: false };
  const sizes = shape.map((size) => size ?? '');
  return { name, isTensor: true, type: element, shape: sizes, ...(labels && { labels }) };
}

export const namesOf = ({ name }: { readonly name: string }): string => name;
