import type { ElementType, Tensor } from '@brezel/flour';
import { DataType, makeGraph, makeModel, tensorInput, writeModel } from '@brezel/onnx';
import { expect } from 'vitest';
import { ort } from './against-onnxruntime.js';
import { runAsTensors } from './as-tensors.js';
import type { TensorNode } from './random-tensor-node.js';

const OPSET = 20;

const dataTypes: Partial<Record<ElementType, number>> = {
  float32: DataType.FLOAT,
  int64: DataType.INT64,
  int32: DataType.INT32,
  bool: DataType.BOOL,
  string: DataType.STRING,
};

function fileOf({ node, inputs }: TensorNode, outputs: readonly Tensor[]): Uint8Array {
  const graph = makeGraph({
    node: [node],
    input: inputs.map(({ element, shape }, at) => tensorInput(node.input[at]!, dataTypes[element]!, [...shape])),
    output: outputs.map(({ element }, at) => tensorInput(node.output[at]!, dataTypes[element]!, [])),
  });
  for (const output of graph.output) Object.assign(output.type!.tensorType!, { shape: undefined });
  return writeModel(makeModel(graph, { '': OPSET, 'com.microsoft': 1 }));
}

/** Runs a node over whole tensors with onnxruntime and with us: shapes, types and elements are the same. */
export async function expectAsOnnxruntime(one: TensorNode): Promise<void> {
  const { node, inputs } = one;
  const got = runAsTensors(node, inputs, node.domain === '' ? OPSET : 1) as readonly Tensor[];
  const session = await ort!.InferenceSession.create(fileOf(one, got), {
    logSeverityLevel: 4,
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
  });
  const feeds = inputs.map(
    ({ element, shape, data }, at) =>
      [node.input[at]!, new ort!.Tensor(element as 'float32', data as Float32Array, shape)] as const,
  );
  const want = await session.run(Object.fromEntries(feeds));
  node.output.forEach((name, at) => {
    const { element, shape, data } = got[at]!;
    const { type, dims, data: wanted } = want[name]!;
    expect({ element, shape }).toEqual({ element: type, shape: [...dims] });
    if (one.tolerance === undefined || element !== 'float32') expect([...data]).toEqual([...(wanted as never[])]);
    else expect(farthest(data as Float32Array, wanted as Float32Array)).toBeLessThanOrEqual(one.tolerance);
  });
}

/** The greatest difference, relative to values above 1. */
const farthest = (got: Float32Array, want: Float32Array) =>
  got.reduce((most, value, at) => Math.max(most, Math.abs(value - want[at]!) / Math.max(1, Math.abs(want[at]!))), 0);
