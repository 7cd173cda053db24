import { readFileSync, writeFileSync } from 'node:fs';
import {
  DataType,
  makeFunction,
  makeGraph,
  makeModel,
  makeNode,
  makeTensor,
  type NodeProto,
  readModel,
  type TensorProto,
  tensorInput,
  writeModel,
} from '@brezel/onnx';
import {
  type BlackBoxChoice,
  createFlour,
  createRegistry,
  createRuntime,
  importModelAsync,
  importOnnx,
  type OwnedPlan,
} from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../fleet/folder.js';
import './onnx-operators.mjs';

// Nodes of custom ONNX domains become operators of `defineOperator` on every thread that imports.

const operatorModules = [new URL('./onnx-operators.mjs', import.meta.url)];
const folder = temporaryFolder();
const flour = await createFlour();
afterAll(() => {
  folder.remove();
  flour.dispose();
});

const most = { most: { i: 5 } };
const scaledNode = (attributes = {}) => makeNode('Scaled', ['x', 'factors'], ['scaled'], attributes, 'test.onnx');
const shoutingNode = makeNode('Shouting', ['text'], ['shouting'], {}, 'test.onnx');
const sums = [
  makeNode('Concat', ['scaled', 'shouting'], ['all'], { axis: { i: 1 } }),
  makeNode('ReduceSum', ['all', 'axes'], ['sum']),
];

/**
 * Returns a model with the inputs `text` and `x` (two numbers). Its answer is the sum of the scaled
 * numbers and of the number of capital letters in the text.
 */
function model(
  version: number,
  node: readonly NodeProto[] = [scaledNode(most), shoutingNode, ...sums],
  parts = {},
  valueInfo: readonly ReturnType<typeof tensorInput>[] = [],
) {
  const made = makeGraph({
    node,
    initializer: [
      makeTensor('factors', 'float32', [2], Float32Array.of(2, 3)),
      makeTensor('axes', 'int64', [1], BigInt64Array.of(1n)),
    ],
    input: [tensorInput('text', DataType.STRING, ['N', 1]), tensorInput('x', DataType.FLOAT, ['N', 2])],
    output: [tensorInput('sum', DataType.FLOAT, ['N', 1])],
  });
  const graph = { ...made, valueInfo };
  return writeModel({ ...makeModel(graph, { '': 17, 'test.onnx': version }), ...parts });
}

const row = { text: 'Good FILM', x: [1, 4] };
const answered = async (plan: OwnedPlan) => {
  await using runtime = createRuntime({ store: flour.store });
  const answer = runtime.predictSync(runtime.register(plan), row);
  plan.release();
  return answer;
};
/**
 * The answer of the model with version 2 of Scaled: min(1 * 2, 5) + min(4 * 3, 5) + 5 capital
 * letters.
 */
const expected = { sum: [2 + 5 + 5] };

describe('a node of a custom domain', () => {
  test.each([
    ['the version of the operator set', 2, expected],
    ['the newest version before the operator set', 3, expected],
    ['another version', 4, { sum: [12 + 200] }],
  ])('has %s', async (_, version, sum) => {
    const { program, warnings } = importOnnx(model(version), flour);
    expect(warnings).toEqual([]);
    expect(await answered(program.plan())).toEqual(sum);
  });

  test('stays in Brezel if other operators may run in another runtime', () => {
    const { blackBoxes } = importOnnx(model(2, undefined), flour, { blackBox: 'allow' });
    expect(blackBoxes).toEqual([]);
    const preferred = importOnnx(model(2, undefined), flour, { blackBox: 'prefer' });
    const operators = preferred.blackBoxes.flatMap(({ nodes }) => nodes.map(({ operator }) => operator));
    expect(operators.filter((operator) => operator.includes('Scaled'))).toEqual([]);
  });

  // The file does not declare the sizes of "waves", so readers of "waves" join the black box.
  const scaledWaves = makeNode('Scaled', ['waves', 'factors'], ['scaled'], most, 'test.onnx');
  const wavesOf = (name: string, domain: string) => makeNode(name, ['x'], ['waves'], {}, domain);
  const boxed = (bytes: Uint8Array, blackBox: BlackBoxChoice) =>
    importOnnx(bytes, flour, { blackBox }).blackBoxes.flatMap(({ nodes }) => nodes.map(({ operator }) => operator));

  test('stays in Brezel if it reads undeclared sizes, with the operator before it', () => {
    const bytes = model(2, [wavesOf('Sin', ''), scaledWaves, shoutingNode, ...sums]);
    expect(boxed(bytes, 'prefer').join()).toMatch(/ReduceSum/);
    expect(boxed(bytes, 'prefer').join()).not.toMatch(/Scaled|Sin/);
    expect(boxed(bytes, ({ operator }) => operator === 'Sin')).toEqual([]);
    const declared = model(2, [wavesOf('Sin', ''), scaledWaves, shoutingNode, ...sums], {}, [
      tensorInput('waves', DataType.FLOAT, ['N', 2]),
    ]);
    expect(boxed(declared, ({ operator }) => operator === 'Sin').join()).toMatch(/^[^,]*Sin[^,]*$/);
  });

  test('after an unknown operator needs declared sizes', () => {
    const nodes = [wavesOf('Waves', 'test.onnx'), scaledWaves, shoutingNode, ...sums];
    const sizes = [tensorInput('waves', DataType.FLOAT, ['N', 2])];
    for (const choice of ['allow', 'prefer'] as const) {
      expect(() => boxed(model(2, nodes), choice)).toThrow(
        expect.objectContaining({
          code: 'ERR_ONNX_SHAPE',
          message: expect.stringContaining('value "waves"'),
          hint: expect.stringContaining('declare the sizes of "waves"'),
        }),
      );
      expect(boxed(model(2, nodes, {}, sizes), choice).join()).not.toMatch(/Scaled/);
    }
  });

  test('before an unknown operator stays in Brezel', () => {
    const last = makeNode('Waves', ['scaled'], ['sum'], {}, 'test.onnx');
    expect(boxed(model(2, [scaledNode(), last]), 'allow').join()).toMatch(/^[^,]*Waves[^,]*$/);
  });

  test('replaces a function of the file that only another runtime supports', async () => {
    const unknown = { input: ['x'], output: ['y'], node: [makeNode('Waves', ['x'], ['y'], {}, 'test.onnx')] };
    const bytes = model(2, undefined, { functions: [makeFunction('test.onnx', 'Scaled', unknown)] });
    const { program, blackBoxes } = importOnnx(bytes, flour, { blackBox: 'allow' });
    expect(blackBoxes).toEqual([]);
    expect(await answered(program.plan())).toEqual(expected);
  });

  test('that rejects its input is an error, also with the name of an ONNX operator', () => {
    const options = { mark: { i: 0 }, mincharnum: { i: 1 }, pad_value: { s: '#' }, separators: { strings: [' '] } };
    const counts = {
      ...{ mode: { s: 'TF' }, min_gram_length: { i: 1 }, max_gram_length: { i: 1 }, max_skip_count: { i: 0 } },
      ...{ ngram_counts: { ints: [0] }, ngram_indexes: { ints: [0] }, pool_strings: { strings: ['a'] } },
    };
    const nodes = [
      makeNode('Tokenizer', ['text'], ['tokens'], options, 'com.microsoft'),
      makeNode('Flatten', ['tokens'], ['flat'], { wrong: { i: 1 } }, 'test.onnx'),
      makeNode('TfIdfVectorizer', ['flat'], ['sum'], counts),
    ];
    expect(() => importOnnx(model(2, nodes), flour)).toThrow('node "flat"');
  });

  test('uses defaults of attributes', async () => {
    const { program } = importOnnx(model(2, [scaledNode(), shoutingNode, ...sums]), flour);
    expect(await answered(program.plan())).toEqual({ sum: [2 + 10 + 5] });
  });

  test('replaces a function of the file', async () => {
    const negative = { input: ['x'], output: ['y'], node: [makeNode('Neg', ['x'], ['y'])] };
    const functions = [makeFunction('test.onnx', 'Scaled', negative)];
    expect(await answered(importOnnx(model(2, undefined, { functions }), flour).program.plan())).toEqual(expected);
  });

  test('is not part of a k-means model, whatever its name is', () => {
    const file = readModel(readFileSync(new URL('../corpus/own/num-iris-kmeans/model.onnx', import.meta.url)));
    const strategiesOf = (domain: string) => {
      const node = file.graph!.node.map((each) => (each.opType === 'ReduceSumSquare' ? { ...each, domain } : each));
      const opsets = [...file.opsetImport, { ...file.opsetImport[0]!, domain: 'test.onnx', version: 2 }];
      const bytes = writeModel({ ...file, graph: { ...file.graph!, node }, opsetImport: opsets });
      return importOnnx(bytes, flour).conversions.map(({ strategy }) => strategy);
    };
    expect(strategiesOf('')).toContain('known pattern');
    expect(strategiesOf('test.onnx')).toContain('custom operator');
    expect(strategiesOf('test.onnx')).not.toContain('known pattern');
  });

  const refusal = (bytes: Uint8Array) => {
    try {
      return importOnnx(bytes, flour);
    } catch (error) {
      return error as Error;
    }
  };
  const values = { int64: BigInt64Array, uint64: BigInt64Array, float32: Float32Array, float64: Float64Array };
  const unsigned = (tensor: TensorProto, value: bigint): TensorProto =>
    ({ ...tensor, dataType: DataType.UINT64, int64Data: [], uint64Data: [value] }) as never;
  const large = 2n ** 63n + 5n;
  test.each([
    ['uint64', 'int64', large, `uint64, with ${large} at index 0`],
    ['uint64', 'int64', 5n, undefined],
    ['int64', 'int32', 2n ** 31n, 'int64, with 2147483648 at index 0'],
    ['int64', 'int32', -3n, undefined],
    ['int64', 'float32', 16777217n, 'int64, with 16777217 at index 0'],
    ['int64', 'float64', 2n ** 53n + 1n, 'int64, with 9007199254740993 at index 0'],
    ['float32', 'int32', 2.5, 'float32, with 2.5 at index 0'],
    ['float32', 'int64', Number.NaN, 'float32, with NaN at index 0'],
    ['float64', 'float32', 1e300, 'float64, with 1e+300 at index 0'],
    ['float64', 'float32', 0.5, undefined],
    ['float32', 'float64', 0.5, undefined],
    ['float32', 'bool', 2, 'float32, with 2 at index 0'],
    ['float32', 'string', 2, 'float32, with 2 at index 0'],
  ] as const)('reads a constant of %s as a parameter of %s: %s', (element, dtype, value, received) => {
    const stored = element === 'uint64' ? 'int64' : element;
    const made = makeTensor('constant', stored, [1], values[element].of(value as never) as never);
    const constant = element === 'uint64' ? unsigned(made, value as bigint) : made;
    const node = makeNode('Constant', [], ['constant'], { value: { t: constant } });
    const reading = makeNode('Of', ['x', 'constant'], ['sum'], {}, `test.${dtype}`);
    const graph = makeGraph({
      node: [node, reading],
      input: [tensorInput('x', DataType.FLOAT, ['N', 1])],
      output: [tensorInput('sum', DataType.FLOAT, ['N', 1])],
    });
    const result = refusal(writeModel(makeModel(graph, { '': 17, [`test.${dtype}`]: 1 })));
    if (received === undefined) expect(result).not.toBeInstanceOf(Error);
    else
      expect(result).toMatchObject({
        code: 'ERR_ONNX_UNSUPPORTED',
        message: expect.stringContaining(
          `expected m of ${dtype} at node "sum" (test.${dtype}.Of, opset 1), received ${received}`,
        ),
      });
  });

  test.each([
    ['a number as uint32', DataType.UINT32, 'received uint32', 'add a Cast to int64'],
    ['a number as float16', DataType.FLOAT16, 'received float16', 'add a Cast to float32'],
  ])('with %s is an error that names the type', (_, type, message, hint) => {
    const graph = makeGraph({
      node: [makeNode('Shouting', ['x'], ['sum'], {}, 'test.onnx')],
      input: [tensorInput('x', type, ['N', 1])],
      output: [tensorInput('sum', DataType.FLOAT, ['N', 1])],
    });
    const error = refusal(writeModel(makeModel(graph, { '': 17, 'test.onnx': 2 })));
    expect(error).toMatchObject({ message: expect.stringContaining(message), hint: expect.stringContaining(hint) });
  });

  const scaledOf = (input: string[], output = ['scaled'], attributes = {}, name = 'Scaled') =>
    makeNode(name, input, output, attributes, 'test.onnx');
  test.each([
    ['an older operator set', 1, scaledNode(), ': test.onnx.Scaled', 'defineOperator({ name: "test.onnx/Scaled"'],
    ['an unknown name', 2, scaledOf(['x'], undefined, {}, 'Other'), ': test.onnx.Other', 'name: "test.onnx/Other"'],
    ['a missing parameter', 2, scaledOf(['x']), 'received nothing', ''],
    ['two parameters', 2, scaledOf(['x', 'factors', 'axes']), '1 constant inputs', 'declare it in defineOperator'],
    ['two values of the row', 2, scaledOf(['x', 'x', 'factors']), 'expected 1 inputs', ''],
    ['a text for numbers', 2, scaledOf(['text', 'factors']), 'expected float32[]', ''],
    ['an unknown attribute', 2, scaledNode({ least: { i: 1 } }), 'attributes most', ''],
    ['an inner input missing', 2, scaledOf(['x', '', 'factors']), 'without a gap', 'the last inputs'],
    ['a graph as an attribute', 2, scaledNode({ ...most, body: { g: makeGraph({ node: [] }) } }), 'the graph body', ''],
    ['a large attribute', 2, scaledNode({ most: { i: 2n ** 53n + 1n } }), '9007199254740993', ''],
    ['a list with a large number', 2, scaledNode({ most: { ints: [2n ** 53n + 1n] } }), '9007199254740993', ''],
    ['two outputs', 2, scaledOf(['x', 'factors'], ['scaled', 'more']), 'one output of a custom operator', ''],
    ['no value of the row', 2, scaledOf(['factors', 'factors']), 'test.onnx.Scaled', ''],
  ])('with %s is an error that names the node', (_, version, node, message, hint) => {
    const before = flour.store.stats().objects;
    const bytes = model(version, [node, shoutingNode, ...sums]);
    const error = (() => {
      try {
        return importOnnx(bytes, flour);
      } catch (error) {
        return error as Error & { hint: string };
      }
    })();
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).toContain(message);
    expect((error as Error).message).toContain('node "scaled"');
    expect((error as { hint: string }).hint ?? '').toContain(hint);
    expect(flour.store.stats().objects).toBe(before);
  });
});

describe('on an import thread', () => {
  const path = folder.path('scaled.onnx');
  writeFileSync(path, model(2));

  // The shared thread has not imported the module yet, so this test is first.
  test('operators are unknown without operatorModules', async () => {
    await expect(importModelAsync(model(2), flour)).rejects.toMatchObject({ code: 'ERR_ONNX_UNSUPPORTED' });
    await using registry = await createRegistry({ store: flour.store, importThreads: 1 });
    registry.add('scaled', { path });
    await expect(registry.predict('scaled', row)).rejects.toMatchObject({
      code: 'ERR_REGISTRY_LOAD',
      cause: { code: 'ERR_ONNX_UNSUPPORTED', hint: expect.stringContaining('defineOperator') },
    });
  });

  test('importModelAsync imports operatorModules first', async () => {
    const plan = await importModelAsync(model(2), flour, { operatorModules });
    expect(await answered(plan)).toEqual(expected);
  });

  test.each([
    ['the shared thread', {}],
    ['separate threads', { importThreads: 2 }],
    ['the calling thread', { importThreads: 0 }],
  ])('a registry loads the model on %s', async (_, options) => {
    await using registry = await createRegistry({ operatorModules, ...options });
    registry.add('scaled', { path });
    expect(await registry.predict('scaled', row)).toEqual(expected);
    const rows = Array.from({ length: 200 }, () => row);
    expect(await registry.predictBatch('scaled', rows)).toEqual(rows.map(() => expected));
  });

  test.each([
    ['a module that does not exist', [new URL('./nowhere.mjs', import.meta.url)], 'Cannot find module'],
    ['a text that is no URL', ['operators.js'], 'received "operators.js"'],
    ['no list', 'operators.js' as never, 'received string'],
  ])('%s is an error of the option', async (_, modules, message) => {
    const call = importModelAsync(model(2), flour, { operatorModules: modules });
    await expect(call).rejects.toMatchObject({ code: 'ERR_IMPORT_OPTION', message: expect.stringContaining(message) });
  });

  test('a registry rejects texts that are not URLs', async () => {
    const creation = createRegistry({ operatorModules: ['operators.js'] });
    await expect(creation).rejects.toMatchObject({ code: 'ERR_REGISTRY_OPTION' });
  });
});
