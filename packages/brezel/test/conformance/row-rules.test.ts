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
import { createFlour, importModel, importOnnx } from 'brezel';
import { describe, expect, test } from 'vitest';
import { expectAsOnnxruntime, ort } from './against-onnxruntime.js';

type Attributes = Readonly<Record<string, AttributeValue>>;

const node = (operator: string, inputs: string, output: string, attributes: Attributes = {}): NodeProto =>
  makeNode(
    operator,
    inputs.split(' '),
    output.split(' '),
    attributes,
    operator === 'ArrayFeatureExtractor' ? 'ai.onnx.ml' : '',
  );
const float32 = (name: string, dims: readonly number[], ...data: number[]): TensorProto =>
  makeTensor(name, 'float32', dims, Float32Array.from(data));
const int64 = (name: string, dims: readonly number[], ...data: number[]): TensorProto =>
  makeTensor(name, 'int64', dims, BigInt64Array.from(data, BigInt));
const axis = (i: number) => ({ axis: { i } });
const axes = (...ints: number[]) => ({ axes: { ints } });
const matrix = float32('c', [3, 2], 1, -2, 0.5, 3, 0.25, -1);
const row = float32('c', [1, 3], 5, 6, 7);

function fileOf(
  nodes: readonly NodeProto[],
  initializer: readonly TensorProto[],
  rows: string | number = 'N',
  opset = 17,
): Uint8Array {
  const output = tensorInput('y', DataType.FLOAT, []);
  Object.assign(output.type!.tensorType!, { shape: undefined });
  const input = [tensorInput('x', DataType.FLOAT, [rows, 3])];
  return writeModel(
    makeModel(makeGraph({ node: [...nodes], initializer: [...initializer], input, output: [output] }), {
      '': opset,
      'ai.onnx.ml': 3,
    }),
  );
}

type Case = readonly [name: string, nodes: readonly NodeProto[], initializers?: readonly TensorProto[]];

/** Writes distances to all rows of `c`, as skl2onnx does. */
const distances = (...body: readonly NodeProto[]): NodeProto =>
  node('Scan', 'x c', 'state d', {
    num_scan_inputs: { i: 1 },
    body: {
      g: makeGraph({
        name: 'body',
        input: [tensorInput('in', DataType.FLOAT, ['M', 3]), tensorInput('next', DataType.FLOAT, [3])],
        output: [tensorInput('out', DataType.FLOAT, ['M', 3]), tensorInput('found', DataType.FLOAT, ['M'])],
        node: [node('Identity', 'in', 'out'), ...body],
      }),
    },
  });
const training = float32('c', [4, 3], 1, 2, 3, 0, 0.5, -1, 4, -4, 1, 2, 2, 2);

/**
 * Returns a Scan that adds each entry to a state. The Scan returns each new state times its entry.
 */
const sums = (attributes: Attributes, scanned = 'x'): NodeProto =>
  node('Scan', `c ${scanned}`, 'state d', {
    num_scan_inputs: { i: 1 },
    ...attributes,
    body: {
      g: makeGraph({
        name: 'body',
        input: [tensorInput('in', DataType.FLOAT, ['M']), tensorInput('next', DataType.FLOAT, ['M'])],
        output: [tensorInput('out', DataType.FLOAT, ['M']), tensorInput('found', DataType.FLOAT, ['M'])],
        node: [node('Add', 'in next', 'out'), node('Mul', 'out next', 'found')],
      }),
    },
  });

/** Returns a Loop that doubles x and adds 3 in each iteration. */
const doubled = (trips: string): NodeProto =>
  makeNode('Loop', [trips, '', 'x'], ['y'], {
    body: {
      g: makeGraph({
        name: 'body',
        input: [scalar('i', DataType.INT64), scalar('go', DataType.BOOL), tensorInput('v', DataType.FLOAT, ['M', 3])],
        output: [scalar('on', DataType.BOOL), tensorInput('w', DataType.FLOAT, ['M', 3])],
        initializer: [float32('three', [1], 3)],
        node: [node('Identity', 'go', 'on'), node('Add', 'v v', 'twice'), node('Add', 'twice three', 'w')],
      }),
    },
  });
const scalar = (name: string, type: number) => tensorInput(name, type, []);

/**
 * Returns a Loop over the entries of x: v = v * 0.5 + x[i] + sqrt(0.5), where the body captures x.
 * The loop ends when i reaches `last`. Each iteration outputs v.
 */
const decayed = (last: number, ...body: readonly NodeProto[]): NodeProto =>
  makeNode('Loop', ['trips', 'yes', 'start'], ['end', 'd'], {
    body: {
      g: makeGraph({
        name: 'body',
        input: [
          tensorInput('i', DataType.INT64, [1]),
          scalar('go', DataType.BOOL),
          tensorInput('v', DataType.FLOAT, ['M']),
        ],
        output: [
          scalar('on', DataType.BOOL),
          tensorInput('w', DataType.FLOAT, ['M']),
          tensorInput('each', DataType.FLOAT, ['M']),
        ],
        initializer: [int64('last', [], last), float32('half', [], 0.5)],
        node: [
          node('Squeeze', 'i', 'j'),
          node('Gather', 'x j', 'e', axis(1)),
          node('Mul', 'v half', 'h'),
          node('Add', 'h e', 'u'),
          node('Sqrt', 'half', 'root'),
          node('Add', 'u root', 'w'),
          node('Less', 'j last', 'on'),
          ...body,
          node('Identity', 'w', 'each'),
        ],
      }),
    },
  });
const start = [
  node('Shape', 'x', 's', { end: { i: 1 } }),
  node('ConstantOfShape', 's', 'start'),
  node('Greater', 'trips nought', 'yes'),
];
const turned = node('Transpose', 'd', 'y');

/** Graphs in which the answer to a row depends on other rows, or on the number of rows. */
const mixing: readonly Case[] = [
  ['a mean over the rows', [node('ReduceMean', 'x', 'y', axes(0))]],
  ['a mean over everything', [node('ReduceMean', 'x', 'y')]],
  ['a softmax over the rows', [node('Softmax', 'x', 'y', axis(0))]],
  ['the greatest row', [node('ArgMax', 'x', 'i', axis(0)), node('Cast', 'i', 'y', { to: { i: 1 } })]],
  ['the first rows', [node('Slice', 'x a b a', 'y')], [int64('a', [1], 0), int64('b', [1], 2)]],
  [
    'rows from the second on',
    [node('Slice', 'x a b c', 'y')],
    [int64('a', [1], 1), int64('b', [1], 2 ** 40), int64('c', [1], 0)],
  ],
  ['the first row', [node('Gather', 'x c', 'y', axis(0))], [int64('c', [1], 0)]],
  [
    'rows in another order of their elements',
    [node('Transpose', 'x', 't'), node('Reshape', 't c', 'y')],
    [int64('c', [2], -1, 3)],
  ],
  ['two rows in one', [node('Reshape', 'x c', 'y')], [int64('c', [2], -1, 6)]],
  ['a row cut in two', [node('Concat', 'x x', 'd', axis(1)), node('Reshape', 'd c', 'y')], [int64('c', [2], -1, 3)]],
  ['products of rows with rows', [node('Transpose', 'x', 't'), node('MatMul', 'x t', 'y')]],
  ['products over rows', [node('Transpose', 'x', 't'), node('MatMul', 't x', 'y')]],
  ['rows next to a constant', [node('Concat', 'x c', 'y', axis(0))], [row]],
  ['a constant beside every row', [node('Concat', 'x c', 'y', axis(1))], [row]],
  ['a constant for each of two rows', [node('Add', 'x c', 'y')], [float32('c', [2, 1], 1, 2)]],
  [
    'rows against columns',
    [node('ReduceSum', 'x c', 's', { keepdims: { i: 0 } }), node('Add', 'x s', 'y')],
    [int64('c', [1], 1)],
  ],
  ['a cumulative sum over rows', [node('CumSum', 'x c', 'y')], [int64('c', [], 0)]],
  ['the greatest two of a column', [node('TopK', 'x c', 'y i', axis(0))], [int64('c', [1], 2)]],
  [
    'divided by the number of rows',
    [
      node('Shape', 'x', 's'),
      node('Gather', 's c', 'n'),
      node('Cast', 'n', 'f', { to: { i: 1 } }),
      node('Div', 'x f', 'y'),
    ],
    [int64('c', [], 0)],
  ],
  [
    'the place of a row',
    [
      node('Shape', 'x', 's'),
      node('Gather', 's c', 'n'),
      node('Range', 'c n d', 'r'),
      node('Cast', 'r', 'f', { to: { i: 1 } }),
      node('Unsqueeze', 'f d', 'g'),
      node('Add', 'x g', 'y'),
    ],
    [int64('c', [], 0), int64('d', [], 1)],
  ],
  ['an axis of rows squeezed', [node('Squeeze', 'x c', 'y')], [int64('c', [1], 0)]],
  ['rows repeated', [node('Tile', 'x c', 'y')], [int64('c', [2], 2, 1)]],
  ['rows padded', [node('Pad', 'x c', 'y')], [int64('c', [4], 0, 0, 1, 0)]],
  ['sums of a letter of the rows', [node('Einsum', 'x', 'y', { equation: { s: 'ij->j' } })]],
  ['rows of another axis as output', [node('Transpose', 'x', 'y')]],
  ['a scan over the rows', [sums({}), node('Identity', 'd', 'y')], [float32('c', [3], 0, 0, 0)]],
  [
    'a loop whose trip count is the number of rows',
    [node('Shape', 'x', 's', { end: { i: 1 } }), node('Squeeze', 's', 'trips'), doubled('trips')],
  ],
  [
    'a loop whose trip count depends on the rows',
    [
      node('ReduceMax', 'x', 'm', { keepdims: { i: 0 } }),
      node('Cast', 'm', 'trips', { to: { i: 7 } }),
      doubled('trips'),
    ],
  ],
  [
    'a loop of more nodes than a graph may add',
    [node('Identity', 'c', 'trips'), doubled('trips')],
    [int64('c', [], 100_000)],
  ],
];

/** Graphs with independent rows along an unusual axis. */
const apart: readonly Case[] = [
  [
    'constants by the first axis',
    [node('Transpose', 'x', 't'), node('Add', 't c', 'u'), node('Transpose', 'u', 'y')],
    [float32('c', [3, 1], 1, 2, 3)],
  ],
  [
    'a matrix on the left',
    [node('Transpose', 'x', 't'), node('MatMul', 'c t', 'u'), node('Transpose', 'u', 'y')],
    [float32('c', [2, 3], 1, -1, 2, 0.5, 0, 3)],
  ],
  ['a vector on the left', [node('Transpose', 'x', 't'), node('MatMul', 'c t', 'y')], [float32('c', [3], 1, -1, 2)]],
  ['a vector on the right', [node('MatMul', 'x c', 'y')], [float32('c', [3], 1, -1, 2)]],
  [
    'Gemm with alpha, beta and rows added',
    [node('ReduceSum', 'x d', 's'), node('Gemm', 'x c s', 'y', { alpha: { f: 0.5 }, beta: { f: 2 } })],
    [matrix, int64('d', [1], 1)],
  ],
  ['Gemm of columns', [node('Transpose', 'x', 't'), node('Gemm', 't c', 'y', { transA: { i: 1 } })], [matrix]],
  ['Einsum', [node('Einsum', 'x c', 'y', { equation: { s: 'nk,km->nm' } })], [matrix]],
  [
    'Einsum, rows last',
    [node('Einsum', 'x c', 'u', { equation: { s: 'nk,km->mn' } }), node('Transpose', 'u', 'y')],
    [matrix],
  ],
  [
    'entries of a table by indices of the row',
    [node('TopK', 'x k', 'v i'), node('Gather', 'c i', 'y', axis(0))],
    [float32('c', [3, 2], 1, 2, 3, 4, 5, 6), int64('k', [1], 2)],
  ],
  [
    'entries of the row by its own indices',
    [node('TopK', 'x k', 'v i', { largest: { i: 0 } }), node('GatherElements', 'x i', 'y', axis(1))],
    [int64('k', [1], 2)],
  ],
  [
    'labels of neighbours',
    [
      node('TopK', 'x k', 'v i'),
      node('Flatten', 'i', 'f'),
      node('ArrayFeatureExtractor', 'c f', 'l'),
      node('Reshape', 'l s', 'y'),
    ],
    [float32('c', [3], 7, 8, 9), int64('k', [1], 2), int64('s', [2], -1, 2)],
  ],
  ...['ReduceMax', 'ReduceMean'].map(
    (operator): Case => [
      `${operator} with keepdims that is not 1`,
      [node(operator, 'x', 'y', { axes: { ints: [1] }, keepdims: { i: 2 } })],
      [],
    ],
  ),
  [
    'ArgMax with keepdims that is not 1',
    [node('ArgMax', 'x', 'i', { axis: { i: 1 }, keepdims: { i: 2 } }), node('Cast', 'i', 'y', { to: { i: 1 } })],
    [],
  ],
  [
    'one-hot of the greatest',
    [node('ArgMax', 'x', 'i', { axis: { i: 1 }, keepdims: { i: 0 } }), node('OneHot', 'i d v', 'y')],
    [int64('d', [], 3), float32('v', [2], -1, 1)],
  ],
  [
    'a shape from the number of rows',
    [
      node('Shape', 'x', 's'),
      node('Slice', 's z o z', 'n'),
      node('Concat', 'n k', 'w', axis(0)),
      node('Reshape', 'x w', 'y'),
    ],
    [int64('z', [1], 0), int64('o', [1], 1), int64('k', [2], 3, 1)],
  ],
  [
    'as many ones as rows',
    [node('Shape', 'x', 's'), node('ConstantOfShape', 's', 'u'), node('Concat', 'u x', 'y', axis(1))],
  ],
  [
    'expanded to the shape of another',
    [node('Shape', 'x', 's'), node('ReduceMax', 'x', 'm', axes(1)), node('Expand', 'm s', 'y')],
  ],
  [
    'all rows of a slice',
    [node('Slice', 'x a b c', 'y')],
    [int64('a', [2], 0, 1), int64('b', [2], 2 ** 40, 3), int64('c', [2], 0, 1)],
  ],
  [
    'squares of distances, as of k-means',
    [
      node('ReduceSumSquare', 'x', 'q', axes(1)),
      node('Mul', 'q z', 'n'),
      node('Gemm', 'x c n', 'g', { alpha: { f: -2 }, transB: { i: 1 } }),
      node('Add', 'q g', 'a'),
      node('Add', 'd a', 'y'),
    ],
    [float32('z', [1], 0), float32('c', [2, 3], 1, 2, 3, -1, 0, 1), float32('d', [2], 14, 2)],
  ],
  [
    'a bagging of two',
    [
      node('Neg', 'x', 'm'),
      node('Reshape', 'x s', 'a'),
      node('Reshape', 'm s', 'b'),
      node('Concat', 'a b', 'j', axis(0)),
      node('ReduceMax', 'j', 'y', { axes: { ints: [0] }, keepdims: { i: 0 } }),
    ],
    [int64('s', [3], 1, -1, 3)],
  ],
  [
    'Euclidean neighbours',
    [
      distances(
        node('Sub', 'in next', 'e'),
        node('ReduceSumSquare', 'e', 'found', { axes: { ints: [1] }, keepdims: { i: 0 } }),
      ),
      node('Transpose', 'd', 't', { perm: { ints: [1, 0] } }),
      node('Sqrt', 't', 's'),
      node('TopK', 's k', 'y i', { largest: { i: 0 } }),
    ],
    [training, int64('k', [1], 2)],
  ],
  [
    'Manhattan neighbours',
    [
      distances(
        node('Sub', 'in next', 'e'),
        node('Abs', 'e', 'a'),
        node('ReduceL1', 'a', 'found', { axes: { ints: [-1] }, keepdims: { i: 0 } }),
      ),
      node('Transpose', 'd', 'y'),
    ],
    [training],
  ],
  [
    'a scan over constants that carries a state on',
    [
      node('Scan', 'x c', 'state d', {
        num_scan_inputs: { i: 1 },
        body: {
          g: makeGraph({
            name: 'body',
            input: [tensorInput('in', DataType.FLOAT, ['M', 3]), tensorInput('next', DataType.FLOAT, [3])],
            output: [tensorInput('out', DataType.FLOAT, ['M', 3]), tensorInput('found', DataType.FLOAT, ['M', 3])],
            node: [node('Add', 'in next', 'out'), node('Identity', 'out', 'found')],
          }),
        },
      }),
      node('Transpose', 'd', 'y', { perm: { ints: [1, 0, 2] } }),
    ],
    [training],
  ],
  [
    'a scan over the entries of the row',
    [
      node('Shape', 'x', 's', { end: { i: 1 } }),
      node('ConstantOfShape', 's', 'c'),
      sums({ scan_input_axes: { ints: [1] }, scan_output_axes: { ints: [1] } }),
      node('Add', 'd d', 'y'),
    ],
  ],
  [
    'a backward scan over the first axis, as recurrent layers have it',
    [
      node('Transpose', 'x', 't'),
      node('Shape', 'x', 's', { end: { i: 1 } }),
      node('ConstantOfShape', 's', 'c'),
      sums({ scan_input_directions: { ints: [1] }, scan_output_directions: { ints: [1] } }, 't'),
      turned,
    ],
  ],
  ['a loop of a constant trip count', [doubled('trips')], [int64('trips', [], 4)]],
  ['a loop without iterations', [doubled('trips')], [int64('trips', [], 0)]],
  [
    'a loop over the entries of the row',
    [...start, decayed(5), turned],
    [int64('trips', [], 3), int64('nought', [], 0)],
  ],
  ['a loop that its body ends', [...start, decayed(1), turned], [int64('trips', [], 3), int64('nought', [], 0)]],
  [
    'a loop in a loop, which reads values of both graphs',
    [
      makeNode('Loop', ['trips', '', 'x'], ['y'], {
        body: {
          g: makeGraph({
            name: 'outer',
            input: [
              scalar('i', DataType.INT64),
              scalar('go', DataType.BOOL),
              tensorInput('v', DataType.FLOAT, ['M', 3]),
            ],
            output: [scalar('on', DataType.BOOL), tensorInput('w', DataType.FLOAT, ['M', 3])],
            node: [
              node('Identity', 'go', 'on'),
              node('Mul', 'v c', 'scaled'),
              node('Add', 'i one', 'next'),
              makeNode('Loop', ['next', '', 'v'], ['w'], {
                body: {
                  g: makeGraph({
                    name: 'inner',
                    input: [
                      scalar('j', DataType.INT64),
                      scalar('goes', DataType.BOOL),
                      tensorInput('a', DataType.FLOAT, ['M', 3]),
                    ],
                    output: [scalar('still', DataType.BOOL), tensorInput('b', DataType.FLOAT, ['M', 3])],
                    node: [node('Identity', 'goes', 'still'), node('Add', 'a scaled', 'b')],
                  }),
                },
              }),
            ],
          }),
        },
      }),
    ],
    [int64('trips', [], 3), int64('one', [], 1), row],
  ],
];

describe('graphs that mix rows', () => {
  test.each(mixing.map((one) => ({ name: one[0], nodes: one[1], initializers: one[2] ?? [] })))(
    '$name',
    async ({ nodes, initializers }) => {
      using flour = await createFlour();
      const bytes = fileOf(nodes, initializers);
      expect(() => importOnnx(bytes, flour)).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/ERR_ONNX_(SHAPE|UNSUPPORTED)/) }),
      );
      expect(flour.store.stats().objects).toBe(0);
      expect(importModel(bytes, flour).kind).toBe('tensor');
    },
  );

  test('are row programs if the file is for one row', async () => {
    using flour = await createFlour();
    const nodes = [node('Reshape', 'x c', 'r'), node('Transpose', 'r', 't'), node('Reshape', 't d', 'y')];
    const initializers = [int64('c', [2], 1, 3), int64('d', [2], 1, 3)];
    expect(() => importOnnx(fileOf(nodes, initializers), flour)).toThrow();
    expect(importOnnx(fileOf(nodes, initializers, 1), flour).program.outputs).toHaveLength(1);
  });
});

describe.skipIf(ort === undefined)('graphs that do not mix rows, for any row axis', () => {
  const rows = [[1, 2, 3], [-1, 0.5, -0.25], [4, -4, 0], [0.125, 8, -2]]; // biome-ignore format: one row a list
  test.each(apart.map((one) => ({ name: one[0], nodes: one[1], initializers: one[2] ?? [] })))(
    '$name',
    async ({ nodes, initializers }) => {
      await expectAsOnnxruntime({
        inputs: { x: { type: 'float32', rows } },
        nodes,
        initializers,
        outputs: { y: 'float32' },
      });
    },
  );
});

test.each([11, 12, 13])('a softmax over the last axis mixes rows that lie there, in operator set %i', async (opset) => {
  const nodes = [node('Transpose', 'x', 't'), node('Softmax', 't', 's', axis(-1)), node('Transpose', 's', 'y')];
  using flour = await createFlour();
  const model = importModel(fileOf(nodes, [], 'N', opset), flour);
  expect(model.kind).toBe('tensor');
});
