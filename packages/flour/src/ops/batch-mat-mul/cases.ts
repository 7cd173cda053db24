import { vector } from '@brezel/core';
import { type Flow, type MatrixBatches, multiplyMatrices } from '@brezel/flour';
import fc from 'fast-check';
import { anyElement, listOf, type OperatorCase, type OperatorCases, shown } from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

const types = ['float32', 'float64', 'int64', 'int32'] as const;
type Type = (typeof types)[number];

const arrays = {
  float32: (values: readonly number[]) => Float32Array.from(values),
  float64: (values: readonly number[]) => Float64Array.from(values),
  int64: (values: readonly number[]) => BigInt64Array.from(values, BigInt),
  int32: (values: readonly number[]) => Int32Array.from(values),
};
const constant = (dtype: Type, values: readonly number[]) =>
  ({ dtype, shape: [values.length], data: arrays[dtype](values) }) as Parameters<typeof multiplyMatrices>[1];

type Operand = 'row' | readonly number[];

/** The matrices of one row. An operand that is constant is missing. */
interface Matrices {
  readonly a?: readonly number[];
  readonly b?: readonly number[];
}

/** Builds a case that multiplies `a` by `b`. An operand is an input (`row`) or constant. */
function productCase(
  name: string,
  dtype: Type,
  plan: MatrixBatches,
  [left, right]: readonly [Operand, Operand],
  rows: readonly Matrices[],
  more: Partial<OperatorCase> = {},
): OperatorCase {
  return {
    name: `${dtype} ${name}`,
    build: (flour) => {
      const operand = (column: 'a' | 'b', given: Operand) =>
        given === 'row'
          ? (flour.input(column, vector(dtype, rows[0]![column]!.length)) as Flow<'vector'>)
          : constant(dtype, given);
      const products = multiplyMatrices(operand('a', left), operand('b', right), plan);
      // Answers beyond 2^53 are rounded.
      return { y: dtype === 'int64' ? products.cast('float64') : products };
    },
    rows: rows as OperatorCase['rows'],
    ...more,
  };
}

const one = (rows: number, inner: number, columns: number): MatrixBatches => ({
  batches: [],
  left: [],
  right: [],
  rows,
  inner,
  columns,
});

/**
 * Random sizes of matrices: small sizes, and sizes around the widths of SIMD registers, where the
 * order of a sum changes.
 */
const side = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom(8, 9, 16, 17, 33));
const inner = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom(15, 16, 17, 35));

/**
 * Random batch axes. Along each axis, an operand has different matrices or repeats one matrix.
 */
const anyBatches = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.boolean(), fc.boolean()), { maxLength: 3 })
  .map((axes) => {
    const stepsOf = (repeated: 1 | 2) => {
      let step = 1;
      return axes
        .toReversed()
        .map((axis) => {
          if (axis[repeated]) return 0;
          step *= axis[0];
          return step / axis[0];
        })
        .reverse();
    };
    return { batches: axes.map(([size]) => size), left: stepsOf(1), right: stepsOf(2) };
  });

const matrices = (batches: readonly number[], steps: readonly number[]) =>
  batches.reduce((all, size, axis) => all * (steps[axis] === 0 ? 1 : size), 1);

const random: fc.Arbitrary<OperatorCase> = fc
  .tuple(fc.constantFrom(...types), anyBatches, side, inner, side, fc.constantFrom('none', 'left', 'right'))
  .chain(([dtype, axes, rows, terms, columns, side]) => {
    const plan = { ...axes, rows, inner: terms, columns };
    const sizes = [
      matrices(plan.batches, plan.left) * rows * terms,
      matrices(plan.batches, plan.right) * terms * columns,
    ] as const;
    const element = anyElement[dtype];
    const [a, b] = sizes.map((size) => listOf(element, size)) as [fc.Arbitrary<number[]>, fc.Arbitrary<number[]>];
    const given: fc.Arbitrary<Matrices> =
      side === 'none' ? fc.record({ a, b }) : side === 'left' ? fc.record({ b }) : fc.record({ a });
    return fc
      .tuple(fc.array(given, { minLength: 1, maxLength: 5 }), side === 'left' ? a : b)
      .map(([tried, values]) =>
        productCase(
          `${shown(plan)} ${side} ${side === 'none' ? '' : shown(values)}`,
          dtype,
          plan,
          [side === 'left' ? values : 'row', side === 'right' ? values : 'row'],
          tried,
          { engine: 'native' },
        ),
      );
  });

export const cases: OperatorCases = {
  operators: ['batch-mat-mul'],
  named: [
    ...types.map((dtype) =>
      productCase(
        'two values of the row',
        dtype,
        one(2, 2, 2),
        ['row', 'row'],
        [{ a: [1, 2, 3, 4], b: [5, 6, 7, 8] }],
        {
          expected: [{ y: [19, 22, 43, 50] }],
          engine: 'native',
        },
      ),
    ),
    productCase(
      'a constant on the right, a matrix a row',
      'float32',
      one(2, 2, 1),
      ['row', [10, 1]],
      [{ a: [1, 2, 3, 4] }, { a: [5, 6, 7, nan] }, { a: [inf, 0, 0, -0] }],
      { expected: [{ y: [12, 34] }, { y: [56, nan] }, { y: [inf, 0] }], engine: 'native' },
    ),
    productCase('a constant on the left', 'float64', one(1, 2, 2), [[10, 0.1], 'row'], [{ b: [1, 2, 3, 4] }], {
      expected: [{ y: [10 + 0.1 * 3, 20 + 0.1 * 4] }],
      engine: 'native',
    }),
    productCase(
      'batches, repeated on one side each',
      'int32',
      { batches: [2, 3], left: [0, 1], right: [1, 0], rows: 1, inner: 1, columns: 2 },
      ['row', 'row'],
      [{ a: [1, 2, 3], b: [10, 100, 20, 200] }],
      { expected: [{ y: [10, 100, 20, 200, 30, 300, 20, 200, 40, 400, 60, 600] }], engine: 'native' },
    ),
    productCase(
      'sums in plain order',
      'float64',
      one(1, 4, 1),
      ['row', 'row'],
      [{ a: [1e16, 1, 1, -1e16], b: [1, 1, 1, 1] }],
      { expected: [{ y: [0] }] },
    ),
    productCase(
      'sums in lanes',
      'float32',
      one(1, 18, 1),
      ['row', 'row'],
      [
        {
          a: Array.from({ length: 18 }, (_, at) => (at === 0 ? 2 ** 24 : Number(at === 1 || at === 17))),
          b: Array.from({ length: 18 }, () => 1),
        },
      ],
      { expected: [{ y: [2 ** 24 + 2] }] }, // plain order would lose each 1
    ),
    productCase('integers wrap around', 'int32', one(1, 1, 1), ['row', 'row'], [{ a: [65536], b: [65536] }], {
      expected: [{ y: [0] }],
    }),
    productCase('no product and a negative zero', 'float32', one(1, 1, 1), ['row', 'row'], [{ a: [-0], b: [1] }], {
      expected: [{ y: [0] }],
    }),
  ],
  random,
};
