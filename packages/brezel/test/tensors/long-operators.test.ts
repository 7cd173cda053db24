import { type AttributeValue, DataType, makeModel, makeNode, tensorInput, writeModel } from '@brezel/onnx';
import {
  type CallOptions,
  createRuntime,
  type ElementType,
  elementArray,
  elementCount,
  importTensors,
  openStore,
  type RegisteredTensors,
  type Runtime,
  type Tensor,
} from 'brezel';
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

/** A tensor of floats. */
const f = (...shape: number[]): readonly ['float32', ...number[]] => ['float32', ...shape];
const of = (element: ElementType, ...shape: number[]): readonly [ElementType, ...number[]] => [element, ...shape];
const ints = (...values: number[]): AttributeValue => ({ ints: values });

// Each operator computes a little more than one block, so that it pauses once or a few times.

const products: readonly LongOperator[] = [
  ['MatMul', [f(130, 128), f(128, 260)]],
  ['MatMul', [f(18, 64, 64), f(64, 64)]],
  ['MatMul', [f(16, 64, 64), f(16, 64, 64)]],
  ['MatMul', [f(9000, 1, 1), f(9000, 1, 1)]],
  ['MatMul', [of('float64', 2, 130, 64), of('float64', 2, 64, 260)]],
  ['MatMul', [of('int32', 2, 1, 130, 64), of('int32', 2, 64, 130)]],
  ['Gemm', [f(128, 170), f(128, 200), f(200)], { transA: i(1), alpha: { f: 2 } }],
  ['Gemm', [f(170, 128), f(200, 128)], { transB: i(1) }],
  ['MatMulInteger', [of('uint8', 170, 128), of('uint8', 128, 200)]],
  ['Einsum', [f(8, 128, 32), f(8, 32, 128)], { equation: s('bij,bjk->bik') }],
  ['FusedMatMul', [f(170, 170), f(170, 170)], { transB: i(1) }, 'com.microsoft'],
  ['FusedGemm', [f(170, 170), f(170, 170)], { activation: s('Relu') }, 'com.microsoft'],
  [
    'MatMulNBits',
    [f(130, 256), of('uint8', 130, 8, 16), f(1040)],
    { K: i(256), N: i(130), block_size: i(32) },
    'com.microsoft',
  ],
  ['Det', [f(20, 32, 32)]],
  ['CDist', [f(100, 16), f(100, 16)], {}, 'com.microsoft'],
];
const convolutions: readonly LongOperator[] = [
  ['Conv', [f(1, 16, 24, 24), f(64, 16, 3, 3), f(64)]],
  ['Conv', [f(5, 8, 30, 30), f(16, 8, 3, 3), f(16)]],
  ['Conv', [f(2, 32, 40, 40), f(32, 8, 3, 3)], { group: i(4), pads: ints(1, 1, 1, 1) }],
  ['Conv', [of('float64', 1, 8, 36, 36), of('float64', 52, 8, 3, 3), of('float64', 52)]],
  ['ConvInteger', [of('uint8', 1, 8, 36, 36), of('uint8', 52, 8, 3, 3)]],
  ['ConvTranspose', [f(1, 8, 16, 16), f(8, 32, 3, 3)]],
  ['LRN', [f(1, 8, 64, 64)], { size: i(40) }],
  ['MaxPool', [f(2, 8, 64, 64)], { kernel_shape: ints(3, 3) }],
  ['AveragePool', [f(2, 8, 64, 64)], { kernel_shape: ints(3, 3) }],
  ['LpPool', [f(1, 4, 64, 64)], { kernel_shape: ints(3, 3) }],
  ['GlobalMaxPool', [f(1, 20, 64, 64)]],
  ['GlobalAveragePool', [f(1, 20, 64, 64)]],
  ['GridSample', [f(1, 64, 32, 32), f(1, 90, 90, 2)]],
  ['MultiHeadAttention', [f(1, 130, 64), f(1, 130, 64), f(1, 130, 64)], { num_heads: i(4) }, 'com.microsoft'],
  ['Attention', [f(1, 4, 100, 16), f(1, 4, 100, 16), f(1, 4, 100, 16)]],
  ['LSTM', [f(20, 1, 16), f(1, 64, 16), f(1, 64, 16)], { hidden_size: i(16) }],
  ['GRU', [f(20, 1, 16), f(1, 48, 16), f(1, 48, 16)], { hidden_size: i(16) }],
  ['RNN', [f(20, 1, 16), f(1, 16, 16), f(1, 16, 16)], { hidden_size: i(16) }],
  ['DFT', [f(40, 1009, 1)], { axis: i(1) }],
];
const elements: readonly LongOperator[] = [
  ['Erf', [f(70_000)]],
  ['Relu', [f(70_000)]],
  ['Clip', [f(70_000)]],
  ['Clip', [of('int32', 20_000)]],
  ['Abs', [of('int64', 20_000)]],
  ['Add', [f(70_000), f(70_000)]],
  ['Mul', [f(70_000), f(1)]],
  ['Sub', [f(70, 1000), f(1000)]],
  ['Div', [of('float64', 2, 1, 35_000), of('float64', 2, 1)]],
  ['Add', [of('int64', 20, 1000), of('int64', 1000)]],
  ['Less', [f(20_000), f(20_000)]],
  ['Pow', [f(20_000), f(20_000)]],
  ['Pow', [of('int64', 200), of('int64', 200)]],
  ['Where', [of('bool', 20_000), f(20_000), f(20_000)]],
  ['Max', [f(20_000), f(1)]],
  ['Mean', [f(20_000), f(1)]],
  ['IsNaN', [f(20_000)]],
  ['Cast', [f(300)], { to: i(DataType.STRING) }],
  ['Gelu', [f(20_000)], {}, 'com.microsoft'],
  ['QuantizeLinear', [f(20_000), f(1)]],
  ['OneHotEncoder', [of('int64', 20_000)], { cats_int64s: ints(1, 2, 3) }, 'ai.onnx.ml'],
  ['LabelEncoder', [of('int64', 20_000)], { keys_int64s: ints(1), values_int64s: ints(7) }, 'ai.onnx.ml'],
];
const groups: readonly LongOperator[] = [
  ['ReduceSum', [f(200, 100), of('int64', 1)]],
  ['ReduceMax', [of('int64', 200, 100), of('int64', 1)]],
  ['ArgMax', [f(100, 200)]],
  ['Softmax', [f(700, 100)]],
  ['Softmax', [f(4, 400, 100)], { axis: i(1) }],
  ['Hardmax', [f(200, 100)]],
  ['LogSoftmax', [of('float64', 200, 100)]],
  ['LayerNormalization', [f(700, 100), f(100), f(100)]],
  ['LayerNormalization', [of('float64', 200, 100), of('float64', 100)]],
  ['LpNormalization', [f(200, 100)]],
  ['InstanceNormalization', [f(2, 4, 50, 50), f(4), f(4)]],
  ['BatchNormalization', [f(20, 4, 1000), f(4), f(4), f(4), f(4)]],
  ['TopK', [f(5000), of('int64', 1)], { axis: i(0) }],
  ['TopK', [f(50, 400), of('int64', 1)]],
  ['Unique', [f(5000)]],
  ['Unique', [of('int64', 2000, 2)], { axis: i(0) }],
  ['CumSum', [f(200, 100), of('int64')]],
];
const moves: readonly LongOperator[] = [
  ['Transpose', [f(300, 300)]],
  ['Transpose', [f(2, 3, 20_000)], { perm: ints(2, 0, 1) }],
  ['Transpose', [of('uint8', 200, 100)]],
  ['DepthToSpace', [f(1, 16, 70, 70)], { blocksize: i(2) }],
  ['Trilu', [f(200, 100)]],
  ['Concat', [f(200, 60), f(200, 60)], { axis: i(1) }],
  ['Concat', [f(20_000), f(20_000)], { axis: i(0) }],
  ['Gather', [f(100, 200), of('int64', 100)]],
  ['Gather', [f(5), of('int64', 20_000)]],
  ['GatherElements', [f(200, 100), of('int64', 200, 100)]],
  ['GatherND', [f(5, 5000), of('int64', 5, 1)]],
  ['ScatterElements', [f(200, 100), of('int64', 200, 100), f(200, 100)]],
  ['Compress', [f(20_000), of('bool', 20_000)]],
  ['NonZero', [f(20_000)]],
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
  const outputs = operator === 'TopK' ? ['y', 'places'] : ['y'];
  const main = graph([makeNode(operator, names, outputs, attributes, domain)], ports, [output]);
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
] as const)('a long operator in %s lets the event loop run, and has the bits of a run without pauses', (_, store) => {
  const operators = [...products, ...convolutions, ...elements, ...groups, ...moves];
  test.each(operators.map((operator, at) => [`${at} ${operator[0]}`, operator] as const))(
    '%s',
    async (_name, operator) => {
      const { bytes, inputs } = fileOf(operator);
      const { program } = importTensors(bytes);
      const [expected] = program.run(program.inputs.map(({ name }) => inputs[name]));
      const got = await countTurns(store, bytes, inputs, {}, {}, new ReadClock(1));
      expectSame(got.outputs.y as Tensor, expected as Tensor);
      expect(got.turns).toBeGreaterThanOrEqual(2); // one turn, and one more for each pause
    },
  );
});

test('an operator of one block answers before the next turn of the event loop', async () => {
  const { bytes, inputs } = fileOf(['Abs', [of('int64', 2 ** 14)]]);
  expect((await countTurns(await openStore(), bytes, inputs, {}, {}, new ReadClock(1))).turns).toBe(1);
});

describe.each(['JavaScript', 'the addon'])('in %s, while one operator pauses,', (engine) => {
  const opened = () => openStore({ ...(engine === 'JavaScript' && { native: false }) });
  const request = fileOf(products[0]!);
  const ended = async (end: (runtime: Runtime, plan: RegisteredTensors) => unknown, options: CallOptions = {}) => {
    const runtime = createRuntime({ store: await opened(), clock: new ReadClock(1) as never });
    const tensors = runtime.registerTensors(importTensors(request.bytes).program);
    const answer = runtime.predictTensors(tensors, request.inputs, options);
    end(runtime, tensors);
    await answer.finally(() => runtime.close());
  };

  test('the request ends at its deadline', async () => {
    await expect(ended(() => undefined, { deadlineMs: 3 })).rejects.toMatchObject({ code: 'ERR_RUNTIME_DEADLINE' });
  });

  test('the request ends when its signal aborts', async () => {
    const controller = new AbortController();
    const aborted = ended(() => controller.abort(new Error('nobody waits')), { signal: controller.signal });
    await expect(aborted).rejects.toThrow('nobody waits');
  });

  test('the request ends when its program is removed, and when the runtime closes', async () => {
    const removed = ended((runtime, tensors) => runtime.unregister(tensors));
    await expect(removed).rejects.toMatchObject({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' });
    await expect(ended((runtime) => runtime.close())).rejects.toMatchObject({ code: 'ERR_RUNTIME_CLOSED' });
  });

  test('another request of the same program runs', async () => {
    await using runtime = createRuntime({ store: await opened(), clock: new ReadClock(1) as never });
    const { program } = importTensors(request.bytes);
    const [expected] = program.run(program.inputs.map(({ name }) => request.inputs[name]));
    const tensors = runtime.registerTensors(program);
    const answers = await Promise.all([1, 2, 3].map(() => runtime.predictTensors(tensors, request.inputs)));
    for (const answer of answers) expectSame(answer.y as Tensor, expected as Tensor);
  });
});

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
