import type { TensorPort } from '@brezel/core';
import { isTensorType } from './tensor-types.js';
import type { ValueMetadata } from './types.js';

/**
 * Returns how a session shows an input or output that a file declares. A value of another kind, or
 * of a type that onnxruntime-node does not have, is not a tensor.
 */
export function metadataOf({ name, kind, element, shape = [] }: TensorPort, labels?: readonly string[]): ValueMetadata {
  if (kind !== 'tensor' || !isTensorType(element)) return { name, isTensor: false };
  const sizes = shape.map((size) => size ?? '');
  return { name, isTensor: true, type: element, shape: sizes, ...(labels && { labels }) };
}

export const namesOf = ({ name }: { readonly name: string }): string => name;
