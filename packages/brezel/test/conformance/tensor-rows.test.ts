import { type DenseBlock, dense, type NumericTensor, type Tensor, vector } from '@brezel/core';
import { tensorOperator } from '@brezel/tensors';
import { createFlour, type Flow, runProgram } from 'brezel';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyFloat, anySize, listOf, programOf } from '../../../flour/src/case.js';
import { seed } from './seed.js';

// One model may be a row program or a tensor program. If an operator exists in both, it gives the
// same bits.

const flour = await createFlour();

/** Runs one operator over tensors. Throws if the operator fails. */
function overTensors(operator: string, inputs: readonly Tensor[], attributes: Record<string, number> = {}, opset = 25) {
  const fault = (received: string) => new Error(received);
  const call = { inputs, attributes, opset, outputs: 1, budget: { take: () => {} }, fault };
  return tensorOperator('', operator, opset)!.run(call)[0] as NumericTensor;
}

const matrix = (values: readonly number[], rows: number, columns: number): NumericTensor<'float32'> => ({
  element: 'float32',
  shape: [rows, columns],
  data: Float32Array.from(values),
});

/** Runs a program row by row, without optimization. */
function byRows(x: NumericTensor<'float32'>, build: (flow: Flow<'vector'>) => Flow) {
  const [rows, size] = x.shape as [number, number];
  const input = flour.input('x', vector('float32', size)) as Flow<'vector'>;
  const program = programOf(flour, { build: () => ({ y: build(input) }) });
  return (runProgram(program, { x: dense('float32', rows, size, x.data) }).y as DenseBlock).values;
}

/** Checks that numbers have equal bits. The signs of zeros count, and all NaN are equal. */
function expectSameBits(got: ArrayLike<number | bigint>, want: ArrayLike<number | bigint>): void {
  expect(got.length).toBe(want.length);
  const wrong = Array.from(want).findIndex((value, at) => !Object.is(value, got[at]));
  expect(wrong < 0 ? 'the same' : `${got[wrong]} for ${want[wrong]} at ${wrong}`).toBe('the same');
}

const anyMatrix = fc
  .tuple(fc.integer({ min: 1, max: 4 }), anySize)
  .chain(([rows, columns]) => listOf(anyFloat, rows * columns).map((values) => matrix(values, rows, columns)));

const both = <T>(arbitrary: fc.Arbitrary<T>, check: (value: T) => void) =>
  fc.assert(fc.property(arbitrary, check), { seed, numRuns: 60 });

describe('operators with one input', () => {
  const maps = {
    Exp: (x) => x.map('exp'),
    Log: (x) => x.map('log'),
    Sigmoid: (x) => x.map('sigmoid'),
    Tanh: (x) => x.map('tanh'),
    Relu: (x) => x.map('relu'),
    Neg: (x) => x.map('negate'),
    Abs: (x) => x.map('abs'),
    Sqrt: (x) => x.map('sqrt'),
    Softmax: (x) => x.softmax(),
    LpNormalization: (x) => x.normalize('l2'),
  } satisfies Record<string, (x: Flow<'vector'>) => Flow>;
  test.each(Object.entries(maps))('%s', (operator, build) =>
    both(anyMatrix, (x) => expectSameBits(byRows(x, build), overTensors(operator, [x]).data)),
  );

  const reductions = {
    ReduceSum: 'sum',
    ReduceMean: 'mean',
    ReduceMax: 'max',
    ReduceLogSumExp: 'logSumExp',
  } as const;
  test.each(Object.entries(reductions))('%s', (operator, name) =>
    both(anyMatrix, (x) => {
      const axes: Tensor = { element: 'int64', shape: [1], data: BigInt64Array.of(1n) };
      expectSameBits(
        byRows(x, (flow) => flow.reduce(name)),
        overTensors(operator, [x, axes]).data,
      );
    }),
  );

  test('ArgMax', () =>
    both(anyMatrix, (x) =>
      expectSameBits(
        byRows(x, (flow) => flow.argMax()),
        overTensors('ArgMax', [x], { axis: 1 }).data,
      ),
    ));

  test.each([
    ['int32', 6],
    ['int64', 7],
    ['bool', 9],
    ['float64', 11],
  ] as const)('Cast to %s', (to, type) =>
    both(anyMatrix, (x) =>
      expectSameBits(
        byRows(x, (flow) => flow.cast(to)),
        overTensors('Cast', [x], { to: type }).data,
      ),
    ),
  );
});

describe('operators with two inputs', () => {
  const withOperand = anyMatrix.chain((x) =>
    listOf(anyFloat, x.shape[1]!).map((values) => [x, matrix(values, 1, values.length)] as const),
  );
  const pairs = {
    Add: (x, operand) => x.arithmetic('add', operand),
    Sub: (x, operand) => x.arithmetic('subtract', operand),
    Mul: (x, operand) => x.arithmetic('multiply', operand),
    Div: (x, operand) => x.arithmetic('divide', operand),
    Greater: (x, operand) => x.compare('greater', operand),
    LessOrEqual: (x, operand) => x.compare('lessOrEqual', operand),
    Equal: (x, operand) => x.compare('equal', operand),
  } satisfies Record<string, (x: Flow<'vector'>, operand: Float32Array) => Flow>;
  test.each(Object.entries(pairs))('%s', (operator, build) =>
    both(withOperand, ([x, operand]) =>
      expectSameBits(
        byRows(x, (flow) => build(flow, operand.data)),
        overTensors(operator, [x, operand]).data,
      ),
    ),
  );
});

describe('matrices', () => {
  const withWeights = anyMatrix.chain((x) =>
    anySize.chain((outputs) =>
      fc
        .tuple(listOf(anyFloat, x.shape[1]! * outputs), listOf(anyFloat, outputs))
        .map(([weights, bias]) => [x, matrix(weights, x.shape[1]!, outputs), matrix(bias, 1, outputs)] as const),
    ),
  );

  test('MatMul', () =>
    both(withWeights, ([x, weights, bias]) =>
      expectSameBits(
        byRows(x, (flow) => flow.linear({ weights: weights.data, bias: new Float32Array(bias.data.length) })),
        overTensors('MatMul', [x, weights]).data,
      ),
    ));

  test('Gemm', () =>
    both(withWeights, ([x, weights, bias]) =>
      expectSameBits(
        byRows(x, (flow) => flow.dense({ weights: weights.data, bias: bias.data })),
        overTensors('Gemm', [x, weights, bias]).data,
      ),
    ));
});
