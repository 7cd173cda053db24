import { DataType, makeModel, makeNode, makeTensor, type NodeProto, tensorInput, writeModel } from '@brezel/onnx';
import { createFlour, createRuntime, importModel, importOnnx, importTensors, type NodeFacts } from 'brezel';
import { describe, expect, test } from 'vitest';
import { answer, bool, constant, file, float, float32, graph, int64, integer } from './models.js';

const identity = (shape: readonly (number | string)[]) =>
  file(graph([makeNode('Identity', ['x'], ['y'])], [float('x', shape)], [float('y', shape)]));

describe('importModel', () => {
  test('returns a row program if possible, otherwise a tensor program with the reason', async () => {
    using flour = await createFlour();
    expect(importModel(identity(['N', 4]), flour)).toMatchObject({
      kind: 'row',
      warnings: [],
      opsets: { 'ai.onnx': 17 },
    });
    const greatest = graph([makeNode('ReduceMax', ['x'], ['y'])], [float('x', ['N', 4])], [float('y', [1, 1])]);
    const tensor = importModel(file(greatest), flour);
    expect(tensor).toMatchObject({
      kind: 'tensor',
      why: { code: expect.stringMatching(/ERR_ONNX_(SHAPE|UNSUPPORTED)/) },
      operators: { 'ai.onnx:ReduceMax': 1 },
    });
    if (tensor.kind === 'tensor') expect(tensor.why.message).toContain('ReduceMax');
    expect(flour.store.stats().objects).toBe(0);
  });

  test('a constant output, or inputs with different numbers of rows, give a tensor program', async () => {
    using flour = await createFlour();
    const given = file(graph([constant('y', float32([2], 1, 2))], [], [float('y', [2])]));
    expect(importModel(given, flour).kind).toBe('tensor');
    const both = [makeNode('Identity', ['a'], ['y']), makeNode('Identity', ['b'], ['z'])];
    const unequal = file(graph(both, [float('a', [3, 4]), float('b', [4])], [float('y', [3, 4]), float('z', [4])]));
    expect(importModel(unequal, flour)).toMatchObject({
      kind: 'tensor',
      why: { message: expect.stringContaining('expected 3 rows') },
    });
  });

  test('a damaged file is an error', async () => {
    using flour = await createFlour();
    expect(() => importModel(identity([2, 2, 2]).subarray(0, 40), flour)).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/ERR_ONNX_(FORMAT|GRAPH)/) }),
    );
  });

  test('an unknown operator is reported with its node, name, domain and version', async () => {
    using flour = await createFlour();
    const node = { ...makeNode('Frobnicate', ['x'], ['y'], {}, 'local'), name: 'middle' };
    const bytes = file(graph([node], [float('x', ['N', 2])], [float('y', ['N', 2])]));
    for (const read of [() => importTensors(bytes), () => importModel(bytes, flour)])
      expect(read).toThrow(/node "middle" \(local.Frobnicate, opset 1\): local.Frobnicate/);
    const future = file(graph([makeNode('Identity', ['x'], ['y'])], [float('x', [2])], [float('y', [2])]), 99);
    expect(() => importTensors(future)).toThrow(
      /operator set 1 to 27 of ai.onnx at node "y" \(ai.onnx.Identity, opset 99\), received 99/,
    );
  });

  test('an unknown operator of constants is reported, too', async () => {
    using flour = await createFlour();
    const nodes = [makeNode('Add', ['c', 'c'], ['d']), makeNode('Mul', ['x', 'd'], ['y'])];
    const initializer = [makeTensor('c', 'float32', [1], Float32Array.of(1))];
    const bytes = file(graph(nodes, [float('x', ['N', 2])], [float('y', ['N', 2])], { initializer }), 99);
    const fault = expect.objectContaining({ code: 'ERR_ONNX_UNSUPPORTED' });
    expect(() => importOnnx(bytes, flour)).toThrow(fault);
    expect(() => importModel(bytes, flour)).toThrow(fault);
  });

  test('resolvers are called in order for operators that Brezel does not support', async () => {
    const asked: NodeFacts[] = [];
    const bytes = file(
      graph(
        [makeNode('Identity', ['x'], ['a']), makeNode('Negate', ['a'], ['y', ''], { strength: { f: 2 } }, 'local')],
        [float('x', [2])],
        [float('y', [2])],
      ),
    );
    const nobody = (node: NodeFacts) => void asked.push(node);
    const { program } = importTensors(bytes, {
      resolvers: [
        nobody as () => undefined,
        () => (call) => [
          float32(
            [2],
            ...Array.from(
              (call.inputs[0] as { data: Float32Array }).data,
              (value) => -value * (call.attributes.strength as number),
            ),
          ),
        ],
        () => {
          throw new Error('not asked');
        },
      ],
    });
    expect(asked).toEqual([
      { domain: 'local', operator: 'Negate', opset: 1, attributes: { strength: 2 }, inputs: 1, outputs: 2, bodies: [] },
    ]);
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store });
    const registered = runtime.registerTensors(program);
    expect(await runtime.predictTensors(registered, { x: float32([2], 1, 2) })).toEqual({ y: float32([2], -2, -4) });
  });

  test('stop words remove elements of a list, but before a tokenizer each text is a row', async () => {
    using flour = await createFlour();
    const x = tensorInput('x', DataType.STRING, ['N']);
    const stop = makeNode('StringNormalizer', ['x'], ['y'], { stopwords: { strings: ['the'] } });
    const listed = importModel(file(graph([stop], [x], [tensorInput('y', DataType.STRING, ['M'])])), flour);
    expect(listed).toMatchObject({ kind: 'tensor', why: { message: expect.stringContaining('stop words') } });
    const words = { separators: { strings: [' '] }, pad_value: { s: '#' }, mark: { i: 0 }, mincharnum: { i: 1 } };
    const tokenizer = makeNode('Tokenizer', ['y'], ['t'], words, 'com.microsoft');
    const counts = { mode: { s: 'TF' }, pool_strings: { strings: ['the', 'end'] }, ngram_counts: { ints: [0] } };
    const tf = { ...counts, ngram_indexes: { ints: [0, 1] }, min_gram_length: { i: 1 }, max_gram_length: { i: 1 } };
    const count = makeNode('TfIdfVectorizer', ['t'], ['z'], { ...tf, max_skip_count: { i: 0 } });
    const opsets = { '': 17, 'com.microsoft': 1 };
    const pipeline = graph([stop, tokenizer, count], [x], [float('z', ['N', 2])]);
    const texts = importModel(writeModel(makeModel(pipeline, opsets)), flour);
    if (texts.kind !== 'row') throw texts.why;
    await using runtime = createRuntime({ store: flour.store });
    const plan = runtime.register(texts.program.plan());
    expect(runtime.predictSync(plan, 'the')).toEqual({ z: [0, 0] });
    expect(runtime.predictSync(plan, 'the end')).toEqual({ z: [1, 1] });
  });

  test('a mask of a Dropout, and a Dropout that may train, give a tensor program', async () => {
    using flour = await createFlour();
    const masked = makeNode('Dropout', ['x'], ['y', 'mask']);
    const outputs = [float('y', ['N', 2]), tensorInput('mask', DataType.BOOL, ['N', 2])];
    const read = (nodes: NodeProto[], count: number) =>
      importModel(file(graph(nodes, [float('x', ['N', 2])], outputs.slice(0, count))), flour);
    expect(read([masked], 2)).toMatchObject({ kind: 'tensor', why: { message: expect.stringContaining('"mask"') } });
    expect(read([masked], 1).kind).toBe('row');
    const training = [constant('ratio', float32([], 0.5)), constant('training', bool(true))];
    const trained = makeNode('Dropout', ['x', 'ratio', 'training'], ['y']);
    expect(read([...training, trained], 1)).toMatchObject({
      kind: 'tensor',
      why: { message: expect.stringContaining('it may train') },
    });
  });

  test('an input of which only the type is read, or an unused input, may have any shape', async () => {
    const inputs = [float('x', [2]), integer('like', [3, 4]), float('unused', [7])];
    const bytes = file(graph([makeNode('CastLike', ['x', 'like'], ['y'])], inputs, [integer('y', [2])]));
    const given = { x: float32([2], 1.5, -2), like: int64([1], 0), unused: float32([], 0) };
    expect(await answer(bytes, given)).toEqual({ y: int64([2], 1, -2) });
    await expect(answer(bytes, { ...given, like: float32([1], 0) })).rejects.toThrow(/expected int64 at input "like"/);
    const both = file(graph([makeNode('CastLike', ['like', 'like'], ['y'])], inputs, [integer('y', [2])]));
    await expect(answer(both, given)).rejects.toThrow(/expected int64\[3, 4\] at input "like"/);
  });

  test('an input of an unsupported type is rejected', () => {
    const bytes = file(
      graph([makeNode('Identity', ['x'], ['y'])], [tensorInput('x', DataType.COMPLEX64, [2])], [float('y', [2])]),
    );
    expect(() => importTensors(bytes)).toThrow(/input "x", received COMPLEX64/);
  });
});
