import { type AttributeValue, DataType, makeStringTensor, makeTensor, tensorInput } from '@brezel/onnx';
import { createFlour, importOnnx } from 'brezel';
import { afterAll, expect, test } from 'vitest';
import { file, graph } from '../tensors/models.js';
import { ints } from './huge-declarations/cases.js';
import { node } from './models.js';

// Ordinary models prepare large weights with several nodes, or have large rows. Their imports stay
// within the default limits.

const flour = await createFlour();
afterAll(() => flour.dispose());

type Nodes = readonly ReturnType<typeof node>[];
type Tensor = ReturnType<typeof makeTensor>;

const elementsOf = (shape: readonly number[]) => shape.reduce((product, size) => product * size, 1);
/** Returns a tensor in which each element takes `bytes` bytes, all with the value `fill`. */
const stored = (name: string, type: number, shape: readonly number[], bytes: number, fill: number): Tensor => ({
  ...makeTensor(name, 'float32', shape, new Float32Array(0)),
  dataType: type,
  rawData: new Uint8Array(elementsOf(shape) * bytes).fill(fill),
});
/** The bytes 0x3e make float32 numbers of about 0.19. */
const float32 = (name: string, ...shape: number[]) => stored(name, DataType.FLOAT, shape, 4, 0x3e);
const float16 = (name: string, ...shape: number[]) => stored(name, DataType.FLOAT16, shape, 2, 0x2c);
const int8 = (name: string, ...shape: number[]) => stored(name, DataType.INT8, shape, 1, 3);
const int4 = (name: string, ...shape: number[]) => stored(name, DataType.INT4, shape, 0.5, 0x21);
const scale = makeTensor('s', 'float32', [], Float32Array.of(0.1));
const zero = stored('z', DataType.INT8, [], 1, 0);

/** Chains operators of one output: the first reads `first`, each other reads the result before. */
function chain(first: string, last: string, ...steps: [string, Record<string, AttributeValue>?, string[]?][]): Nodes {
  return steps.map(([operator, attributes = {}, others = []], at) => {
    const input = at === 0 ? first : `${last}${at}`;
    return node(operator, [input, ...others], [at === steps.length - 1 ? last : `${last}${at + 1}`], attributes);
  });
}

const product = node('MatMul', ['x', 'p'], ['y']);
const swap = { perm: { ints: [1, 0] } };
const toFloat = { to: { i: DataType.FLOAT } };
const pool: [string, Record<string, AttributeValue>?][] = [['GlobalAveragePool'], ['Flatten']];
const half = { pads: { ints: [1, 1, 1, 1] }, strides: { ints: [2, 2] } };
const same = { pads: { ints: [1, 1, 1, 1] } };
const dequantize: [string, Record<string, AttributeValue>?, string[]?] = ['DequantizeLinear', {}, ['s', 'z']];
const toChannels: [string, Record<string, AttributeValue>?] = ['Transpose', { perm: { ints: [0, 3, 1, 2] } }];
const cuts = (count: number, step: number) => Array.from({ length: count + 1 }, (_, at) => ints(`i${at}`, at * step));
const sliced = (count: number) =>
  Array.from({ length: count }, (_, at) => node('Slice', ['w', `i${at}`, `i${at + 1}`, 'ax'], [`s${at}`]));
const names = (count: number) => Array.from({ length: count }, (_, at) => `s${at}`);

/** The initializers, the nodes, the shape of a row, and the operator set. */
type Model = readonly [readonly Tensor[], Nodes, readonly number[], number?];

const weights = (row: number, prepared: Nodes, initializers: readonly Tensor[], opset?: number): Model => [
  initializers,
  [...prepared, product],
  [row],
  opset,
];

const models: Readonly<Record<string, Model>> = {
  'DequantizeLinear of int8 weights': weights(2304, chain('w', 'p', dequantize), [int8('w', 2304, 1024), scale, zero]),
  'DequantizeLinear and Transpose of int8 weights': weights(768, chain('w', 'p', dequantize, ['Transpose', swap]), [
    int8('w', 768, 768),
    scale,
    zero,
  ]),
  'Cast, Sub and Mul of int8 weights': weights(
    512,
    chain('w', 'p', ['Cast', toFloat], ['Sub', {}, ['s']], ['Mul', {}, ['s']]),
    [int8('w', 512, 512), scale],
  ),
  'DequantizeLinear of int4 weights': weights(
    1024,
    chain('w', 'p', ['DequantizeLinear', {}, ['s']]),
    [int4('w', 1024, 1024), scale],
    21,
  ),
  'QuantizeLinear, DequantizeLinear and Transpose of float32 weights': weights(
    768,
    chain('w', 'p', ['QuantizeLinear', {}, ['s', 'z']], dequantize, ['Transpose', swap]),
    [float32('w', 768, 768), scale, zero],
  ),
  'normalized weights': weights(
    256,
    [
      node('ReduceL2', ['v'], ['n'], { axes: { ints: [1] }, keepdims: { i: 1 } }),
      node('Div', ['v', 'n'], ['u']),
      ...chain('u', 'p', ['Mul', {}, ['g']], ['Transpose', swap]),
    ],
    [float32('v', 256, 256), float32('g', 256, 1)],
  ),
  'sum of weights and a product of rank 8': weights(
    1024,
    [node('MatMul', ['b', 'a'], ['d']), node('Add', ['w', 'd'], ['p'])],
    [float32('w', 1024, 1024), float32('b', 1024, 8), float32('a', 8, 1024)],
  ),
  'Cast, Transpose and Mul of float16 weights': weights(
    1024,
    chain('w', 'p', ['Cast', toFloat], ['Transpose', swap], ['Mul', {}, ['s']]),
    [float16('w', 1024, 1024), scale],
  ),
  'Mul and Add of float32 weights': weights(1024, chain('w', 'p', ['Mul', {}, ['s']], ['Add', {}, ['s']]), [
    float32('w', 1024, 1024),
    scale,
  ]),
  'gates of an LSTM': weights(
    512,
    [
      ...sliced(4),
      node('Concat', ['s0', 's3', 's1', 's2'], ['c'], { axis: { i: 0 } }),
      ...chain('c', 'p', ['Unsqueeze', {}, ['ax']], ['Squeeze', {}, ['ax']], ['Transpose', swap]),
    ],
    [float32('w', 2048, 512), ...cuts(4, 512), ints('ax', 0)],
  ),
  '12 slices of attention weights': weights(
    768,
    [...sliced(12), node('Concat', names(12), ['p'], { axis: { i: 1 } })],
    [float32('w', 768, 2304), ...cuts(12, 192), ints('ax', 1)],
  ),
  '16 rows of a table': weights(
    16,
    [
      ...names(16).map((name, at) => node('Gather', ['w', `i${at}`], [name], { axis: { i: 0 } })),
      node('Concat', names(16), ['p'], { axis: { i: 0 } }),
    ],
    [float32('w', 4096, 256), ...cuts(16, 1)],
  ),
  'product of two constants': weights(
    256,
    [node('MatMul', ['b', 'a'], ['p'])],
    [float32('b', 256, 256), float32('a', 256, 256)],
  ),
  'causal mask': weights(
    512,
    [
      node('ConstantOfShape', ['sh'], ['o'], { value: { t: makeTensor('', 'float32', [1], Float32Array.of(1)) } }),
      node('Trilu', ['o'], ['p'], { upper: { i: 0 } }),
    ],
    [ints('sh', 512, 512)],
  ),
  'Sin of an expanded constant': weights(
    512,
    [node('Expand', ['w', 'sh'], ['e']), node('Sin', ['e'], ['p'])],
    [float32('w', 512, 1), ints('sh', 512, 1024)],
  ),
  'Transpose of an image': [[], chain('x', 'y', toChannels, ...pool), [512, 512, 3]],
  'SpaceToDepth of an image': [
    [float32('w', 8, 12, 3, 3)],
    chain('x', 'y', ['SpaceToDepth', { blocksize: { i: 2 } }], ['Conv', {}, ['w']], ...pool),
    [3, 512, 512],
  ],
  'Transpose, Sub and Div of an image': [
    [float32('w', 3, 1, 1)],
    chain('x', 'y', toChannels, ['Sub', {}, ['w']], ['Div', {}, ['w']], ...pool),
    [256, 256, 3],
  ],
  'two convolutions of an image': [
    [float32('w', 16, 3, 3, 3), float32('v', 16, 16, 3, 3)],
    chain('x', 'y', ['Conv', half, ['w']], ['Relu'], ['Conv', half, ['v']], ['Relu'], ...pool),
    [3, 512, 512],
  ],
  'two convolutions with MaxPool': [
    [float32('w', 16, 3, 3, 3), float32('v', 16, 16, 3, 3)],
    chain(
      'x',
      'y',
      ['Conv', same, ['w']],
      ['Relu'],
      ['MaxPool', { kernel_shape: { ints: [2, 2] }, strides: { ints: [2, 2] } }],
      ['Conv', same, ['v']],
      ['Relu'],
      ...pool,
    ),
    [3, 256, 256],
  ],
  'a product of a matrix of 460 rows and columns with itself': weights(
    460,
    [node('MatMul', ['w', 'w'], ['p'])],
    [float32('w', 460, 460)],
  ),
  '5000 numbers of classes as texts': [
    [
      makeTensor(
        'c',
        'int64',
        [5000],
        BigInt64Array.from({ length: 5000 }, (_, at) => BigInt(at)),
      ),
    ],
    [
      node('Cast', ['c'], ['t'], { to: { i: DataType.STRING } }),
      node('ArgMax', ['x'], ['a'], { axis: { i: 1 }, keepdims: { i: 0 } }),
      node('Gather', ['t', 'a'], ['y']),
    ],
    [5000],
  ],
  '2000 texts of 9 digits as numbers': [
    [
      makeStringTensor(
        'c',
        [2000],
        Array.from({ length: 2000 }, (_, at) => `${100_000_000 + at}`),
      ),
    ],
    [node('Cast', ['c'], ['n'], toFloat), node('Add', ['x', 'n'], ['y'])],
    [2000],
  ],
};

test.each(Object.entries(models))('%s: the import stays within the default limits', (_, model) => {
  const [initializer, nodes, row, opset = 17] = model;
  const inputs = [tensorInput('x', DataType.FLOAT, ['N', ...row])];
  const output = nodes.some(({ opType }) => opType === 'ArgMax') ? DataType.STRING : DataType.FLOAT;
  const outputs = [tensorInput('y', output, ['N'])];
  const bytes = file(graph(nodes, inputs, outputs, { initializer: [...initializer] }), opset);
  expect(flour.attempt(() => importOnnx(bytes, flour)).spent.steps).toBeGreaterThan(0);
});
