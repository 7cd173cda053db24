import { DataType, makeGraph, makeModel, makeNode, tensorInput, writeModel } from '@brezel/onnx';
import { murmur3 } from 'brezel';
import { expect, test } from 'vitest';

type Runtime = typeof import('onnxruntime-node');
const ort: Runtime | undefined = await import('onnxruntime-node').catch((error: Error) => {
  console.log(`onnxruntime-node does not load, its comparison is left out: ${error.message}`);
  return undefined;
});

const texts = ['hello', 'world', 'hello world', 'é日本😀', 'a', 'ab', 'abc', 'x'.repeat(100)];
const integers = [0n, 1n, -1n, 255n, 2n ** 53n, -(2n ** 63n)];

async function hashes(type: number, input: InstanceType<Runtime['Tensor']>, seed: number): Promise<number[]> {
  const graph = makeGraph({
    node: [makeNode('MurmurHash3', ['x'], ['h'], { seed: { i: seed }, positive: { i: 1 } }, 'com.microsoft')],
    input: [tensorInput('x', type, ['N'])],
    output: [tensorInput('h', DataType.UINT32, ['N'])],
  });
  const model = writeModel(makeModel(graph, { '': 17, 'com.microsoft': 1 }));
  const session = await ort!.InferenceSession.create(model, { logSeverityLevel: 3 });
  const { h } = await session.run({ x: input });
  return [...(h!.data as Uint32Array)];
}

test.runIf(ort).each([0, 1, 42, 314489979, 2 ** 31])('com.microsoft MurmurHash3 with seed %d', async (seed) => {
  const ofTexts = await hashes(DataType.STRING, new ort!.Tensor('string', texts, [texts.length]), seed);
  expect(ofTexts).toEqual(texts.map((text) => murmur3(new TextEncoder().encode(text), seed)));
  const values = BigInt64Array.from(integers);
  const ofIntegers = await hashes(DataType.INT64, new ort!.Tensor('int64', values, [values.length]), seed);
  expect(ofIntegers).toEqual(integers.map((_, at) => murmur3(new Uint8Array(values.buffer, at * 8, 8), seed)));
});
