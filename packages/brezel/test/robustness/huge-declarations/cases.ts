import { type AttributeValue, DataType, makeTensor, tensorInput, writeElements } from '@brezel/onnx';
import { file, graph } from '../../tensors/models.js';
import { node } from '../models.js';

// Small valid files that declare huge tensors.

type Attributes = Readonly<Record<string, AttributeValue>>;
type Nodes = readonly ReturnType<typeof node>[];
type Initializers = readonly ReturnType<typeof makeTensor>[];

export interface HugeCase {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The code of the error, or `works`. */
  readonly outcome: string;
}

/** The largest number of values in a row that Flour allows. */
const WIDE = 2 ** 24;
export const ints = (name: string, ...values: number[]) =>
  makeTensor(name, 'int64', [values.length], BigInt64Array.from(values, BigInt));
export const float = (name: string, ...values: number[]) =>
  makeTensor(name, 'float32', [values.length], Float32Array.from(values));
const number = (name: string, value: number) => makeTensor(name, 'int64', [], BigInt64Array.of(BigInt(value)));

/** Builds a file with the input `x` and the output `y`. */
export function huge(
  name: string,
  shape: readonly (number | string)[],
  nodes: Nodes,
  initializer: Initializers = [],
  { opset = 17, type = DataType.FLOAT as number, outcome = 'ERR_ONNX_LIMIT' } = {},
): HugeCase {
  const inputs = [tensorInput('x', type, shape)];
  const outputs = [tensorInput('y', DataType.FLOAT, ['N', 'k'])];
  return { name, bytes: file(graph(nodes, inputs, outputs, { initializer: [...initializer] }), opset), outcome };
}

const one = (operator: string, attributes: Attributes = {}, inputs: readonly string[] = ['x']) => [
  node(operator, inputs, ['y'], attributes),
];
const i = (value: number) => ({ i: value });
const axes = (...values: number[]) => ({ ints: values });

/**
 * The shape of an input whose row has 2^24 numbers on three axes. Flour allows such a row. But many
 * operators need a list with one entry for each number, and the limits of the import reject this
 * list.
 */
const CUBE = ['N', 2 ** 8, 2 ** 8, 2 ** 8] as const;

const reductions = ['ReduceSum', 'ReduceMax', 'ReduceMean', 'ReduceMin', 'ReduceProd', 'ReduceL1', 'ReduceL2'] as const;
const more = ['ReduceLogSum', 'ReduceLogSumExp', 'ReduceSumSquare'] as const;

const byRows: readonly HugeCase[] = [
  huge('LogSoftmax along the first axis of a matrix', ['N', 4096, 4095], one('LogSoftmax', { axis: i(1) }), [], {
    opset: 13,
  }),
  huge('Softmax', CUBE, one('Softmax', { axis: i(1) })),
  huge('an input of 2^22 numbers of 16 bits', ['N', 2 ** 22], one('Identity'), [], { type: DataType.FLOAT16 }),
  huge('a Cast to 16 bits', ['N', 2 ** 20], one('Cast', { to: i(DataType.FLOAT16) })),
  huge('an input of 2^20 numbers of 16 bits', ['N', 2 ** 20], one('Neg'), [], { type: DataType.BFLOAT16 }),
  huge('Hardmax', CUBE, one('Hardmax', { axis: i(1) })),
  huge('Hardmax of neighbors', CUBE, one('Hardmax', { axis: i(3) })),
  huge('Hardmax whose lists exceed the limit together', [3, 4, 5, 65_536], one('Hardmax'), [], { opset: 13 }),
  huge('LpNormalization of a quarter of the limit', ['N', 4, 512, 512], one('LpNormalization', { axis: i(1) })),
  huge('Transpose of half of the limit', ['N', 2, 1024, 1024], one('Transpose', { perm: axes(0, 3, 2, 1) })),
  huge('Resize with interpolation', ['N', 2, 1024, 1024], one('Resize', { mode: { s: 'linear' } }, ['x', '', 's']), [
    float('s', 1, 1, 2, 2),
  ]),
  huge('LpNormalization', CUBE, one('LpNormalization', { axis: i(1) })),
  huge('ArgMax', CUBE, one('ArgMax', { axis: i(1) })),
  huge('ArgMin', CUBE, one('ArgMin', { axis: i(2) })),
  ...[...reductions, ...more].map((operator) =>
    huge(operator, CUBE, one(operator, { axes: axes(1), keepdims: i(0) }), [], { opset: 11 }),
  ),
  huge('Transpose', CUBE, one('Transpose', { perm: axes(0, 3, 2, 1) })),
  huge('Slice', CUBE, one('Slice', {}, ['x', 'a', 'b', 'c', 'd']), [
    ints('a', -1),
    ints('b', -300),
    ints('c', 2),
    ints('d', -1),
  ]),
  huge('Split', CUBE, [node('Split', ['x'], ['y', 'z'], { axis: i(2) })], [], { opset: 11 }),
  huge('Gather', CUBE, one('Gather', { axis: i(2) }, ['x', 'i']), [ints('i', 1, 0)]),
  huge('Tile', ['N', 1024], one('Tile', {}, ['x', 'r']), [ints('r', 1, 2 ** 20)]),
  huge('Expand', ['N', 1024, 1], one('Expand', {}, ['x', 's']), [ints('s', 1, 1024, 2 ** 22)]),
  huge('Concat', ['N', 2 ** 11, 2 ** 12], one('Concat', { axis: i(2) }, ['x', 'x'])),
  huge('DepthToSpace', ['N', 2 ** 10, 2 ** 7, 2 ** 7], one('DepthToSpace', { blocksize: i(4) })),
  huge('SpaceToDepth', ['N', 2 ** 10, 2 ** 7, 2 ** 7], one('SpaceToDepth', { blocksize: i(4) })),
  huge('Compress', ['N', 2, 2 ** 23], one('Compress', { axis: i(1) }, ['x', 'c']), [
    makeTensor('c', 'bool', [2], Uint8Array.of(0, 1)),
  ]),
  huge('Einsum', ['N', 2 ** 12, 2 ** 12], one('Einsum', { equation: { s: 'nij->nji' } })),
  huge('Resize', ['N', 1, 2 ** 11, 2 ** 11], one('Resize', { mode: { s: 'nearest' } }, ['x', '', 's']), [
    float('s', 1, 1, 1000, 1000),
  ]),
  huge('Upsample', ['N', 1, 2 ** 11, 2 ** 11], one('Upsample', { scales: { floats: [1, 1, 1000, 1000] } }), [], {
    opset: 8,
  }),
  huge('Pad', ['N', 2 ** 12, 2 ** 12], one('Pad', {}, ['x', 'p']), [ints('p', 0, 2 ** 40, 0, 0, 2 ** 40, 0)]),
  huge(
    'OneHot',
    ['N', 2 ** 12],
    one('OneHot', { axis: i(-1) }, ['x', 'd', 'v']),
    [number('d', 2 ** 40), float('v', 0, 1)],
    { type: DataType.INT64 },
  ),
  huge('CumSum', CUBE, one('CumSum', {}, ['x', 'a']), [number('a', 2)]),
  huge('TopK', CUBE, [node('TopK', ['x', 'k'], ['y', 'z'], { axis: i(1) })], [ints('k', 2)]),
  huge(
    'AveragePool',
    ['N', 1, 2 ** 12, 2 ** 12],
    one('AveragePool', { kernel_shape: axes(2 ** 10, 2 ** 10), pads: axes(512, 512, 512, 512) }),
  ),
  huge('LpPool', ['N', 1, 2 ** 12, 2 ** 12], one('LpPool', { kernel_shape: axes(64, 64) })),
  huge('LRN', ['N', 2 ** 10, 2 ** 14], one('LRN', { size: i(1001) })),
  huge('Det', ['N', 2 ** 12, 2 ** 12], one('Det')),
  huge('MeanVarianceNormalization', CUBE, one('MeanVarianceNormalization', { axes: axes(1, 2) })),
  huge('LayerNormalization', CUBE, one('LayerNormalization', { axis: i(2) }, ['x', 's']), [float('s', 1)]),
  huge('GlobalLpPool', ['N', 2 ** 12, 2 ** 12], one('GlobalLpPool')),
  huge('Trilu', ['N', 2 ** 12, 2 ** 12], one('Trilu')),
  huge(
    'an elementwise operator of two shapes',
    ['N', 2 ** 12, 2 ** 12],
    [node('Transpose', ['x'], ['t'], { perm: axes(0, 2, 1) }), node('Add', ['x', 't'], ['y'])],
  ),
  huge(
    'two nodes over rows of 2^24',
    [2, WIDE],
    [node('Reshape', ['x', 's'], ['r']), node('Transpose', ['r'], ['y'], { perm: axes(0, 2, 1) })],
    [ints('s', -1, 2 ** 12, 2 ** 12)],
  ),
  ...['Hardmax', 'LogSoftmax', 'LpNormalization', 'CumSum', 'Trilu'].map((operator) =>
    chain(operator, operator === 'Trilu' || operator === 'CumSum' ? {} : { axis: i(1) }),
  ),
  { ...chain('Relu', {}), outcome: 'works' },
  chain('Transpose', { perm: axes(0, 2, 1) }),
];

/** A case with a thousand nodes. Each node alone is within the limits. */
function chain(operator: string, attributes: Attributes): HugeCase {
  const beside = operator === 'CumSum' ? ['a'] : [];
  const nodes = Array.from({ length: 999 }, (_, at) =>
    node(operator, [at === 0 ? 'x' : `t${at}`, ...beside], [`t${at + 1}`], attributes),
  );
  const last = node('Identity', ['t999'], ['y']);
  return huge(`a thousand nodes ${operator}`, ['N', 2 ** 8, 2 ** 8], [...nodes, last], [number('a', 1)]);
}

/** A case with constants that grow from a few numbers. The last node adds the row. */
const folded = (name: string, nodes: Nodes, initializer: Initializers = [], opset = 17): HugeCase =>
  huge(name, ['N', 1], [...nodes, node('Add', ['x', 'c'], ['y'])], initializer, { opset });
const matrix = (name: string, rows: number, columns: number) =>
  [
    node('ConstantOfShape', [`${name} shape`], [name], { value: { t: float('', 1) } }),
    ints(`${name} shape`, rows, columns),
  ] as const;
const [left, leftShape] = matrix('a', 2 ** 10, 2 ** 10);
const [right, rightShape] = matrix('b', 2 ** 10, 2 ** 10);

/** Cases with hundreds of nodes that compute the same constant again. */
function constantChains(): readonly HugeCase[] {
  const fanOut = (operator: string, attributes: Attributes, inputs: readonly string[], outputs: number) =>
    Array.from({ length: 300 }, (_, at) =>
      node(
        operator,
        inputs,
        Array.from({ length: outputs }, (_, output) => `${operator} ${at} ${output}`),
        attributes,
      ),
    );
  const filled = (value: ReturnType<typeof makeTensor>) => [
    node('ConstantOfShape', ['s'], ['a'], { value: { t: value } }),
    node('ConstantOfShape', ['t'], ['c']),
  ];
  const zero = float('', 0);
  const wide = [ints('s', 1, 2 ** 16), ints('t', 1, 1), ints('k', 5), float('b', 1, 2, 3, 4)];
  const chainOf = (name: string, operator: string, attributes: Attributes, inputs: readonly string[], outputs = 1) =>
    folded(name, [...filled(zero), ...fanOut(operator, attributes, inputs, outputs)], wide);
  const integers = makeTensor('', 'int64', [1], BigInt64Array.of(3n));
  return [
    chainOf('constants as texts', 'Cast', { to: i(DataType.STRING) }, ['a']),
    chainOf('sorted constants', 'TopK', { axis: i(1) }, ['a', 'k'], 2),
    chainOf('compared constants', 'Less', {}, ['a', 'a']),
    chainOf('error functions of constants', 'Erf', {}, ['a']),
    chainOf('maxima of constants', 'ReduceMax', { axes: axes(1) }, ['a']),
    chainOf('split constants', 'Split', { axis: i(1) }, ['a'], 2),
    folded('divided integer constants', [...filled(integers), ...fanOut('Div', {}, ['a', 'a'], 1)], wide),
    folded(
      'small products of constants',
      [...filled(zero), ...fanOut('MatMul', {}, ['a', 'b'], 1)],
      [ints('s', 2 ** 14, 4), ...wide.slice(1)],
    ),
  ];
}

const constants: readonly HugeCase[] = [
  folded('ConstantOfShape', [node('ConstantOfShape', ['s'], ['c'])], [ints('s', 2 ** 20, 2 ** 20)]),
  folded('Range', [node('Range', ['a', 'b', 'd'], ['c'])], [number('a', 0), number('b', 2 ** 50), number('d', 1)]),
  folded('Tile of a constant', [node('Tile', ['v', 'r'], ['c'])], [float('v', 1), ints('r', 2 ** 40)]),
  folded('Expand of a constant', [node('Expand', ['v', 'r'], ['c'])], [float('v', 1), ints('r', 2 ** 20, 2 ** 20)]),
  folded(
    'OneHot of a constant',
    [node('OneHot', ['v', 'd', 'w'], ['c'])],
    [ints('v', 1), number('d', 2 ** 40), float('w', 0, 1)],
  ),
  folded(
    'EyeLike',
    [node('ConstantOfShape', ['s'], ['e']), node('EyeLike', ['e'], ['c'])],
    [ints('s', 2 ** 14, 2 ** 14)],
  ),
  folded('Pad of a constant', [node('Pad', ['v', 'p'], ['c'])], [float('v', 1), ints('p', 2 ** 40, 0)]),
  folded('a product of matrices', [left, right, node('MatMul', ['a', 'b'], ['c'])], [leftShape, rightShape]),
  folded(
    'an Einsum of matrices',
    [left, right, node('Einsum', ['a', 'b'], ['c'], { equation: { s: 'ij,jk->ik' } })],
    [leftShape, rightShape],
  ),
  folded(
    'a broadcast',
    [
      node('Reshape', ['v', 's1'], ['r']),
      node('Reshape', ['v', 's2'], ['q']),
      node('Expand', ['r', 't1'], ['a']),
      node('Expand', ['q', 't2'], ['b']),
      node('Add', ['a', 'b'], ['c']),
    ],
    [float('v', 1), ints('s1', 1, 1), ints('s2', 1, 1), ints('t1', 2 ** 16, 1), ints('t2', 1, 2 ** 16)],
  ),
  folded(
    'doubling',
    Array.from({ length: 60 }, (_, at) =>
      node('Concat', at === 0 ? ['v', 'v'] : [`d${at}`, `d${at}`], [at === 59 ? 'c' : `d${at + 1}`], { axis: i(0) }),
    ),
    [float('v', 1)],
  ),
  ...constantChains(),
  folded(
    'a Fourier transform',
    [node('ConstantOfShape', ['s'], ['a']), node('DFT', ['a'], ['c'])],
    [ints('s', 1, 2 ** 22, 1)],
  ),
  folded(
    'Det of a constant',
    [node('ConstantOfShape', ['s'], ['a']), node('Det', ['a'], ['c'])],
    [ints('s', 2 ** 11, 2 ** 11)],
  ),
  folded(
    'LRN of a constant',
    [node('ConstantOfShape', ['s'], ['a']), node('LRN', ['a'], ['c'], { size: i(100_001) })],
    [ints('s', 1, 2 ** 10, 2 ** 10)],
  ),
  folded(
    'MaxPool of a constant',
    [node('ConstantOfShape', ['s'], ['a']), node('MaxPool', ['a'], ['c'], { kernel_shape: axes(512, 512) })],
    [ints('s', 1, 1, 2 ** 10, 2 ** 10)],
  ),
  folded(
    'NonMaxSuppression',
    [
      node('ConstantOfShape', ['s'], ['a']),
      node('ConstantOfShape', ['q'], ['b']),
      node('NonMaxSuppression', ['a', 'b', 'm'], ['n']),
      node('Cast', ['n'], ['c'], { to: i(1) }),
    ],
    [ints('s', 1, 2 ** 17, 4), ints('q', 1, 1, 2 ** 17), number('m', 2 ** 40)],
  ),
];

const sparse: HugeCase = {
  name: 'a sparse initializer',
  outcome: 'ERR_ONNX_LIMIT',
  bytes: file(
    graph(
      [node('Add', ['x', 'w'], ['y'])],
      [tensorInput('x', DataType.FLOAT, ['N', 1])],
      [tensorInput('y', DataType.FLOAT, ['N', 1])],
      {
        sparseInitializer: [{ values: float('w', 1), indices: ints('', 0), dims: [2 ** 20, 2 ** 20] }],
      },
    ),
  ),
};

const weights: HugeCase = huge(
  'Conv of no weights',
  ['N', 1, 8, 8],
  one('Conv', {}, ['x', 'w']),
  [writeElements('w', { element: 'float32', shape: [2 ** 40, 0, 3, 3], data: new Float32Array() })],
  { outcome: 'works' },
);

const ranks: readonly HugeCase[] = [
  huge('Reshape to a thousand axes', ['N', 1], one('Reshape', {}, ['x', 's']), [
    ints('s', ...new Array<number>(1000).fill(1)),
  ]),
  huge('Unsqueeze to a thousand axes', ['N', 1], one('Unsqueeze', {}, ['x', 's']), [
    ints('s', ...Array.from({ length: 1000 }, (_, at) => at + 1)),
  ]),
  huge('a constant of a thousand axes', ['N', 1], one('Add', {}, ['x', 'w']), [
    makeTensor('w', 'float32', new Array<number>(1000).fill(1), Float32Array.of(1)),
  ]),
];

const MANY = 10_010;
const parts = Array.from({ length: MANY }, (_, part) => `part${part}`);

/** Short nodes that a row program computes by thousands of steps: one for each input or output. */
const variadic: readonly HugeCase[] = [
  ...['Sum', 'Mean', 'Max', 'Min'].map((operator) =>
    huge(`${operator} of ${MANY} inputs`, ['N', 4], one(operator, {}, new Array<string>(MANY).fill('x')), [], {
      opset: 13,
    }),
  ),
  huge(
    `Split into ${MANY} outputs`,
    ['N', MANY],
    [node('Split', ['x'], parts, { axis: i(1), num_outputs: i(MANY) }), node('Identity', ['part0'], ['y'])],
    [],
    { opset: 18 },
  ),
];

export const cases: readonly HugeCase[] = [...byRows, ...constants, sparse, weights, ...ranks, ...variadic];
