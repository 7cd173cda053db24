import { makeNode, type NodeProto } from '@brezel/onnx';
import { createRuntime, importTensors, openStore, type Tensor, type TensorValue } from 'brezel';
import { describe, expect, test } from 'vitest';
import { ReadClock } from './count-turns.js';
import { constant, file, float, float32, graph, int64 } from './models.js';

// An output may share the data of an input. The caller may transfer or resize the buffer of the
// input between the call and the answer.

const x = () => float32([2], 1, 2) as Extract<Tensor, { element: 'float32' }>;
const programs: readonly (readonly [string, readonly NodeProto[]])[] = [
  ['Identity', [makeNode('Identity', ['x'], ['y'])]],
  ['Unsqueeze', [constant('axes', int64([1], 0)), makeNode('Unsqueeze', ['x', 'axes'], ['y'])]],
  ['Flatten', [makeNode('Flatten', ['x'], ['y'])]],
  ['Reshape', [constant('shape', int64([2], 2, 1)), makeNode('Reshape', ['x', 'shape'], ['y'])]],
];

/** Calls a program of one node, and calls `change` with its input in the same turn. */
async function predict(nodes: readonly NodeProto[], tensor: Tensor, change: () => void): Promise<TensorValue> {
  // The clock stands still, so the program does not pause before it ends.
  await using runtime = createRuntime({ store: await openStore(), clock: new ReadClock(0) as never });
  const { program } = importTensors(file(graph(nodes, [float('x', ['N'])], [float('y', ['N'])])));
  const request = runtime.predictTensors(runtime.registerTensors(program), { x: tensor });
  change();
  return (await request).y!;
}

const error = {
  code: 'ERR_RUNTIME_INPUT',
  details: { at: 'output "y", which shares the data of an input', expected: '2 elements during the whole request' },
};

describe.each(programs)('an output of %s', (_, nodes) => {
  test('is a copy of the input', async () => {
    const tensor = x();
    const y = (await predict(nodes, tensor, () => undefined)) as Tensor;
    expect([...y.data]).toEqual([1, 2]);
    expect((y as typeof tensor).data.buffer).not.toBe(tensor.data.buffer);
  });

  test('of a transferred input is an error with a code', async () => {
    const tensor = x();
    const transfer = () => structuredClone(tensor.data, { transfer: [tensor.data.buffer as ArrayBuffer] });
    await expect(predict(nodes, tensor, transfer)).rejects.toMatchObject(error);
  });

  test('of an input whose buffer shrinks is an error with a code', async () => {
    const buffer = new ArrayBuffer(8, { maxByteLength: 16 });
    const tensor = { element: 'float32', shape: [2], data: new Float32Array(buffer) } as const;
    await expect(predict(nodes, tensor, () => buffer.resize(4))).rejects.toMatchObject(error);
  });
});

test('an input that no output shares may be transferred', async () => {
  const tensor = x();
  const transfer = () => structuredClone(tensor.data, { transfer: [tensor.data.buffer as ArrayBuffer] });
  const y = (await predict([makeNode('Neg', ['x'], ['y'])], tensor, transfer)) as Tensor;
  expect([...y.data]).toEqual([-1, -2]);
});
