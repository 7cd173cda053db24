import { DataType, makeModel, makeNode, makeTensor, type NodeProto, tensorInput, writeModel } from '@brezel/onnx';
import {
  type Backend,
  type BlackBoxChoice,
  createFlour,
  createRuntime,
  explain,
  type ImportedModel,
  importModel,
  importOnnx,
  importTensors,
  onnxruntimeBackend,
  openFleet,
  packFleet,
  type TensorValue,
} from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../cli/test/brezel.js';
import { constant, float, float32, type Graph, graph, int64, integer } from './models.js';

// Unsupported operators inside row programs: importOnnx(bytes, flour, { blackBox }).

const backend = onnxruntimeBackend({ workers: 1 });
const { available, why } = await backend.probe();
if (!available) console.warn(`black boxes are not run: ${why}`);
const flour = await createFlour();
const runtime = createRuntime({ store: flour.store, backends: [backend] });
const folder = temporaryFolder();
afterAll(async () => {
  await runtime.close();
  await backend.dispose();
  flour.dispose();
  folder.remove();
});

/**
 * An operator of another domain that Brezel will never support: inverse matrices. It does not mix
 * rows.
 */
const inverse = (input: string, output: string): NodeProto =>
  makeNode('Inverse', [input], [output], {}, 'com.microsoft');
const file = (main: Graph): Uint8Array => writeModel(makeModel(main, { '': 17, 'com.microsoft': 1 }));
const square = ['N', 2, 2];

/** A file with supported featurizers, an inverse matrix, and a supported last operator. */
const mixed = file(
  graph(
    [
      makeNode('Mul', ['x', 'half'], ['a']),
      inverse('a', 'b'),
      makeNode('Flatten', ['b'], ['line']),
      makeNode('MatMul', ['line', 'w'], ['y']),
    ],
    [float('x', square)],
    [float('y', ['N', 1])],
    {
      name: 'mixed',
      initializer: [
        makeTensor('half', 'float32', [], Float32Array.of(0.5)),
        makeTensor('w', 'float32', [4, 1], Float32Array.of(1, 2, 4, 8)),
      ],
      valueInfo: [float('b', square)],
    },
  ),
);

type Fields = Readonly<Record<string, unknown>>;

async function answers({ program }: ImportedModel, rows: readonly Fields[], run = runtime): Promise<unknown[]> {
  const plan = program.plan();
  const registered = run.register(plan);
  plan.release();
  try {
    return JSON.parse(JSON.stringify(await run.predictBatch(registered, rows as never)));
  } finally {
    run.unregister(registered);
  }
}

/** Returns the answer of onnxruntime to the whole file. */
async function whole(bytes: Uint8Array, inputs: Readonly<Record<string, TensorValue>>) {
  const registered = runtime.registerTensors(importTensors(bytes, { flour, blackBox: 'prefer' }).program);
  try {
    return await runtime.predictTensors(registered, inputs);
  } finally {
    runtime.unregister(registered);
  }
}

const read = (bytes: Uint8Array, blackBox: BlackBoxChoice = 'allow') => importOnnx(bytes, flour, { blackBox });

describe('importOnnx with unsupported operators', () => {
  test('fails with the first operator and a hint, unless black boxes are allowed', () => {
    for (const options of [undefined, {}, { blackBox: 'forbid' as const }])
      expect(() => importOnnx(mixed, flour, options)).toThrow(
        expect.objectContaining({
          code: 'ERR_ONNX_UNSUPPORTED',
          message: expect.stringContaining('node "b" (com.microsoft.Inverse, opset 1)'),
          hint: expect.stringContaining("blackBox: 'allow'"),
        }),
      );
    expect(() => read(mixed, 'perhaps' as never)).toThrow(expect.objectContaining({ code: 'ERR_ONNX_OPTION' }));
  });

  test('one plan has stages of Brezel before and after the box, and EXPLAIN shows the boxed nodes with the reason', () => {
    const { program, blackBoxes } = read(mixed);
    expect(blackBoxes).toMatchObject([
      { name: 'black box 0 (Inverse)', inputs: [{ name: 'a' }], outputs: ['b'], nodes: [{ name: 'b' }] },
    ]);
    const text = explain(program);
    expect(text).toContain('stage 2 runs in a backend: use predict, predictBatch or predictStream');
    expect(text).toContain(
      '  in a backend: b, com.microsoft:Inverse: Brezel does not have com.microsoft:Inverse, opset 1',
    );
    const plan = program.plan();
    const engines = plan.stages.map(({ stage }) => stage.calls !== undefined);
    plan.release();
    expect(engines).toEqual([true, false, true]);
  });

  test('nodes that read values of undeclared sizes join the box', () => {
    const nodes = [
      inverse('x', 'b'),
      makeNode('Neg', ['b'], ['c']),
      makeNode('Abs', ['c'], ['d']),
      makeNode('Neg', ['d'], ['y']),
    ];
    const blackOf = (...declared: string[]) => {
      const valueInfo = declared.map((name) => float(name, square));
      return read(file(graph(nodes, [float('x', square)], [float('y', square)], { valueInfo }))).blackBoxes;
    };
    const names = (...declared: string[]) =>
      blackOf(...declared).map((box) => box.nodes.map(({ name }) => name).join(' '));
    expect(names('b', 'c', 'd')).toEqual(['b']);
    expect(names('c')).toEqual(['b c']);
    expect(names()).toEqual(['b c d y']);
    expect(blackOf('c')[0]!.nodes[1]!.why).toBe('it reads "b", whose sizes the file does not declare');
  });

  test('supported nodes join no box, and importModel checks that rows are independent', () => {
    const x = [float('x', ['N', 2])];
    const white = file(graph([makeNode('Neg', ['x'], ['y'])], x, [float('y', ['N', 2])]));
    expect(read(white).blackBoxes).toEqual([]);
    expect(importModel(mixed, flour, { blackBox: 'allow' })).toMatchObject({ kind: 'tensor' });
    expect(importModel(white, flour, { blackBox: 'allow' })).toMatchObject({ kind: 'row', blackBoxes: [] });
  });

  test('without a backend or an installed package, the error says what to install', async () => {
    const without = createRuntime({ store: flour.store });
    await expect(answers(read(mixed), [{ x: [2, 0, 0, 4] }], without)).rejects.toMatchObject({
      code: 'ERR_BACKEND_MISSING',
      hint: expect.stringContaining('npm install onnxruntime-node'),
    });
    await without.close();
  });
});

describe('rejected, and nothing stays in the store', () => {
  const flagged = tensorInput('b', DataType.INT8, square);
  const refused: [string, Uint8Array, RegExp][] = [
    [
      'free sizes',
      file(graph([inverse('x', 'y')], [float('x', square)], [float('y', ['N', 'K', 2])])),
      /of "y",.*received float32\[N, K, 2\]/,
    ],
    [
      'elements that rows do not have',
      file(
        graph([inverse('x', 'b'), makeNode('Identity', ['b'], ['y'])], [float('x', square)], [flagged], {
          valueInfo: [flagged],
        }),
      ),
      /a declared type \[N, sizes...\] of "b".* at black box 0 \(Inverse, Identity\), received int8\[N, 2, 2\]/,
    ],
    [
      'rows along another axis',
      file(
        graph(
          [makeNode('Transpose', ['x'], ['t'], { perm: { ints: [1, 0, 2] } }), inverse('t', 'y')],
          [float('x', square)],
          [float('y', square)],
        ),
      ),
      /rows along the first axis as "t" .*received float32 with rows along axis 1/,
    ],
    [
      'what no row changes',
      file(
        graph(
          [
            constant('c', float32([1, 2, 2], 2, 0, 0, 4)),
            makeNode('Abs', ['c'], ['d']),
            inverse('d', 'b'),
            makeNode('Add', ['x', 'b'], ['y']),
          ],
          [float('x', square)],
          [float('y', square)],
          { valueInfo: [float('b', square)] },
        ),
      ),
      /received a constant/,
    ],
  ];
  test.each(refused)('%s', (_, bytes, message) => {
    const before = flour.store.stats().objects;
    expect(() => read(bytes)).toThrow(message);
    expect(() => read(bytes)).toThrow(expect.objectContaining({ hint: expect.stringContaining('importModel') }));
    expect(flour.store.stats().objects).toBe(before);
  });
});

describe.skipIf(!available)('answers', () => {
  const rows = Array.from({ length: 300 }, (_, at) => ({ x: [at + 1, 0.5, -0.25, 4] }));
  const x = float32([300, 2, 2], ...rows.flatMap((row) => row.x));

  test('of every asynchronous verb are those of onnxruntime for the whole file', async () => {
    const { y } = await whole(mixed, { x });
    const model = read(mixed);
    const got = (await answers(model, rows)) as { y: number[] }[];
    (y as { data: Float32Array }).data.forEach((value, row) => {
      expect(got[row]!.y[0]).toBeCloseTo(value, 5);
    });
    const registered = runtime.register(model.program.plan());
    expect([...((await runtime.predict(registered, rows[0] as never)).y as number[])]).toEqual(got[0]!.y);
    for await (const answer of runtime.predictStream(registered, rows.slice(0, 3) as never))
      expect(answer.y).toHaveLength(1);
    expect(() => runtime.predictSync(registered, rows[0] as never)).toThrow(
      expect.objectContaining({ code: 'ERR_FLOUR_BLACK_BOX' }),
    );
    runtime.unregister(registered);
  });

  test('several inputs, and several outputs of one type, are transferred in one call', async () => {
    const bytes = file(
      graph(
        [inverse('x', 'a'), inverse('z', 'b'), makeNode('Concat', ['a', 'b'], ['both'], { axis: { i: 1 } })],
        [float('x', square), float('z', square)],
        [float('both', ['N', 4, 2])],
        { valueInfo: [float('a', square), float('b', square)] },
      ),
    );
    const model = read(bytes);
    expect(model.blackBoxes).toHaveLength(1);
    expect(explain(model.program).match(/brezel\/black-box/g)).toHaveLength(1);
    const answered = await answers(model, [{ x: [2, 0, 0, 4], z: [1, 0, 0, 8] }]);
    expect(answered).toEqual([
      {
        both: [
          [0.5, 0],
          [0, 0.25],
          [1, 0],
          [0, 0.125],
        ],
      },
    ]);
  });

  test('outputs of several types: integers stay integers', async () => {
    const nodes = [
      inverse('x', 'a'),
      makeNode('Cast', ['i'], ['j'], { to: { i: DataType.INT64 } }),
      makeNode('Neg', ['j'], ['k']),
    ];
    const bytes = file(
      graph(nodes, [float('x', square), integer('i', ['N'])], [float('a', square), integer('k', ['N'])]),
    );
    const model = read(bytes, 'prefer');
    expect(model.blackBoxes).toHaveLength(1);
    const answered = await answers(model, [{ x: [2, 0, 0, 4], i: 2n ** 53n - 1n }]);
    expect(answered).toEqual([
      {
        a: [
          [0.5, 0],
          [0, 0.25],
        ],
        k: -(2 ** 53 - 1),
      },
    ]);
    expect((await whole(bytes, { x: float32([1, 2, 2], 2, 0, 0, 4), i: int64([1], 7) })).k).toEqual(int64([1], -7));
  });

  test('a file for one row receives rows one by one', async () => {
    const bytes = file(graph([inverse('x', 'y')], [float('x', [1, 2, 2])], [float('y', [1, 2, 2])]));
    const got = (await answers(read(bytes), rows.slice(0, 5))) as { y: number[][] }[];
    const many = (await answers(
      read(file(graph([inverse('x', 'y')], [float('x', square)], [float('y', square)]))),
      rows.slice(0, 5),
    )) as { y: number[][] }[];
    expect(got).toEqual(many);
  });

  test('a function selects the convolutions of an image for a box, and Brezel runs the forest', async () => {
    const weights = Float32Array.from({ length: 18 }, (_, at) => ((at * 7) % 5) - 2);
    const stumps = {
      nodes_treeids: { ints: [0, 0, 0, 1, 1, 1] },
      nodes_nodeids: { ints: [0, 1, 2, 0, 1, 2] },
      nodes_featureids: { ints: [0, 0, 0, 1, 0, 0] },
      nodes_values: { floats: [4, 0, 0, 6, 0, 0] },
      nodes_modes: { strings: ['BRANCH_LEQ', 'LEAF', 'LEAF', 'BRANCH_LEQ', 'LEAF', 'LEAF'] },
      nodes_truenodeids: { ints: [1, 0, 0, 1, 0, 0] },
      nodes_falsenodeids: { ints: [2, 0, 0, 2, 0, 0] },
      target_treeids: { ints: [0, 0, 1, 1] },
      target_nodeids: { ints: [1, 2, 1, 2] },
      target_ids: { ints: [0, 0, 0, 0] },
      target_weights: { floats: [1, 2, 10, 20] },
      n_targets: { i: 1 },
    };
    const nodes = [
      makeNode('Conv', ['x', 'w'], ['c']),
      makeNode('Relu', ['c'], ['r']),
      makeNode('GlobalAveragePool', ['r'], ['p']),
      makeNode('Flatten', ['p'], ['features']),
      makeNode('TreeEnsembleRegressor', ['features'], ['y'], stumps, 'ai.onnx.ml'),
    ];
    const main = graph(nodes, [float('x', ['N', 1, 6, 6])], [float('y', ['N', 1])], {
      initializer: [makeTensor('w', 'float32', [2, 1, 3, 3], weights)],
      valueInfo: [float('c', ['N', 2, 4, 4])],
    });
    const bytes = writeModel(makeModel(main, { '': 17, 'ai.onnx.ml': 3 }));
    const images = Array.from({ length: 40 }, (_, image) => ({
      x: Array.from({ length: 36 }, (_, at) => ((at * (image + 3)) % 11) - 5),
    }));
    const boxed = read(bytes, ({ operator }) => operator === 'Conv');
    expect(boxed.blackBoxes.map(({ nodes }) => nodes.map(({ why }) => why))).toEqual([
      ['the option blackBox selects it'],
    ]);
    const got = await answers(boxed, images);
    expect(got).toEqual(await answers(read(bytes), images));
    expect(new Set(got.map((one) => JSON.stringify(one))).size).toBeGreaterThan(2);
  });

  test('texts can be inputs of a box', async () => {
    const words = { separators: { strings: [' '] }, pad_value: { s: '#' }, mark: { i: 0 }, mincharnum: { i: 1 } };
    const counted = {
      mode: { s: 'TF' },
      pool_strings: { strings: ['good', 'bad'] },
      ngram_counts: { ints: [0] },
      ngram_indexes: { ints: [0, 1] },
      min_gram_length: { i: 1 },
      max_gram_length: { i: 1 },
      max_skip_count: { i: 0 },
    };
    const bytes = file(
      graph(
        [
          makeNode('Tokenizer', ['t'], ['u'], words, 'com.microsoft'),
          makeNode('TfIdfVectorizer', ['u'], ['y'], counted),
        ],
        [tensorInput('t', DataType.STRING, ['N'])],
        [float('y', ['N', 2])],
      ),
    );
    const texts = ['good', 'bad good', ''].map((t) => ({ t }));
    expect(read(bytes, 'prefer').blackBoxes.map(({ nodes }) => nodes.length)).toEqual([2]);
    expect(await answers(read(bytes, 'prefer'), texts)).toEqual(await answers(read(bytes), texts));
  });

  test('a network in float16: inputs are rounded, and outputs are exact', async () => {
    const half = (name: string, shape: readonly (number | string)[]) => tensorInput(name, DataType.FLOAT16, shape);
    const nodes = [
      makeNode('Neg', ['x'], ['a']),
      makeNode('Abs', ['a'], ['b']),
      makeNode('Cast', ['b'], ['y'], { to: { i: DataType.FLOAT } }),
    ];
    const outputs = [half('a', ['N', 2]), float('y', ['N', 2])];
    const bytes = file(graph(nodes, [half('x', ['N', 2])], outputs, { valueInfo: [half('b', ['N', 2])] }));
    const some = [
      [0.1, -2],
      [65504, -1e-7],
      [Number.NaN, 3],
    ].map((x) => ({ x }));
    const wanted = await answers(read(bytes), some);
    expect((wanted[0] as { y: number[] }).y).toEqual([0.0999755859375, 2]);
    for (const choice of ['prefer', ({ operator }: { operator: string }) => operator === 'Abs'] as const) {
      const boxed = read(bytes, choice);
      expect(boxed.blackBoxes).toHaveLength(1);
      expect(await answers(boxed, some)).toEqual(wanted);
    }
  });

  test('a whole classifier with text labels: labels are texts, scores numbers', async () => {
    const classifier = makeNode(
      'LinearClassifier',
      ['x'],
      ['label', 'scores'],
      {
        coefficients: { floats: [1, 0, -1, 0.5, 0, 1] },
        intercepts: { floats: [0, 0.25, 0] },
        classlabels_strings: { strings: ['low', 'grün', 'high'] },
        post_transform: { s: 'SOFTMAX' },
      },
      'ai.onnx.ml',
    );
    const outputs = [tensorInput('label', DataType.STRING, ['N']), float('scores', ['N', 3])];
    const main = graph([classifier], [float('x', ['N', 2])], outputs);
    const bytes = writeModel(makeModel(main, { '': 17, 'ai.onnx.ml': 3 }));
    const some = [
      [3, 1],
      [-2, -2],
      [0, 9],
      [-5, 0],
    ].map((x) => ({ x }));
    const [boxed, white] = [read(bytes, 'prefer'), read(bytes)];
    expect([boxed.blackBoxes.length, white.blackBoxes.length]).toEqual([1, 0]);
    const [got, wanted] = [await answers(boxed, some), await answers(white, some)] as {
      label: string;
      scores: number[];
    }[][];
    expect(got!.map(({ label }) => label)).toEqual(wanted!.map(({ label }) => label));
    expect(new Set(got!.map(({ label }) => label)).size).toBe(3);
    got!.forEach(({ scores }, row) => {
      scores.forEach((score, at) => {
        expect(score).toBeCloseTo(wanted![row]!.scores[at]!, 5);
      });
    });
  });

  test('a fleet file stores such a plan with its boxes', async () => {
    const path = folder.path('fleet.brezel');
    const model = read(mixed);
    const plan = model.program.plan();
    await packFleet([plan], path, { store: flour.store });
    plan.release();
    using fleet = await openFleet(path);
    await using served = createRuntime({ store: fleet.store, backends: [backend] });
    const registered = served.register(fleet.plan('mixed'));
    const got = await served.predictBatch(registered, rows.slice(0, 2) as never);
    expect(JSON.parse(JSON.stringify(got))).toEqual(await answers(model, rows.slice(0, 2)));
  });

  test('a custom backend that throws once does not affect later calls or other plans', async () => {
    let calls = 0;
    const failing: Backend = {
      name: 'failing',
      formats: ['onnx'],
      probe: () => backend.probe(),
      open: async (model, options) => {
        const stage = await backend.open(model, options);
        return {
          ...stage,
          run: (inputs, given) =>
            ++calls === 2 ? Promise.reject(new Error('in the middle')) : stage.run(inputs, given),
        };
      },
      dispose: async () => undefined,
    };
    await using run = createRuntime({ store: flour.store, backends: [failing] });
    const [one, two] = [run.register(read(mixed).program.plan()), run.register(read(mixed).program.plan())];
    await expect(run.predictBatch(one!, rows as never)).rejects.toThrow('in the middle');
    expect(await run.predictBatch(two!, rows as never)).toEqual(await run.predictBatch(one!, rows as never));
  });
});
