// Calls process.exit while a worker thread is inside a call of onnxruntime-node.
import { DataType, makeGraph, makeModel, makeNode, tensorInput, writeModel } from '@brezel/onnx';
import { onnxruntimeBackend } from '@brezel/onnxruntime';

const size = 300;
const products = 40;
const graph = makeGraph({
  node: Array.from({ length: products }, (_, index) =>
    makeNode(
      'MatMul',
      [index === 0 ? 'x' : `product${index}`, 'x'],
      [index === products - 1 ? 'y' : `product${index + 1}`],
    ),
  ),
  input: [tensorInput('x', DataType.FLOAT, ['N', 'N'])],
  output: [tensorInput('y', DataType.FLOAT, ['N', 'N'])],
});
const bytes = writeModel(makeModel(graph, { '': 17 }));
const backend = onnxruntimeBackend({ workers: 1, module: process.argv[2] });
const stage = await backend.open({ format: 'onnx', bytes, checksum: 'products', name: 'products' });
const entered = new BroadcastChannel('brezel test: entered onnxruntime');
entered.onmessage = () => process.exit(3);
void stage.run({ x: { element: 'float32', shape: [size, size], data: new Float32Array(size * size) } });
