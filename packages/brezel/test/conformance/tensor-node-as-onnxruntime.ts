import type { ElementType, Tensor } from '@brezel/core';
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
  uint8: DataType.UINT8,
  int8: DataType.INT8,
  bool: DataType.BOOL,
  string: DataType.STRING,
};

const given = ({ inputs, node }: TensorNode): readonly (readonly [string, Tensor])[] =>
  inputs.flatMap((tensor, at) => (tensor === undefined ? [] : [[node.input[at]!, tensor] as const]));

function fileOf(one: TensorNode, outputs: readonly Tensor[]): Uint8Array {
  const { node, opset = OPSET } = one;
  const graph = makeGraph({
    node: [node],
    input: given(one).map(([name, { element, shape }]) => tensorInput(name, dataTypes[element]!, [...shape])),
    output: node.output.flatMap((name, at) =>
      name === '' ? [] : [tensorInput(name, dataTypes[outputs[at]!.element]!, [])],
    ),
  });
  for (const output of graph.output) Object.assign(output.type!.tensorType!, { shape: undefined });
  return writeModel(makeModel(graph, { '': opset, 'com.microsoft': 1 }));
}

/** Fails unless the node gives the shapes, types and elements of onnxruntime. */
export async function expectAsOnnxruntime(one: TensorNode): Promise<void> {
  const { node, inputs, opset = OPSET } = one;
  const got = runAsTensors(node, inputs as Tensor[], node.domain === '' ? opset : 1) as readonly Tensor[];
  const session = await ort!.InferenceSession.create(fileOf(one, got), {
    logSeverityLevel: 4,
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
  });
  const feeds = given(one).map(
    ([name, { element, shape, data }]) =>
      [name, new ort!.Tensor(element as 'float32', data as Float32Array, shape)] as const,
  );
  const want = await session.run(Object.fromEntries(feeds));
  node.output.forEach((name, at) => {
    if (name === '') return;
    const { element, shape, data } = got[at]!;
    const { type, dims, data: wanted } = want[name]!;
    expect({ element, shape }).toEqual({ element: type, shape: [...dims] });
    if (one.tolerance === undefined || element === 'string') expect([...data]).toEqual([...(wanted as never[])]);
    else expect(farthest(data as Float32Array, wanted as Float32Array)).toBeLessThanOrEqual(one.tolerance);
  });
}

/** Returns the largest difference, relative to values above 1. */
const farthest = (got: Float32Array, want: Float32Array) =>
  Array.from(got, Number).reduce((most, value, at) => {
    const wanted = Number(want[at]);
    return Object.is(value, wanted) ? most : Math.max(most, Math.abs(value - wanted) / Math.max(1, Math.abs(wanted)));
  }, 0);
