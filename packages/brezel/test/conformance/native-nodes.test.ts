import { makeNode, makeTensor, type NodeProto, type TensorProto } from '@brezel/onnx';
import { createFlour, createRuntime, importOnnx, loadNative } from 'brezel';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Comparison, type ElementType, expectAsOnnxruntime, fileOf, ort } from './against-onnxruntime.js';
import { seed } from './seed.js';

// Graphs that exporters write for models with float64 numbers, votes, nearest neighbors and choices
// between values. Every graph runs entirely in the addon and returns the answers of onnxruntime.

type Numeric = 'float32' | 'float64' | 'int64' | 'int32';
type Attributes = Parameters<typeof makeNode>[3];
interface Graph {
  readonly nodes: readonly NodeProto[];
  readonly initializers?: readonly TensorProto[];
  readonly outputs: Readonly<Record<string, ElementType>>;
}

const COLUMNS = 4;
const RUNS = 2;

const arrays = {
  float32: (values: readonly number[]) => Float32Array.from(values),
  float64: (values: readonly number[]) => Float64Array.from(values),
  int64: (values: readonly number[]) => BigInt64Array.from(values, (value) => BigInt(Math.round(value))),
  int32: (values: readonly number[]) => Int32Array.from(values, Math.round),
};
const constant = (name: string, type: Numeric, shape: readonly number[], values: readonly number[]) =>
  makeTensor(name, type, shape, arrays[type](values));
const node = (operator: string, inputs: readonly string[], output: string, attributes: Attributes = {}) =>
  makeNode(operator, inputs, [output], attributes);
/** Converts bools of the graph to numbers, so that both sides return the same type. */
const told = (bools: string) => node('Cast', [bools], 'y', { to: { i: 7 } });

const [real, whole] = [['float32', 'float64'] as const, ['int64', 'int32'] as const];
const every = [...real, ...whole];
const weights = [0.5, -1, 2, 0.25, 3, -2, 1, 4, -0.75, 1.5, 2.5, -3];

const graphs: Record<string, readonly [types: readonly Numeric[], graph: (type: Numeric) => Graph]> = {};
const add = (name: string, types: readonly Numeric[], graph: (type: Numeric) => Graph) => {
  graphs[name] = [types, graph];
};

for (const operator of ['Add', 'Sub', 'Mul', 'Div', 'Max', 'Min'])
  add(operator, every, (type) => ({
    nodes: [node(operator, ['x', 'c'], 'v'), node(operator, ['v', 'x'], 'y')].slice(0, operator === 'Div' ? 1 : 2).map((one, at, { length }) => (at === length - 1 ? { ...one, output: ['y'] } : one)), // biome-ignore format: a divisor of the row may be 0
    initializers: [constant('c', type, [COLUMNS], [3, -2, 1, 7])],
    outputs: { y: type },
  }));
for (const operator of ['Greater', 'Less', 'Equal', 'GreaterOrEqual', 'LessOrEqual'])
  add(operator, every, (type) => ({
    nodes: [node(operator, ['x', 'c'], 'b'), told('b')],
    initializers: [constant('c', type, [1, COLUMNS], [1, 0, -1, 2])],
    outputs: { y: 'int64' },
  }));
for (const operator of [
  'ReduceSum',
  'ReduceMean',
  'ReduceMax',
  'ReduceMin',
  'ReduceProd',
  'ReduceSumSquare',
  'ReduceL1',
  'ReduceL2',
])
  add(operator, real, (type) => ({
    nodes: [
      operator === 'ReduceSum' ? node(operator, ['x', 'a'], 'y') : node(operator, ['x'], 'y', { axes: { ints: [1] } }),
    ],
    initializers: operator === 'ReduceSum' ? [constant('a', 'int64', [1], [1])] : [],
    outputs: { y: type },
  }));
for (const connective of ['And', 'Or', 'Xor'])
  add(connective, every, (type) => ({
    nodes: [
      node('Greater', ['x', 'c'], 'a'),
      node('Less', ['x', 'd'], 'b'),
      node(connective, ['a', 'b'], 'ab'),
      node('Not', ['ab'], 'b2'),
      told('b2'),
    ],
    initializers: [constant('c', type, [], [1]), constant('d', type, [1], [0])],
    outputs: { y: 'int64' },
  }));
add('IsNaN', real, () => ({
  nodes: [node('Div', ['x', 'x'], 'q'), node('IsNaN', ['q'], 'b'), told('b')],
  outputs: { y: 'int64' },
}));
add('ArgMax and ArgMin', real, () => ({
  nodes: [
    node('ArgMax', ['x'], 'y', { axis: { i: 1 }, keepdims: { i: 0 } }),
    node('ArgMin', ['x'], 'z', { axis: { i: 1 } }),
  ],
  outputs: { y: 'int64', z: 'int64' },
}));
add('MatMul', real, (type) => ({
  nodes: [node('MatMul', ['x', 'w'], 'v'), node('Add', ['v', 'b'], 'y')],
  initializers: [constant('w', type, [COLUMNS, 3], weights), constant('b', type, [3], [0.5, -1, 2])],
  outputs: { y: type },
}));
add('MatMul of whole numbers', whole, (type) => ({
  nodes: [node('MatMul', ['x', 'w'], 'v'), node('MatMul', ['v', 'u'], 'y')],
  initializers: [constant('w', type, [COLUMNS, 3], weights), constant('u', type, [3, 3], weights.slice(3))],
  outputs: { y: type },
}));
add('Gemm', real, (type) => ({
  nodes: [
    node('Gemm', ['x', 'w', 'b'], 'v', { alpha: { f: -2 }, beta: { f: 0.5 }, transB: { i: 1 } }),
    node('Gemm', ['x', 'w', 'v'], 'y', { transB: { i: 1 } }),
  ],
  initializers: [constant('w', type, [3, COLUMNS], weights), constant('b', type, [3], [0.5, -1, 2])],
  outputs: { y: type },
}));
add('Where', every, (type) => ({
  nodes: [
    node('Greater', ['x', 'c'], 'b'),
    node('Where', ['b', 'x', 'c'], 'v'),
    node('Where', ['b', 'r', 'v'], 'u'),
    node('Where', ['b', 'u', 'x'], 'y'),
  ],
  initializers: [constant('c', type, [1], [1]), constant('r', type, [COLUMNS], [5, 6, 7, 8])],
  outputs: { y: type },
}));
for (const largest of [0, 1])
  add(`TopK, largest ${largest}, and GatherElements`, every, (type) => ({
    nodes: [
      makeNode('TopK', ['x', 'k'], ['v', 'i'], { largest: { i: largest } }),
      node('Neg', ['x'], 'n'),
      node('GatherElements', [type === 'int64' || type === 'int32' ? 'x' : 'n', 'i'], 'y', { axis: { i: 1 } }),
    ],
    initializers: [constant('k', 'int64', [1], [3])],
    outputs: { v: type, i: 'int64', y: type },
  }));
for (const reduction of ['none', 'add', 'mul', 'max', 'min'])
  add(`ScatterElements along any axis, ${reduction}`, every, (type) => ({
    nodes: [
      makeNode('TopK', ['x', 'k'], ['v', 'i']),
      node('ScatterElements', ['x', 'i', 'v'], 'y', { axis: { i: -1 }, reduction: { s: reduction } }),
      ...['x', 'v', 'i'].map((one) => node('Reshape', [one, one === 'x' ? 's' : 't'], `${one}3`)),
      node('Mod', ['i3', 'two'], 'j'),
      node('ScatterElements', ['x3', 'j', 'v3'], 'z', { axis: { i: 1 }, reduction: { s: reduction } }),
    ],
    initializers: [
      constant('k', 'int64', [1], [2]),
      constant('s', 'int64', [3], [-1, 2, 2]),
      constant('t', 'int64', [3], [-1, 2, 1]),
      constant('two', 'int64', [], [2]),
    ],
    outputs: { y: type, z: type },
  }));
add('GatherElements and GatherND along any axis', every, (type) => ({
  nodes: [
    makeNode('TopK', ['x', 'k'], ['v', 'i']),
    ...['x', 'i'].map((one) => node('Reshape', [one, one === 'x' ? 's' : 't'], `${one}3`)),
    node('Mod', ['i3', 'two'], 'j'),
    node('GatherElements', ['x3', 'j'], 'y', { axis: { i: 1 } }),
    node('GatherND', ['x3', 'j'], 'z', { batch_dims: { i: 1 } }),
    node('GatherND', ['table', 'j'], 'u'),
  ],
  initializers: [
    constant('k', 'int64', [1], [2]),
    constant('s', 'int64', [3], [-1, 2, 2]),
    constant('t', 'int64', [3], [-1, 2, 1]),
    constant('two', 'int64', [], [2]),
    constant('table', type, [2, 3], weights.slice(0, 6)),
  ],
  outputs: { y: type, z: type, u: type },
}));
for (const [exclusive, reverse] of [[0, 0], [1, 0], [0, 1], [1, 1]]) // biome-ignore format: all four
  add(`CumSum ${exclusive} ${reverse}`, every, (type) => ({
    nodes: [node('CumSum', ['x', 'a'], 'y', { exclusive: { i: exclusive! }, reverse: { i: reverse! } })],
    initializers: [constant('a', 'int64', [], [1])],
    outputs: { y: type },
  }));
add('Gather and ArrayFeatureExtractor of constants', real, (type) => ({
  nodes: [
    node('ArgMax', ['x'], 'i', { axis: { i: 1 }, keepdims: { i: 0 } }),
    node('Gather', ['t', 'i'], 'y'),
    makeNode('ArrayFeatureExtractor', ['l', 'i'], ['z'], {}, 'ai.onnx.ml'),
  ],
  initializers: [constant('t', type, [COLUMNS, 3], weights), constant('l', type, [1, COLUMNS], [9, 8, 7, 6])],
  outputs: { y: type, z: type },
}));
add('Clip', real, (type) => ({
  nodes: [node('Clip', ['x', 'a', 'b'], 'y'), node('Clip', ['x', '', 'b'], 'z')],
  initializers: [constant('a', type, [], [-0.5]), constant('b', type, [], [1])],
  outputs: { y: type, z: type },
}));
add('squares and cubes', real, (type) => ({
  nodes: [node('Pow', ['x', 'a'], 'y'), node('Pow', ['x', 'b'], 'z')],
  initializers: [constant('a', type, [1], [2]), constant('b', type, [], [3])],
  outputs: { y: type, z: type },
}));

/** Returns one node for each operator. All nodes read `x`. */
const ofEach = (operators: readonly (readonly [operator: string, attributes?: Attributes])[]): Graph => ({
  nodes: operators.map(([operator, attributes], at) => node(operator, ['x'], `y${at}`, attributes)),
  outputs: Object.fromEntries(operators.map((_, at) => [`y${at}`, 'float32'])),
});
const circular = 'Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh Acosh Atanh Erf Round'.split(' ');
add('functions of elements', ['float32'], () => ofEach(circular.map((name) => [name])));
add('activations', ['float32'], () =>
  ofEach([
    ...'LeakyRelu Elu Selu Celu HardSigmoid ThresholdedRelu Softplus Softsign HardSwish'
      .split(' ')
      .map((name) => [name] as const),
    ['LeakyRelu', { alpha: { f: 0.3 } }],
    ['Elu', { alpha: { f: 1.5 } }],
    ['Selu', { alpha: { f: 1.5 }, gamma: { f: 2 } }],
    ['Celu', { alpha: { f: 0.5 } }],
    ['HardSigmoid', { alpha: { f: 0.5 }, beta: { f: 0.25 } }],
    ['Shrink', { lambd: { f: 0.75 }, bias: { f: 0.5 } }],
  ]),
);
add('Pow', real, (type) => ({
  nodes: [
    node('Pow', ['x', 'a'], 'y'),
    node('Pow', ['x', 'n'], 'z'),
    node('Abs', ['x'], 'm'),
    node('Pow', ['m', 'x'], 'u'),
    node('Pow', ['two', 'x'], 'v'),
  ],
  initializers: [
    constant('a', type, [COLUMNS], [0.5, -1, 4, 2]),
    constant('n', 'int64', [1], [5]),
    constant('two', type, [], [2]),
  ],
  outputs: { y: type, z: type, u: type, v: type },
}));
add('Pow of integers', whole, (type) => ({
  nodes: [node('Pow', ['x', 'a'], 'y')],
  initializers: [constant('a', type, [COLUMNS], [0, 1, 4, 5])],
  outputs: { y: type },
}));
add('Pow of two types', whole, (type) => ({
  nodes: [node('Pow', ['x', 'a'], 'y'), node('Pow', ['x', 'n'], 'z')],
  initializers: [
    constant('a', 'float32', [COLUMNS], [0, 1, 2, 3]),
    constant('n', type === 'int32' ? 'int64' : 'int32', [COLUMNS], [3, 2, 5, 0]),
  ],
  outputs: { y: type, z: type },
}));
add('Mod', ['int64', 'int32'], (type) => ({
  nodes: [node('Mod', ['x', 'a'], 'y'), node('Mod', ['x', 'a'], 'z', { fmod: { i: 1 } })],
  initializers: [constant('a', type, [COLUMNS], [3, -3, 1, 5])],
  outputs: { y: type, z: type },
}));
add('Mod of floats', ['float32'], (type) => ({
  nodes: [node('Mod', ['x', 'a'], 'y', { fmod: { i: 1 } })],
  initializers: [constant('a', type, [COLUMNS], [0.75, -0.5, 1, 3])],
  outputs: { y: type },
}));
add('Mean and PRelu', ['float32'], (type) => ({
  nodes: [node('Mean', ['x', 'a', 'x'], 'y'), node('PRelu', ['x', 'a'], 'z')],
  initializers: [constant('a', type, [COLUMNS], [0.75, -0.5, 1, 3])],
  outputs: { y: type, z: type },
}));

for (const operator of ['ReduceSum', 'ReduceMean', 'ReduceMax', 'ReduceMin', 'ReduceProd'])
  add(`${operator} of integers`, whole, (type) => ({
    nodes: [
      operator === 'ReduceSum' ? node(operator, ['x', 'a'], 'y') : node(operator, ['x'], 'y', { axes: { ints: [1] } }),
    ],
    initializers: operator === 'ReduceSum' ? [constant('a', 'int64', [1], [1])] : [],
    outputs: { y: type },
  }));
add('ArgMax and ArgMin of integers, the last of equals', ['int32'], () => ({
  nodes: [
    node('ArgMax', ['x'], 'y', { axis: { i: 1 }, keepdims: { i: 0 } }),
    node('ArgMin', ['x'], 'z', { axis: { i: 1 } }),
    node('ArgMin', ['x'], 'u', { axis: { i: -1 }, select_last_index: { i: 1 } }),
  ],
  outputs: { y: 'int64', z: 'int64', u: 'int64' },
}));
/**
 * Returns a graph with two nodes for each operator. They read a tensor [N, 2, 2], one along axis 1
 * and one along axis 2.
 */
const alongAxes = (operators: readonly string[], element?: ElementType): Graph => ({
  nodes: [
    node('Reshape', ['x', 's'], 'cube'),
    ...operators.flatMap((operator) =>
      [1, 2].map((axis) => node(operator, ['cube'], `${operator}${axis}`, { axis: { i: axis } })),
    ),
  ],
  initializers: [constant('s', 'int64', [3], [-1, 2, 2])],
  outputs: Object.fromEntries(
    operators.flatMap((operator) => [1, 2].map((axis) => [`${operator}${axis}`, element ?? 'float32'])),
  ),
});
add('Softmax and LogSoftmax along any axis', real, (type) => alongAxes(['Softmax', 'LogSoftmax'], type));
add('ArgMax and ArgMin along any axis', ['float32'], () => alongAxes(['ArgMax', 'ArgMin'], 'int64'));
add('Hardmax along any axis', ['float32'], (type) => alongAxes(['Hardmax'], type));
add('LpNormalization along any axis', real, (type) => alongAxes(['LpNormalization'], type));
add('ReduceLogSum', ['float32'], (type) => ({
  nodes: [node('Abs', ['x'], 'm'), node('ReduceLogSum', ['m'], 'y', { axes: { ints: [1] } })],
  outputs: { y: type },
}));
add('IsInf', ['float32'], (type) => ({
  nodes: [
    node('Div', ['x', 'zero'], 'q'),
    ...[undefined, 'detect_negative', 'detect_positive'].flatMap((name, at) => [
      node('IsInf', ['q'], `b${at}`, name === undefined ? {} : { [name]: { i: 0 } }),
      node('Cast', [`b${at}`], `y${at}`, { to: { i: 7 } }),
    ]),
  ],
  initializers: [constant('zero', type, [], [0])],
  outputs: { y0: 'int64', y1: 'int64', y2: 'int64' },
}));
/** The numbers in TensorProto of types that rows store in wider types. */
const narrow = { uint8: 2, int8: 3, uint16: 4, int16: 5, uint32: 12 };
for (const [name, type] of Object.entries(narrow)) {
  // onnxruntime does not compute other operators in these types. The conformance cases of ONNX
  // cover them.
  const operators = ['Mod', ...(name.endsWith('t8') ? ['Max', 'Min', 'Mul', 'Add'] : [])];
  add(`${operators.join(', ')} of ${name}`, ['int64'], () => ({
    nodes: [
      node('Cast', ['x'], 'n', { to: { i: type } }),
      node('Cast', ['c'], 'd', { to: { i: type } }),
      ...operators.flatMap((operator) => [
        node(operator, ['n', 'd'], `${operator}r`),
        node('Cast', [`${operator}r`], operator, { to: { i: 7 } }),
      ]),
    ],
    initializers: [constant('c', 'int64', [COLUMNS], [3, 2, 1, 77])],
    outputs: Object.fromEntries(operators.map((operator) => [operator, 'int64'])),
  }));
}

add('Conv and MaxPool of images', ['float32'], (type) => ({
  nodes: [
    node('Reshape', ['x', 's'], 'i'),
    node('Conv', ['i', 'w', 'b'], 'c', { pads: { ints: [1, 0, 0, 1] } }),
    node('MaxPool', ['c'], 'm', { kernel_shape: { ints: [2, 2] }, pads: { ints: [0, 1, 1, 0] } }),
    node('Conv', ['m', 'v'], 'd', { group: { i: 2 }, auto_pad: { s: 'SAME_UPPER' }, strides: { ints: [1, 2] } }),
    node('Flatten', ['d'], 'y'),
  ],
  initializers: [
    constant('s', 'int64', [4], [-1, 1, 2, 2]),
    constant('w', type, [2, 1, 2, 2], weights.slice(0, 8)),
    constant('b', type, [2], [0.5, -1]),
    constant('v', type, [4, 1, 1, 2], weights.slice(4)),
  ],
  outputs: { y: type },
}));
add('Conv and MaxPool of series', ['float32'], (type) => ({
  nodes: [
    node('Reshape', ['x', 's'], 'i'),
    node('Conv', ['i', 'w'], 'c', { dilations: { ints: [2] }, pads: { ints: [1, 1] } }),
    node('MaxPool', ['c'], 'm', { kernel_shape: { ints: [3] }, strides: { ints: [2] }, ceil_mode: { i: 1 } }),
    node('Flatten', ['m'], 'y'),
  ],
  initializers: [constant('s', 'int64', [3], [-1, 1, COLUMNS]), constant('w', type, [3, 1, 2], weights.slice(0, 6))],
  outputs: { y: type },
}));

const comparison = (type: Numeric, graph: Graph): fc.Arbitrary<Comparison> =>
  fc
    .array(
      fc.array(
        fc
          .integer({ min: -16, max: 16 })
          .map((value) => ((whole as readonly string[]).includes(type) ? value : value / 8)),
        { minLength: COLUMNS, maxLength: COLUMNS },
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map((rows) => ({ inputs: { x: { type, rows } }, ...graph, tolerance: [1e-6, 1e-6] }));

/** Returns the stages that the addon does not run. */
async function stagesInJavaScript(given: Comparison): Promise<string[]> {
  using flour = await createFlour();
  const plan = importOnnx(fileOf(given), flour).program.plan();
  const steps = plan.stages.filter(({ stage }) => stage.calls === undefined).flatMap(({ stage }) => stage.steps);
  plan.release();
  return steps.map(({ operator, attributes }) => `${operator} ${attributes.operator ?? ''}`);
}

const uses = Object.entries(graphs).flatMap(([name, [types, graph]]) =>
  types.map((type) => [name, type, graph(type)] as const),
);

describe('nodes over rows', () => {
  test.each(uses)('%s of %s runs in the addon', async (_name, type, graph) => {
    const [sample] = fc.sample(comparison(type, graph), { numRuns: 1, seed });
    expect(await stagesInJavaScript(sample!)).toEqual([]);
  });

  test.skipIf(ort === undefined || !loadNative().addon).each(uses)(
    '%s of %s as onnxruntime',
    async (_name, type, graph) => {
      await fc.assert(fc.asyncProperty(comparison(type, graph), expectAsOnnxruntime), { numRuns: RUNS, seed });
    },
  );

  // onnxruntime has no Gemm of integers.
  test.each(whole)('Gemm of %s runs in the addon', async (type) => {
    const graph: Graph = {
      nodes: [node('Gemm', ['x', 'w', 'b'], 'y', { alpha: { f: -2 }, beta: { f: 3 }, transB: { i: 1 } })],
      initializers: [
        constant('w', type, [2, COLUMNS], [1, 2, 3, 4, -1, 0, 0, 2 ** 30]),
        constant('b', type, [2], [5, -1]),
      ],
      outputs: { y: type },
    };
    const given: Comparison = { inputs: { x: { type, rows: [[1, 2, 3, 4]] } }, ...graph };
    expect(await stagesInJavaScript(given)).toEqual([]);
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store });
    const plan = runtime.register(importOnnx(fileOf(given), flour).program.plan());
    const y = runtime.predictSync(plan, { x: [1, 2, 3, 4] }).y as (number | bigint)[];
    expect(y.map(Number)).toEqual([-2 * 30 + 15, type === 'int32' ? -1 : -(2 ** 33) - 1]);
  });
});
