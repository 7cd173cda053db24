import { sizeOf } from '@brezel/core';
import type { Flow } from '../../flow.js';

/**
 * ONNX gives the columns of one-hot encoding an axis of their own: `[N, values, categories]`. A row here holds the same numbers in the same order
 * without it. Exports flatten the axis next (Concat on it, then Reshape); which values still have one is remembered for that Concat.
 */
const cubes = new WeakMap<Flow['node'], number>();

/** Remembers that `encoded` has a category axis behind the values of `from`. */
export function markCube<F extends Flow>(encoded: F, from: Flow): F {
  cubes.set(encoded.node, sizeOf(from.type));
  return encoded;
}

/** Values a row of a one-hot result, or undefined for anything else. */
export const cubeValues = (flow: Flow): number | undefined => cubes.get(flow.node);
