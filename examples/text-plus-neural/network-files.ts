import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataType, makeGraph, makeModel, makeNode, makeTensor, tensorInput, writeModel } from '@brezel/onnx';
import { network } from './network.js';

// Writes the same network in two formats, as frameworks export it. A real service reads a file.

/** Returns the network as an ONNX file for onnxruntime: Gemm and an activation for each layer. */
export function networkAsOnnx(): Uint8Array {
  const node = network.flatMap(({ name, activation }, at) => {
    const input = network[at - 1]?.name ?? 'features';
    const operator = activation === 'relu' ? 'Relu' : 'Sigmoid';
    return [
      makeNode('Gemm', [input, `${name}/weights`, `${name}/bias`], [`${name}/sum`]),
      makeNode(operator, [`${name}/sum`], [name]),
    ];
  });
  const initializer = network.flatMap(({ name, inputs, outputs, weights, bias }) => [
    makeTensor(`${name}/weights`, 'float32', [inputs, outputs], Float32Array.from(weights)),
    makeTensor(`${name}/bias`, 'float32', [outputs], Float32Array.from(bias)),
  ]);
  const [first, last] = [network[0]!, network.at(-1)!];
  const input = [tensorInput('features', DataType.FLOAT, ['rows', first.inputs])];
  const output = [tensorInput(last.name, DataType.FLOAT, ['rows', last.outputs])];
  return writeModel(makeModel(makeGraph({ node, initializer, input, output })));
}

/** Writes the network for TensorFlow.js: model.json and its weights, in a folder. */
export function writeAsTensorFlow(folder: string): void {
  const layers = network.map(({ name, inputs, outputs, activation }, at) => ({
    class_name: 'Dense',
    config: {
      name,
      units: outputs,
      activation,
      use_bias: true,
      ...(at === 0 && { batch_input_shape: [null, inputs] }),
    },
  }));
  const weights = network.flatMap(({ name, inputs, outputs }) => [
    { name: `${name}/kernel`, shape: [inputs, outputs], dtype: 'float32' },
    { name: `${name}/bias`, shape: [outputs], dtype: 'float32' },
  ]);
  const modelTopology = { class_name: 'Sequential', config: { name: 'head', layers } };
  const json = { format: 'layers-model', modelTopology, weightsManifest: [{ paths: ['weights.bin'], weights }] };
  writeFileSync(join(folder, 'model.json'), JSON.stringify(json));
  writeFileSync(
    join(folder, 'weights.bin'),
    Float32Array.from(network.flatMap((layer) => [...layer.weights, ...layer.bias])),
  );
}
