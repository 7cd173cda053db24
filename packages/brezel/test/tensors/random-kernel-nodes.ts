import { type ElementType, elementArray, elementCount, type NumericElement, type Tensor } from '@brezel/core';
import { type AttributeValue, makeNode, type NodeProto } from '@brezel/onnx';
import fc from 'fast-check';
import { Random } from '../conformance/random-forests.js';

/**
 * A node of an operator that has a kernel in the addon, and its inputs. Sizes are below and above
 * the tile sizes of kernels.
 */
export interface KernelNode {
  readonly node: NodeProto;
  readonly inputs: readonly (Tensor | undefined)[];
  readonly opset: number;
}

type Attributes = Readonly<Record<string, AttributeValue>>;

const OPSET = 22;

const nodeOf = (
  operator: string,
  inputs: readonly (Tensor | undefined)[],
  attributes: Attributes = {},
  outputs: readonly string[] = ['y'],
  opset = OPSET,
  domain = '',
): KernelNode => ({
  node: makeNode(
    operator,
    inputs.map((input, at) => (input === undefined ? '' : `x${at}`)),
    [...outputs],
    attributes,
    domain,
  ),
  inputs,
  opset,
});

/**
 * Returns numbers that need rounding. One tensor of four also holds special numbers such as NaN and
 * infinities.
 */
function tensorOf(element: NumericElement, shape: readonly number[], seed: number): Tensor {
  const source = new Random(seed);
  const random = () => source.next();
  const odd = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 0, 1e-40, -1e-40, 3e38];
  const isOdd = seed % 4 === 0;
  const data = elementArray(element, elementCount(shape));
  const isFloat = element === 'float32' || element === 'float64';
  for (let at = 0; at < data.length; at++) {
    const value = isOdd && random() < 0.05 ? odd[Math.floor(random() * odd.length)]! : (random() - 0.5) * 8;
    if (element === 'int64') data[at] = BigInt(Math.floor(random() * 1000)) as never;
    else data[at] = (isFloat ? value : Math.floor(random() * 200 - (element === 'uint8' ? 0 : 100))) as never;
  }
  return { element, shape, data } as Tensor;
}

const seeds = fc.nat(2 ** 30);
const int = (least: number, most: number) => fc.integer({ min: least, max: most });
const listOf = (least: number, most: number, length: number) =>
  fc.array(int(least, most), { minLength: length, maxLength: length });
const ints = (values: readonly number[]): AttributeValue => ({ ints: [...values] });
const flag = (is: boolean): AttributeValue => ({ i: is ? 1 : 0 });
const float = fc.constantFrom<ElementType>('float32', 'float32', 'float64') as fc.Arbitrary<'float32' | 'float64'>;
/** Sizes around the sizes of vectors and tiles. */
const size = fc.oneof(int(1, 9), int(1, 40), fc.constantFrom(16, 17, 31, 32, 33, 63, 64, 65, 70, 129));

const product = fc
  .record({
    element: fc.constantFrom('float32', 'float32', 'float64', 'int32') as fc.Arbitrary<'float32'>,
    lead: fc.constantFrom<[number[], number[]]>([[], []], [[2], [2]], [[3], []], [[], [2]], [[2, 1], [3]], [[1], [2]]),
    rows: size,
    inner: fc.oneof(size, fc.constant(0), fc.constant(200)),
    columns: size,
    seed: seeds,
  })
  .map(({ element, lead, rows, inner, columns, seed }) =>
    nodeOf('MatMul', [
      tensorOf(element, [...lead[0], rows, inner], seed),
      tensorOf(element, [...lead[1], inner, columns], seed + 1),
    ]),
  );

const gemm = fc
  .record({
    element: float,
    rows: size,
    inner: size,
    columns: size,
    c: int(0, 3),
    transA: fc.boolean(),
    transB: fc.boolean(),
    alpha: fc.constantFrom(1, 1, 0.5),
    seed: seeds,
  })
  .map(({ element, rows, inner, columns, c, transA, transB, alpha, seed }) => {
    const bias = [undefined, [columns], [rows, 1], [rows, columns]][c];
    const inputs = [
      tensorOf(element, transA ? [inner, rows] : [rows, inner], seed),
      tensorOf(element, transB ? [columns, inner] : [inner, columns], seed + 1),
      bias && tensorOf(element, bias, seed + 2),
    ];
    return nodeOf('Gemm', bias ? inputs : inputs.slice(0, 2), {
      transA: flag(transA),
      transB: flag(transB),
      alpha: { f: alpha },
    });
  });

/** Draws how windows move over one to three axes. */
const windows = int(1, 3).chain((rank) =>
  fc
    .record({
      spatial: listOf(1, rank === 1 ? 70 : rank === 2 ? 14 : 6, rank),
      kernel: listOf(1, 4, rank),
      strides: listOf(1, 3, rank),
      dilations: listOf(1, 2, rank),
      before: listOf(0, 2, rank),
      after: listOf(0, 2, rank),
      mode: fc.constantFrom('NOTSET', 'NOTSET', 'NOTSET', 'SAME_UPPER', 'SAME_LOWER', 'VALID'),
    })
    .map((one) => ({
      ...one,
      // A kernel larger than the image is invalid. Another test covers this case.
      spatial: one.spatial.map((extent, at) => Math.max(extent, (one.kernel[at]! - 1) * one.dilations[at]! + 1)),
    })),
);
type Windows = typeof windows extends fc.Arbitrary<infer W> ? W : never;

const moves = ({ strides, dilations, before, after, mode }: Windows): Attributes => ({
  strides: ints(strides),
  dilations: ints(dilations),
  ...(mode === 'NOTSET' ? { pads: ints([...before, ...after]) } : { auto_pad: { s: mode } }),
});

const convolution = fc
  .record({
    windows,
    element: float,
    batch: int(1, 2),
    groups: fc.constantFrom(1, 1, 2, 5),
    depth: fc.constantFrom(1, 2, 3, 7, 20),
    together: fc.constantFrom(1, 2, 4, 8, 9, 16, 17, 33, 66),
    hasBias: fc.boolean(),
    seed: seeds,
  })
  .map(({ windows, element, batch, groups, depth, together, hasBias, seed }) =>
    nodeOf(
      'Conv',
      [
        tensorOf(element, [batch, groups * depth, ...windows.spatial], seed),
        tensorOf(element, [groups * together, depth, ...windows.kernel], seed + 1),
        ...(hasBias ? [tensorOf(element, [groups * together], seed + 2)] : []),
      ],
      { ...moves(windows), group: { i: groups } },
    ),
  );

const integers = fc
  .record({ windows, groups: int(1, 2), depth: int(1, 5), together: fc.constantFrom(1, 3, 20), seed: seeds })
  .map(({ windows, groups, depth, together, seed }) =>
    nodeOf(
      'ConvInteger',
      [
        tensorOf('uint8', [2, groups * depth, ...windows.spatial], seed),
        tensorOf('int8', [groups * together, depth, ...windows.kernel], seed + 1),
      ],
      { ...moves(windows), group: { i: groups } },
    ),
  );

const pool = fc
  .record({
    windows,
    operator: fc.constantFrom('MaxPool', 'AveragePool'),
    channels: int(1, 3),
    isCeiled: fc.boolean(),
    other: fc.boolean(),
    hasPlaces: fc.boolean(),
    seed: seeds,
  })
  .map(({ windows, operator, channels, isCeiled, other, hasPlaces, seed }) =>
    nodeOf(
      operator,
      [tensorOf('float32', [2, channels, ...windows.spatial], seed)],
      {
        ...moves(windows),
        kernel_shape: ints(windows.kernel),
        ...(windows.mode === 'NOTSET' && { ceil_mode: flag(isCeiled) }),
        ...(operator === 'MaxPool' ? { storage_order: flag(other) } : { count_include_pad: flag(other) }),
      },
      operator === 'MaxPool' && hasPlaces ? ['y', 'places'] : ['y'],
    ),
  );

const shape = fc.array(int(1, 7), { minLength: 0, maxLength: 5 });
const shapeWithZero = fc.array(fc.constantFrom(0, 1, 2, 3, 5, 17), { minLength: 1, maxLength: 3 });

const pair = fc
  .record({
    operator: fc.constantFrom('Add', 'Sub', 'Mul', 'Div'),
    element: float,
    shape: fc.oneof<fc.Arbitrary<number[]>[]>(shape, shapeWithZero),
    ones: fc.array(fc.tuple(fc.boolean(), fc.boolean()), { minLength: 5, maxLength: 5 }),
    shorter: int(0, 5),
    seed: seeds,
  })
  .map(({ operator, element, shape, ones, shorter, seed }) => {
    const cut = (which: 0 | 1) => shape.map((extent, at) => (ones[at % 5]![which] ? 1 : extent));
    const [a, b] = [cut(0), cut(1).slice(Math.min(shorter, shape.length))];
    return nodeOf(operator, [tensorOf(element, a, seed), tensorOf(element, b, seed + 1)]);
  });

const alphas = (names: readonly string[]) =>
  fc
    .array(fc.constantFrom(0.01, 0.25, 1, -0.5, 2), { minLength: names.length, maxLength: names.length })
    .map((values) => Object.fromEntries(names.map((name, at) => [name, { f: values[at]! }])));
const parameters: Readonly<Record<string, readonly string[]>> = {
  LeakyRelu: ['alpha'],
  HardSigmoid: ['alpha', 'beta'],
  Swish: ['alpha'],
};
const functions = [
  ...['Relu', 'Sigmoid', 'Tanh', 'Exp', 'Erf', 'Sqrt', 'Reciprocal', 'HardSwish', 'Gelu'],
  ...Object.keys(parameters),
];
const map = fc
  .record({ operator: fc.constantFrom(...functions), shape: fc.oneof(shape, shapeWithZero), seed: seeds })
  .chain(({ operator, shape, seed }) =>
    alphas(parameters[operator] ?? []).map((given) =>
      nodeOf(operator, [tensorOf('float32', shape, seed)], given, ['y'], operator === 'Swish' ? 24 : OPSET),
    ),
  );
const gelu = fc
  .record({ shape, seed: seeds })
  .map(({ shape, seed }) => nodeOf('Gelu', [tensorOf('float32', shape, seed)], { approximate: { s: 'tanh' } }));
const clip = fc
  .record({ shape, least: fc.boolean(), most: fc.boolean(), seed: seeds })
  .map(({ shape, least, most, seed }) =>
    nodeOf('Clip', [
      tensorOf('float32', shape, seed),
      least ? tensorOf('float32', [], seed + 1) : undefined,
      ...(most ? [tensorOf('float32', [], seed + 2)] : []),
    ]),
  );

const softmax = fc
  .record({
    operator: fc.constantFrom('Softmax', 'LogSoftmax'),
    shape: fc.array(int(1, 20), { minLength: 1, maxLength: 4 }),
    axis: int(0, 3),
    opset: fc.constantFrom(11, OPSET),
    seed: seeds,
  })
  .map(({ operator, shape, axis, opset, seed }) =>
    nodeOf(operator, [tensorOf('float32', shape, seed)], { axis: { i: axis % shape.length } }, ['y'], opset),
  );

const layerNorm = fc
  .record({
    operator: fc.constantFrom('LayerNormalization', 'RMSNormalization'),
    lead: fc.array(int(1, 5), { maxLength: 2 }),
    group: fc.array(int(1, 20), { minLength: 1, maxLength: 2 }),
    ones: fc.boolean(),
    bias: fc.boolean(),
    outputs: int(1, 3),
    seed: seeds,
  })
  .map(({ operator, lead, group, ones, bias, outputs, seed }) => {
    const isLayer = operator === 'LayerNormalization';
    const scale = ones ? [1, ...group].slice(-lead.length - group.length) : group;
    return nodeOf(
      operator,
      [
        tensorOf('float32', [...lead, ...group], seed),
        tensorOf('float32', scale, seed + 1),
        ...(isLayer && bias ? [tensorOf('float32', group, seed + 2)] : []),
      ],
      { axis: { i: -group.length } },
      isLayer ? ['y', 'mean', 'inverse'].slice(0, outputs) : ['y'],
      23,
    );
  });

const batchNorm = fc
  .record({ shape: fc.array(int(1, 9), { minLength: 2, maxLength: 4 }), seed: seeds })
  .map(({ shape, seed }) => {
    const statistic = (at: number) => tensorOf('float32', [shape[1]!], seed + at);
    return nodeOf('BatchNormalization', [tensorOf('float32', shape, seed), ...[1, 2, 3, 4].map(statistic)]);
  });

const transpose = fc
  .record({
    element: fc.constantFrom<NumericElement>('float32', 'float64', 'int32', 'int64', 'uint8'),
    shape: fc.oneof<fc.Arbitrary<number[]>[]>(shape, shapeWithZero, fc.tuple(int(1, 40), int(1, 40))),
    order: fc.array(fc.nat(), { minLength: 5, maxLength: 5 }),
    seed: seeds,
  })
  .map(({ element, shape, order, seed }) => {
    const axes = shape.map((_, axis) => axis).sort((a, b) => order[a]! - order[b]! || a - b);
    return nodeOf('Transpose', [tensorOf(element, shape, seed)], { perm: ints(axes) });
  });

const globalMean = fc
  .record({ spatial: fc.array(int(1, 9), { minLength: 1, maxLength: 3 }), seed: seeds })
  .map(({ spatial, seed }) => nodeOf('GlobalAveragePool', [tensorOf('float32', [2, 3, ...spatial], seed)]));

/** Random nodes by the operator or property that they test. */
export const kernelNodes: Readonly<Record<string, fc.Arbitrary<KernelNode>>> = {
  product,
  gemm,
  convolution,
  integers,
  pool,
  pair,
  map,
  gelu,
  clip,
  softmax,
  layerNorm,
  batchNorm,
  transpose,
  globalMean,
};
