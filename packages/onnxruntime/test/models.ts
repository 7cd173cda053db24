import { createRequire } from 'node:module';
import type { BackendModel, BackendTensor } from '@brezel/core';
import { DataType, makeGraph, makeModel, makeNode, tensorInput, writeModel } from '@brezel/onnx';

/**
 * Why onnxruntime-node cannot be loaded, or undefined if it loads. The reason is printed, and tests
 * that need onnxruntime-node are skipped.
 */
export const missing: string | undefined = (() => {
  try {
    createRequire(import.meta.url)('onnxruntime-node');
    return undefined;
  } catch (error) {
    console.warn(`onnxruntime-node does not load, its tests are skipped: ${(error as Error).message}`);
    return (error as Error).message;
  }
})();

/** Returns the model `y = operator(x)` over [N, 2]. */
export function unary(operator: string, dataType: number = DataType.FLOAT, name = operator): BackendModel {
  const graph = makeGraph({
    node: [makeNode(operator, ['x'], ['y'])],
    input: [tensorInput('x', dataType, ['N', 2])],
    output: [tensorInput('y', dataType, ['N', 2])],
  });
  return { format: 'onnx', bytes: writeModel(makeModel(graph)), checksum: `${operator} ${dataType}`, name };
}

export const floats = (...data: number[]): BackendTensor => ({
  element: 'float32',
  shape: [data.length / 2, 2],
  data: Float32Array.from(data),
});
