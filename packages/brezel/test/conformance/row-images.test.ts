import {
  type AttributeValue,
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
import { createFlour, createRuntime, importModel, importTensors } from 'brezel';
import { expect, test } from 'vitest';

// Nodes of image, sequence and quantized models in row programs. They give the bits of tensor
// programs over all rows.

type Attributes = Readonly<Record<string, AttributeValue>>;

interface Case {
  readonly nodes: readonly NodeProto[];
  readonly constants?: readonly TensorProto[];
  /** The shape of a row of each input. */
  readonly inputs: Readonly<Record<string, readonly number[]>>;
  /** Why the graph mixes rows; undefined if it treats them independently. */
  readonly why?: RegExp;
  readonly opset?: number;
}

const ROWS = 3;
const node = (operator: string, inputs: string, output: string, attributes: Attributes = {}) =>
  makeNode(operator, inputs.replaceAll('-', '').split(' '), output.split(' '), attributes);
const scattered = (count: number, start: number) =>
  Float32Array.from({ length: count }, (_, at) => ((((at + start) * 0.618034) % 1) - 0.5) * 4);
const product = (sizes: readonly number[]) => sizes.reduce((all, size) => all * size, 1);
const floats = (name: string, ...dims: number[]) => makeTensor(name, 'float32', dims, scattered(product(dims), 3));
const scales = (name: string, ...values: number[]) =>
  makeTensor(name, 'float32', [values.length], Float32Array.from(values));
const ints = (name: string, ...values: number[]) =>
  makeTensor(name, 'int64', [values.length], BigInt64Array.from(values, BigInt));
const scalar = (name: string, value: number) => makeTensor(name, 'float32', [], Float32Array.of(value));
/** Returns a uint8 tensor. ONNX stores its elements in the field for int32. */
const small = (name: string, dims: readonly number[], values: readonly number[]): TensorProto => ({
  ...makeTensor(name, 'int32', dims, Int32Array.from(values)),
  dataType: DataType.UINT8,
});
const byte = (name: string, value: number) => small(name, [], [value]);
const bytes = (name: string, ...dims: number[]) =>
  small(
    name,
    dims,
    Array.from({ length: product(dims) }, (_, at) => (at * 37) % 256),
  );

const image = { x: [2, 4, 4] };
const quantized = node('QuantizeLinear', 'x s z', 'q');
const steps = [scalar('s', 0.05), byte('z', 120), scalar('t', 0.5), byte('u', 90)];
/**
 * Computes the sizes of a Resize: [N, channels] from the shape of x, then a constant height and
 * width. PyTorch exports `interpolate(size=...)` in this form.
 */
const sizesOf = (...inner: number[]): { nodes: NodeProto[]; constants: TensorProto[] } => ({
  nodes: [
    node('Shape', 'x', 'all'),
    node('Slice', 'all a b', 'first'),
    node('Concat', 'first inner', 'sizes', { axis: { i: 0 } }),
  ],
  constants: [ints('a', 0), ints('b', 2), ints('inner', ...inner)],
});

const cases: Readonly<Record<string, Case>> = {
  'Resize by scales': {
    inputs: image,
    nodes: [node('Resize', 'x - c', 'y', { mode: { s: 'linear' } })],
    constants: [scales('c', 1, 1, 1.5, 2)],
  },
  'Resize by sizes of the rows': {
    inputs: image,
    nodes: [...sizesOf(3, 7).nodes, node('Resize', 'x - - sizes', 'y', { mode: { s: 'cubic' } })],
    constants: sizesOf(3, 7).constants,
  },
  'Resize by axes': {
    inputs: image,
    nodes: [node('Resize', 'x - - c', 'y', { axes: { ints: [2, 3] } })],
    constants: [ints('c', 2, 9)],
  },
  'Resize of the rows': {
    inputs: image,
    nodes: [node('Resize', 'x - c', 'y')],
    constants: [scales('c', 2, 1, 1, 1)],
    why: /where the rows are/,
  },
  'Resize to as many columns as rows': {
    inputs: image,
    nodes: [
      node('Shape', 'x', 'all'),
      node('Gather', 'all i', 'n'),
      node('Concat', 'all4 n', 'sizes', { axis: { i: 0 } }),
      node('Resize', 'x - - sizes', 'y'),
    ],
    constants: [ints('i', 0), ints('all4', 1, 2, 4)],
    why: /depends on the number of rows/,
  },
  Upsample: { inputs: image, nodes: [node('Upsample', 'x c', 'y')], constants: [scales('c', 1, 1, 2, 2)], opset: 9 },
  'ConvTranspose and InstanceNormalization': {
    inputs: image,
    nodes: [
      node('ConvTranspose', 'x w', 't', { strides: { ints: [2, 2] } }),
      node('InstanceNormalization', 't c b', 'y'),
    ],
    constants: [floats('w', 2, 3, 3, 3), floats('c', 3), floats('b', 3)],
  },
  'quantized: convolution': {
    inputs: image,
    nodes: [
      quantized,
      node('QLinearConv', 'q s z w s z t u', 'r', { pads: { ints: [1, 1, 1, 1] } }),
      node('DequantizeLinear', 'r t u', 'y'),
    ],
    constants: [...steps, bytes('w', 3, 2, 3, 3)],
  },
  'quantized: a pool and a product': {
    inputs: { x: [3, 5] },
    nodes: [
      node('MaxPool', 'q', 'p', { kernel_shape: { ints: [2] } }),
      node('QLinearMatMul', 'p s z w s z t u', 'r'),
      node('DequantizeLinear', 'r t u', 'y'),
    ].toSpliced(0, 0, quantized),
    constants: [...steps, bytes('w', 4, 2)],
  },
  'quantized by the range of all rows': {
    inputs: { x: [5] },
    nodes: [node('DynamicQuantizeLinear', 'x', 'q s z'), node('DequantizeLinear', 'q s z', 'y')],
    why: /DynamicQuantizeLinear/,
  },
  GridSample: { inputs: { x: [2, 4, 4], grid: [3, 3, 2] }, nodes: [node('GridSample', 'x grid', 'y')] },
  DeformConv: {
    inputs: { x: [2, 4, 4], offsets: [8, 3, 3] },
    nodes: [node('DeformConv', 'x w offsets', 'y')],
    constants: [floats('w', 3, 2, 2, 2)],
  },
  CenterCropPad: {
    inputs: image,
    nodes: [node('CenterCropPad', 'x c', 'y', { axes: { ints: [2, 3] } })],
    constants: [ints('c', 3, 6)],
  },
  Attention: {
    inputs: { x: [3, 4], k: [2, 4] },
    nodes: [node('Attention', 'x k k m', 'y', { q_num_heads: { i: 2 }, kv_num_heads: { i: 2 } })],
    constants: [floats('m', 3, 2)],
    opset: 23,
  },
  RotaryEmbedding: {
    inputs: { x: [2, 3, 4], c: [3, 2], s: [3, 2] },
    nodes: [node('RotaryEmbedding', 'x c s', 'y')],
    opset: 23,
  },
  'LSTM with states': {
    inputs: { x: [4, 2], h: [1, 3], c: [1, 3] },
    nodes: [
      node('Transpose', 'x', 'steps', { perm: { ints: [1, 0, 2] } }),
      node('Transpose', 'h', 'h1', { perm: { ints: [1, 0, 2] } }),
      node('Transpose', 'c', 'c1', { perm: { ints: [1, 0, 2] } }),
      node('LSTM', 'steps w r - - h1 c1', 'all last', { hidden_size: { i: 3 } }),
      node('Transpose', 'last', 'y', { perm: { ints: [1, 0, 2] } }),
    ],
    constants: [floats('w', 1, 12, 2), floats('r', 1, 12, 3)],
  },
  'regions of images': {
    inputs: { x: [1, 4, 4], rois: [4] },
    nodes: [
      node('Shape', 'rois', 'all'),
      node('Slice', 'all a b', 'n'),
      node('ConstantOfShape', 'n', 'f'),
      node('Cast', 'f', 'i', { to: { i: 7 } }),
      node('RoiAlign', 'x rois i', 'y'),
    ],
    constants: [ints('a', 0), ints('b', 1)],
    why: /RoiAlign/,
  },
};

function fileOf({ nodes, constants = [], inputs, opset = 20 }: Case): Uint8Array {
  const output = tensorInput('y', DataType.FLOAT, []);
  Object.assign(output.type!.tensorType!, { shape: undefined });
  const graph = makeGraph({
    node: [...nodes],
    initializer: [...constants],
    input: Object.entries(inputs).map(([name, shape]) => tensorInput(name, DataType.FLOAT, ['N', ...shape])),
    output: [output],
  });
  return writeModel(makeModel(graph, { '': opset }));
}

type Nested = number | readonly Nested[];

const nested = (data: ArrayLike<number>, [size, ...inner]: readonly number[], from = 0): Nested =>
  size === undefined
    ? data[from]!
    : Array.from({ length: size }, (_, at) => nested(data, inner, from + at * product(inner)));

test.each(Object.entries(cases))('%s', async (_, one) => {
  const file = fileOf(one);
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store });
  const model = importModel(file, flour, { blackBox: 'forbid' });
  if (one.why !== undefined) {
    expect(model.kind === 'tensor' ? String(model.why) : 'rows').toMatch(one.why);
    return;
  }
  if (model.kind === 'tensor') throw model.why;
  const inputs = Object.entries(one.inputs).map(([name, shape], at) => ({
    name,
    shape,
    data: scattered(ROWS * product(shape), 10 * at),
  }));
  const rows = Array.from({ length: ROWS }, (_, row) =>
    Object.fromEntries(inputs.map(({ name, shape, data }) => [name, nested(data, shape, row * product(shape))])),
  );
  const answers = await runtime.predictBatch(runtime.register(model.program.plan()), rows as never);
  const [whole] = importTensors(file).program.run(
    inputs.map(({ shape, data }) => ({ element: 'float32' as const, shape: [ROWS, ...shape], data })),
  );
  const got = answers.flatMap((answer) => [(answer as { y: Nested }).y].flat(Number.POSITIVE_INFINITY as 1));
  expect(got).toEqual([...(whole as { data: Float32Array }).data]);
});
