import {
  DataType,
  type ModelProto,
  makeGraph,
  makeModel,
  makeNode,
  type NodeProto,
  tensorInput,
  writeElements,
  writeModel,
} from '@brezel/onnx';
import {
  createRuntime,
  importTensors,
  openStore,
  type RegisterTensorsOptions,
  type Tensor,
  type TensorImportOptions,
  type TensorValue,
} from 'brezel';
import { resolvers } from './operators.js';

export type Graph = ReturnType<typeof makeGraph>;

export const float32 = (shape: readonly number[], ...data: number[]): Tensor => ({
  element: 'float32',
  shape,
  data: Float32Array.from(data),
});
export const int64 = (shape: readonly number[], ...data: number[]): Tensor => ({
  element: 'int64',
  shape,
  data: BigInt64Array.from(data, BigInt),
});
export const bool = (value: boolean): Tensor => ({ element: 'bool', shape: [], data: Uint8Array.of(value ? 1 : 0) });

export const float = (name: string, shape: readonly (number | string)[]) => tensorInput(name, DataType.FLOAT, shape);
export const integer = (name: string, shape: readonly (number | string)[]) => tensorInput(name, DataType.INT64, shape);
export const flag = (name: string) => tensorInput(name, DataType.BOOL, []);
export const constant = (name: string, tensor: Tensor): NodeProto =>
  makeNode('Constant', [], [name], { value: { t: writeElements('', tensor) } });

/** Builds a graph from nodes, inputs and outputs. */
export const graph = (
  node: readonly NodeProto[],
  input: Graph['input'],
  output: Graph['output'],
  parts: Partial<Graph> = {},
): Graph => makeGraph({ node: [...node], input, output, ...parts });

/** Writes a graph as a file, with operator set 17 by default. */
export const file = (main: Graph, opset = 17, parts: Partial<ModelProto> = {}): Uint8Array =>
  writeModel(makeModel(main, { '': opset, local: 1 }, parts));

const runtime = createRuntime({ store: await openStore({ native: false }) });

/** Imports a file and answers one request. */
export async function answer(
  bytes: Uint8Array,
  inputs: Readonly<Record<string, TensorValue>> = {},
  options: RegisterTensorsOptions & TensorImportOptions = {},
): Promise<Readonly<Record<string, TensorValue>>> {
  const { externalData, ...limits } = options;
  const { program } = importTensors(bytes, { resolvers, externalData });
  const registered = runtime.registerTensors(program, limits as RegisterTensorsOptions);
  try {
    return await runtime.predictTensors(registered, inputs);
  } finally {
    runtime.unregister(registered);
  }
}
