import type { ElementType, TensorPort } from '@brezel/core';
import type { TfPort } from './tensor-flow.js';

const ELEMENTS: Readonly<Record<string, ElementType>> = {
  float32: 'float32',
  int32: 'int32',
  bool: 'bool',
  string: 'string',
};

/**
 * Converts an input or output from the form of TensorFlow.js. The field `element` is undefined for
 * an element type that Brezel does not support; the tensors of a request are still checked.
 */
export function portOf(name: string, { shape, dtype }: TfPort): TensorPort {
  const element = dtype === undefined ? undefined : ELEMENTS[dtype];
  const sizes = shape?.map((size) => (size === null || size < 0 ? null : size));
  return { name, kind: 'tensor', element, shape: sizes };
}

/** Adds numbers to repeated names, such as several outputs of one layer: `dense`, `dense_1`. */
export function distinct(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let free = name;
    for (let count = 1; taken.has(free); count++) free = `${name}_${count}`;
    taken.add(free);
    return free;
  });
}
