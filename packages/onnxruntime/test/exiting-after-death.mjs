// Ends while the worker thread of its model is dead. Prints whether the exit waits for the thread.
import { DataType, makeGraph, makeModel, makeNode, tensorInput, writeModel } from '@brezel/onnx';
import { onnxruntimeBackend } from '@brezel/onnxruntime';

Atomics.wait = (state, index, value) => {
  console.log(state[index] === value ? 'waits' : 'does not wait');
  return 'ok';
};
const graph = makeGraph({
  node: [makeNode('Abs', ['x'], ['y'])],
  input: [tensorInput('x', DataType.FLOAT, ['N', 2])],
  output: [tensorInput('y', DataType.FLOAT, ['N', 2])],
});
const backend = onnxruntimeBackend({ workers: 1, module: process.argv[2] });
const stage = await backend.open({ format: 'onnx', bytes: writeModel(makeModel(graph)), checksum: 'abs', name: 'abs' });
const deadly = { element: 'float32', shape: [1, 2], data: Float32Array.of(666, 0) };
await stage.run({ x: deadly }).catch((error) => console.log(error.code));
