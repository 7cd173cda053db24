import { readFileSync } from 'node:fs';
import { DataType, makeGraph, makeModel, makeNode, makeTensor, tensorInput, writeModel } from '@brezel/onnx';
import * as brezel from 'brezel';
import { transform } from 'esbuild';
import { expect, test } from 'vitest';

const page = readFileSync(new URL('../../../../docs/backends.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!);

const port = (name: string) => tensorInput(name, DataType.FLOAT, ['N', 2, 2]);
const nodes = [
  makeNode('Neg', ['x'], ['a']),
  makeNode('Inverse', ['a'], ['b'], {}, 'com.microsoft'),
  makeNode('Neg', ['b'], ['y']),
];
const bytes = writeModel(
  makeModel(makeGraph({ node: nodes, input: [port('x')], output: [port('y')], valueInfo: [port('b')] }), {
    '': 17,
    'com.microsoft': 1,
  }),
);
/** A model that computes two scores from three counts. */
const head = writeModel(
  makeModel(
    makeGraph({
      node: [makeNode('MatMul', ['x', 'w'], ['y'])],
      initializer: [makeTensor('w', 'float32', [3, 2], Float32Array.of(1, 0, 0, 2, 3, 2))],
      input: [tensorInput('x', DataType.FLOAT, ['N', 3])],
      output: [tensorInput('y', DataType.FLOAT, ['N', 2])],
    }),
    { '': 17 },
  ),
);
const { available, why } = await brezel.onnxruntimeBackend().probe();
if (!available) console.warn(`the example with onnxruntime-node is not run: ${why}`);

const AsyncFunction = (async () => {}).constructor as new (
  ...parts: string[]
) => (...values: unknown[]) => Promise<unknown>;

/** Runs an example, and returns the variable `y` of the example. */
async function run(code: string): Promise<unknown> {
  using flour = await brezel.createFlour();
  const runtimes = [brezel.createRuntime({ store: flour.store })];
  const createRuntime = (options: brezel.RuntimeOptions) => {
    runtimes.push(brezel.createRuntime(options));
    return runtimes.at(-1)!;
  };
  const given = {
    ...brezel,
    createRuntime,
    flour,
    bytes,
    head,
    console: { log: () => undefined, warn: () => undefined },
  };
  const all = code.includes('const runtime =') ? given : { ...given, runtime: runtimes[0] };
  const wrapped = `async function example() {\n${code}\nreturn y;\n}\nreturn example();`;
  const { code: script } = await transform(wrapped, { loader: 'ts' });
  const y = await new AsyncFunction(...Object.keys(all), script)(...Object.values(all));
  for (const one of runtimes) await one.close();
  return y;
}

const result = (...data: number[]) => ({ element: 'float32', shape: [1, 2, 2], data: Float32Array.from(data) });

const rows = [
  [0.5, 0],
  [0, 0.25],
];
test('there are five examples', () => expect(examples.length).toBe(5));
test('shows what works on this machine', async () => {
  const found = await brezel.findBackends([brezel.onnxruntimeBackend({ module: 'no-such-package' })]);
  const source = readFileSync(new URL('../../src/backends.ts', import.meta.url), 'utf8');
  for (const line of examples[0]!.trim().split('\n')) expect(source).toContain(` * ${line}`);
  expect(found).toMatchObject({ backends: [], reports: [{ name: 'onnxruntime', available: false }] });
});
test.skipIf(!available)('unsupported operators in a row program', async () =>
  expect(await run(examples[1]!)).toEqual(rows),
);
test.skipIf(!available)('unsupported operators in a tensor program', async () =>
  expect(await run(examples[2]!)).toEqual(result(0.5, 0, 0, 0.25)),
);
test.skipIf(!available)('whole models in a plan', async () => expect(await run(examples[3]!)).toEqual([2]));
test('a custom backend', async () => expect(await run(examples[4]!)).toEqual(result(2, 0, 0, 4)));
