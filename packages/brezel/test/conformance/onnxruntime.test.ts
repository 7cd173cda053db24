import {
  DataType,
  makeGraph,
  makeModel,
  makeNode,
  makeTensor,
  type NodeProto,
  type TensorProto,
  tensorInput,
  writeModel,
} from '@brezel/onnx';
import { createFlour, createRuntime, importOnnx } from 'brezel';
import { describe, expect, it } from 'vitest';

// Compares small models of single operators with onnxruntime. They cover corner cases that trained
// models rarely have.

type Runtime = typeof import('onnxruntime-node');
const ort: Runtime | undefined = await import('onnxruntime-node').catch((error: Error) => {
  console.log(`onnxruntime-node does not load, its comparison is left out: ${error.message}`);
  return undefined;
});

const rows = [
  [1, 2],
  [-1, 0.5],
  [0, 0],
  [3, -2],
];

interface Case {
  readonly name: string;
  readonly nodes: NodeProto[];
  readonly outputs: readonly { readonly name: string; readonly type: number; readonly shape: (string | number)[] }[];
  readonly initializers?: TensorProto[];
}

async function compare({ nodes, outputs, initializers = [] }: Case): Promise<void> {
  const graph = makeGraph({
    node: nodes,
    initializer: initializers,
    input: [tensorInput('x', DataType.FLOAT, ['N', 2])],
    output: outputs.map(({ name, type, shape }) => tensorInput(name, type, shape)),
  });
  const bytes = writeModel(makeModel(graph, { '': 17, 'ai.onnx.ml': 3 }));
  const session = await ort!.InferenceSession.create(bytes, { logSeverityLevel: 3 });
  const wanted = await session.run({ x: new ort!.Tensor('float32', Float32Array.from(rows.flat()), [rows.length, 2]) });
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store });
  const plan = runtime.register(importOnnx(bytes, flour).program.plan());
  const answers = await runtime.predictBatch(
    plan,
    rows.map((x) => ({ x })),
  );
  for (const { name } of outputs) {
    const got = answers.flatMap((answer) => [answer[name]].flat()).map(Number);
    const want = [...(wanted[name]!.data as Iterable<number | bigint>)].map(Number);
    expect(got.length).toBe(want.length);
    got.forEach((value, at) => expect(value, `${name}[${at}]`).toBeCloseTo(want[at]!, 5));
  }
}

const classifier = (classes: number) => [
  { name: 'label', type: DataType.INT64, shape: ['N'] },
  { name: 'scores', type: DataType.FLOAT, shape: ['N', classes] },
];

function linear(transform: string, classes: 2 | 3): Case {
  const attributes = {
    coefficients: { floats: classes === 2 ? [0.5, -1] : [0.5, -1, 1, 1, 0, 0] },
    intercepts: { floats: classes === 2 ? [0.25] : [0.25, 0, 0] },
    classlabels_ints: { ints: [3, 7, 9].slice(0, classes) },
    post_transform: { s: transform },
  };
  return {
    name: `LinearClassifier, ${classes === 2 ? 'one score for two classes' : 'three scores'}, ${transform}`,
    nodes: [makeNode('LinearClassifier', ['x'], ['label', 'scores'], attributes, 'ai.onnx.ml')],
    outputs: classifier(classes),
  };
}

function tree(weights: number[], transform: string, scored: 0 | 1, base: number[] | undefined): Case {
  const attributes = {
    nodes_treeids: { ints: [0, 0, 0] },
    nodes_nodeids: { ints: [0, 1, 2] },
    nodes_featureids: { ints: [0, 0, 0] },
    nodes_values: { floats: [0.5, 0, 0] },
    nodes_modes: { strings: ['BRANCH_LEQ', 'LEAF', 'LEAF'] },
    nodes_truenodeids: { ints: [1, 0, 0] },
    nodes_falsenodeids: { ints: [2, 0, 0] },
    class_treeids: { ints: [0, 0] },
    class_nodeids: { ints: [1, 2] },
    class_ids: { ints: [scored, scored] },
    class_weights: { floats: weights },
    classlabels_int64s: { ints: [4, 5] },
    post_transform: { s: transform },
    ...(base && { base_values: { floats: base } }),
  };
  return {
    name: `TreeEnsembleClassifier, weights ${weights} for class ${scored}, ${transform}, base ${base ?? 'none'}`,
    nodes: [makeNode('TreeEnsembleClassifier', ['x'], ['label', 'scores'], attributes, 'ai.onnx.ml')],
    outputs: classifier(2),
  };
}

const transforms = ['NONE', 'LOGISTIC', 'SOFTMAX', 'SOFTMAX_ZERO'];
const trees = [
  [0.2, 0.9],
  [-0.3, 0.8],
  [0, 0.5],
].flatMap((weights) =>
  transforms
    .slice(0, 3)
    .flatMap((transform) => [
      tree(weights, transform, 0, undefined),
      tree(weights, transform, 0, [0.1]),
      tree(weights, transform, 1, undefined),
    ]),
);

/**
 * The nodes of two trees in unusual orders. No branch reaches one of the nodes, so its weight has
 * no effect.
 */
function scattered(name: string, ids: readonly number[]): Case {
  const [root, high, low, lost] = ids as [number, number, number, number];
  const attributes = {
    nodes_treeids: { ints: [1, 1, 1, 1, 0, 0, 0, 0] },
    nodes_nodeids: { ints: [root, lost, low, high, root, lost, low, high] },
    nodes_featureids: { ints: [0, 0, 0, 0, 1, 0, 0, 0] },
    nodes_values: { floats: [0.5, 0, 0, 0, -0.25, 0, 0, 0] },
    nodes_modes: { strings: ['BRANCH_LT', 'LEAF', 'LEAF', 'LEAF', 'BRANCH_GT', 'LEAF', 'LEAF', 'LEAF'] },
    nodes_truenodeids: { ints: [low, 0, 0, 0, high, 0, 0, 0] },
    nodes_falsenodeids: { ints: [high, 0, 0, 0, low, 0, 0, 0] },
    target_treeids: { ints: [0, 0, 0, 1, 1, 1] },
    target_nodeids: { ints: [low, high, lost, lost, high, low] },
    target_ids: { ints: [0, 0, 0, 0, 0, 0] },
    target_weights: { floats: [0.5, 1, 64, 32, 2, 4] },
    n_targets: { i: 1 },
  };
  return {
    name: `TreeEnsembleRegressor, nodes ${name}`,
    nodes: [makeNode('TreeEnsembleRegressor', ['x'], ['y'], attributes, 'ai.onnx.ml')],
    outputs: [{ name: 'y', type: DataType.FLOAT, shape: ['N', 1] }],
  };
}

const vector = (size: number) => [{ name: 'y', type: DataType.FLOAT, shape: ['N', size] }];
const one = (operator: string, size: number, attributes = {}, domain = ''): Case => ({
  name: `${operator} ${JSON.stringify(attributes)}`,
  nodes: [makeNode(operator, ['x'], ['y'], attributes, domain)],
  outputs: vector(size),
});

const cases: Case[] = [
  ...transforms.flatMap((transform) => [linear(transform, 2), linear(transform, 3)]),
  ...trees,
  scattered('numbered in order', [0, 3, 2, 1]),
  scattered('numbered anyhow', [7, 2, 6, 5]),
  ...['L1', 'L2', 'MAX'].map((norm) => one('Normalizer', 2, { norm: { s: norm } }, 'ai.onnx.ml')),
  ...['Exp', 'Sigmoid', 'Tanh', 'Relu', 'Neg', 'Abs', 'Softmax'].map((operator) => one(operator, 2)),
  ...['ReduceMean', 'ReduceMax', 'ReduceLogSumExp'].map((operator) => one(operator, 1, { axes: { ints: [1] } })),
  {
    name: 'LinearRegressor with two targets',
    nodes: [
      makeNode(
        'LinearRegressor',
        ['x'],
        ['y'],
        { coefficients: { floats: [1, 2, -1, 0.5] }, intercepts: { floats: [0.5, -0.5] }, targets: { i: 2 } },
        'ai.onnx.ml',
      ),
    ],
    outputs: vector(2),
  },
  {
    name: 'MatMul and broadcasting arithmetic',
    nodes: [
      makeNode('MatMul', ['x', 'w'], ['a']),
      makeNode('Add', ['a', 'b'], ['c']),
      makeNode('Sub', ['one', 'c'], ['d']),
      makeNode('Div', ['c', 'd'], ['y']),
    ],
    initializers: [
      makeTensor('w', 'float32', [2, 3], Float32Array.of(1, 2, 3, -1, 0, 0.5)),
      makeTensor('b', 'float32', [1, 3], Float32Array.of(0.5, 0.25, -4)),
      makeTensor('one', 'float32', [], Float32Array.of(1)),
    ],
    outputs: vector(3),
  },
];

describe.skipIf(ort === undefined)('agrees with onnxruntime', () => {
  for (const one of cases) it(one.name, () => compare(one));
});
