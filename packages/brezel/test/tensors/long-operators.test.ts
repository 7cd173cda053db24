import { type AttributeValue, DataType, makeModel, makeNode, tensorInput, writeModel } from '@brezel/onnx';
import { type ElementType, elementArray, elementCount, importTensors, openStore, type Tensor } from 'brezel';
import { describe, expect, test } from 'vitest';
import { countTurns, ReadClock } from './count-turns.js';
import { graph } from './models.js';

// One operator may work for seconds, because its work grows with the product of several sizes. The
// event loop must run meanwhile. Pauses must not change an answer.

type Attributes = Readonly<Record<string, AttributeValue>>;

/** An operator, the types and shapes of its inputs, its attributes, and its domain. */
type LongOperator = readonly [
  operator: string,
  inputs: readonly (readonly [ElementType, ...number[]])[],
  attributes?: Attributes,
  domain?: string,
];

const i = (value: number): AttributeValue => ({ i: value });
const s = (value: string): AttributeValue => ({ s: value });

const products: readonly LongOperator[] = [
  [
    'MatMul',
    [
      ['float32', 400, 128],
      ['float32', 128, 200],
    ],
  ],
  [
    'MatMul',
    [
      ['float32', 40, 64, 64],
      ['float32', 64, 64],
    ],
  ],
  [
    'MatMul',
    [
      ['float32', 40, 64, 64],
      ['float32', 40, 64, 64],
    ],
  ],
  [
    'MatMul',
    [
      ['float64', 2, 260, 64],
      ['float64', 2, 64, 260],
    ],
  ],
  [
    'MatMul',
    [
      ['int32', 2, 1, 260, 64],
      ['int32', 2, 64, 260],
    ],
  ],
  [
    'Gemm',
    [
      ['float32', 128, 300],
      ['float32', 128, 200],
      ['float32', 200],
    ],
    { transA: i(1), alpha: { f: 2 } },
  ],
  [
    'Gemm',
    [
      ['float32', 300, 128],
      ['float32', 200, 128],
    ],
    { transB: i(1) },
  ],
  [
    'MatMulInteger',
    [
      ['uint8', 400, 128],
      ['uint8', 128, 200],
    ],
  ],
  [
    'Einsum',
    [
      ['float32', 32, 128, 32],
      ['float32', 32, 32, 128],
    ],
    { equation: s('bij,bjk->bik') },
  ],
  [
    'Conv',
    [
      ['float32', 1, 16, 24, 24],
      ['float32', 96, 16, 3, 3],
      ['float32', 96],
    ],
  ],
  [
    'Conv',
    [
      ['float32', 6, 8, 30, 30],
      ['float32', 16, 8, 3, 3],
      ['float32', 16],
    ],
  ],
  [
    'Conv',
    [
      ['float32', 2, 32, 40, 40],
      ['float32', 32, 8, 3, 3],
    ],
    { group: i(4), pads: { ints: [1, 1, 1, 1] } },
  ],
  [
    'Conv',
    [
      ['float64', 1, 8, 36, 36],
      ['float64', 70, 8, 3, 3],
      ['float64', 70],
    ],
  ],
  [
    'ConvInteger',
    [
      ['uint8', 1, 8, 36, 36],
      ['uint8', 70, 8, 3, 3],
    ],
  ],
];
const withoutKernels: readonly LongOperator[] = [
  ['Erf', [['float32', 50_000]]],
  ['Abs', [['int64', 50_000]]],
  [
    'Add',
    [
      ['int64', 50, 1000],
      ['int64', 1000],
    ],
  ],
  [
    'Less',
    [
      ['float32', 50_000],
      ['float32', 50_000],
    ],
  ],
  [
    'Pow',
    [
      ['float32', 50_000],
      ['float32', 50_000],
    ],
  ],
  [
    'Where',
    [
      ['bool', 50_000],
      ['float32', 50_000],
      ['float32', 50_000],
    ],
  ],
  [
    'Max',
    [
      ['float32', 50_000],
      ['float32', 1],
    ],
  ],
  [
    'Mean',
    [
      ['float32', 50_000],
      ['float32', 1],
    ],
  ],
  ['Clip', [['int32', 50_000]]],
  ['Cast', [['float32', 50_000]], { to: i(DataType.STRING) }],
  [
    'FusedMatMul',
    [
      ['float32', 200, 200],
      ['float32', 200, 200],
    ],
    { transB: i(1) },
    'com.microsoft',
  ],
  [
    'FusedGemm',
    [
      ['float32', 200, 200],
      ['float32', 200, 200],
    ],
    { activation: s('Relu') },
    'com.microsoft',
  ],
  ['Gelu', [['float32', 50_000]], {}, 'com.microsoft'],
  [
    'MatMulNBits',
    [
      ['float32', 200, 256],
      ['uint8', 200, 8, 16],
      ['float32', 1600],
    ],
    { K: i(256), N: i(200), block_size: i(32) },
    'com.microsoft',
  ],
  [
    'MultiHeadAttention',
    [
      ['float32', 1, 300, 64],
      ['float32', 1, 300, 64],
      ['float32', 1, 300, 64],
    ],
    { num_heads: i(4) },
    'com.microsoft',
  ],
  [
    'Attention',
    [
      ['float32', 1, 4, 200, 16],
      ['float32', 1, 4, 200, 16],
      ['float32', 1, 4, 200, 16],
    ],
  ],
  [
    'ConvTranspose',
    [
      ['float32', 1, 32, 16, 16],
      ['float32', 32, 32, 3, 3],
    ],
  ],
  ['LRN', [['float32', 1, 16, 64, 64]], { size: i(40) }],
  ['MaxPool', [['float32', 1, 16, 64, 64]], { kernel_shape: { ints: [3, 3] } }],
  ['AveragePool', [['float32', 1, 16, 64, 64]], { kernel_shape: { ints: [3, 3] } }],
  ['LpPool', [['float32', 1, 16, 64, 64]], { kernel_shape: { ints: [3, 3] } }],
  [
    'GridSample',
    [
      ['float32', 1, 64, 32, 32],
      ['float32', 1, 90, 90, 2],
    ],
  ],
  [
    'LSTM',
    [
      ['float32', 20, 1, 16],
      ['float32', 1, 64, 16],
      ['float32', 1, 64, 16],
    ],
    { hidden_size: i(16) },
  ],
  [
    'GRU',
    [
      ['float32', 20, 1, 16],
      ['float32', 1, 48, 16],
      ['float32', 1, 48, 16],
    ],
    { hidden_size: i(16) },
  ],
  [
    'RNN',
    [
      ['float32', 20, 1, 16],
      ['float32', 1, 16, 16],
      ['float32', 1, 16, 16],
    ],
    { hidden_size: i(16) },
  ],
  ['OneHotEncoder', [['int64', 50_000]], { cats_int64s: { ints: [1, 2, 3] } }, 'ai.onnx.ml'],
  ['LabelEncoder', [['int64', 50_000]], { keys_int64s: { ints: [1] }, values_int64s: { ints: [7] } }, 'ai.onnx.ml'],
];

const dataTypes: Readonly<Record<string, number>> = {
  float32: DataType.FLOAT,
  float64: DataType.DOUBLE,
  int32: DataType.INT32,
  int64: DataType.INT64,
  uint8: DataType.UINT8,
  bool: DataType.BOOL,
};

function numberOf(element: ElementType, value: number): number | bigint {
  if (element === 'int64') return BigInt(value % 5);
  if (element === 'bool') return value % 2;
  return element.startsWith('float') ? value / 97 - 5 : value % 100;
}

function tensorOf([element, ...shape]: readonly [ElementType, ...number[]], seed: number): Tensor {
  const data = elementArray(element as 'float32', elementCount(shape));
  for (let at = 0; at < data.length; at++) {
    const value = ((at + seed) * 7919) % 1009;
    data[at] = numberOf(element, value) as never;
  }
  return { element, shape, data } as unknown as Tensor;
}

function fileOf([operator, inputs, attributes = {}, domain = '']: LongOperator) {
  const given = inputs.map((input, at) => [`x${at}`, tensorOf(input, at)] as const);
  const ports = given.map(([name, { element, shape }]) => tensorInput(name, dataTypes[element]!, [...shape]));
  const output = tensorInput('y', DataType.FLOAT, []);
  Object.assign(output, { type: undefined });
  const names = given.map(([name]) => name);
  const main = graph([makeNode(operator, names, ['y'], attributes, domain)], ports, [output]);
  const bytes = writeModel(makeModel(main, { '': 23, 'ai.onnx.ml': 3, 'com.microsoft': 1 }));
  return { bytes, inputs: Object.fromEntries(given) };
}

/** Compares the bits of two tensors. (`toEqual` takes seconds for long arrays.) */
function expectSame(got: Tensor, expected: Tensor): void {
  expect({ ...got, data: undefined }).toEqual({ ...expected, data: undefined });
  const at = Array.prototype.findIndex.call(expected.data, (one, index) => !Object.is(one, got.data[index]));
  expect([at, got.data[at], got.data.length]).toEqual([-1, undefined, expected.data.length]);
}

describe.each([
  ['JavaScript', await openStore({ native: false })],
  ['the addon', await openStore()],
] as const)(
  'a long operator in %s lets the event loop run, and has the bits of a run without pauses',
  (engine, store) => {
    const operators = engine === 'JavaScript' ? [...products, ...withoutKernels] : products;
    test.each(operators.map((operator, at) => [`${at} ${operator[0]}`, operator] as const))(
      '%s',
      async (_, operator) => {
        const { bytes, inputs } = fileOf(operator);
        const { program } = importTensors(bytes);
        const [expected] = program.run(program.inputs.map(({ name }) => inputs[name]));
        const got = await countTurns(store, bytes, inputs, {}, {}, new ReadClock(1));
        expectSame(got.outputs.y as Tensor, expected as Tensor);
        expect(got.turns).toBeGreaterThanOrEqual(3);
      },
    );
  },
);

test.each([
  ['JavaScript', false],
  ['the addon', undefined],
])('in %s, a request fails if the caller transfers the buffer of an input meanwhile', async (_, native) => {
  const store = await openStore({ ...(native === false && { native }) });
  const { bytes, inputs } = fileOf(products[0]!);
  const request = countTurns(store, bytes, inputs, {}, {}, new ReadClock(1));
  const { data } = inputs.x0 as Extract<Tensor, { element: 'float32' }>;
  structuredClone(data, { transfer: [data.buffer as ArrayBuffer] });
  await expect(request).rejects.toMatchObject({ code: 'ERR_FLOUR_TENSOR', details: { at: 'input "x0"' } });
});
