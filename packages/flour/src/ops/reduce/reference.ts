import {
  type DenseBlock,
  dense,
  exp,
  log,
  type NumericArray,
  type NumericDType,
  numericArray,
  type ReferenceKernel,
  sizeOf,
} from '@brezel/core';
import { reduceIntegers } from './integers.js';

type Floats = Float32Array | Float64Array;

/** What an element of these values can hold. */
const rounded = (values: Floats) => (values instanceof Float32Array ? Math.fround : (x: number) => x);

/** Each value in its turn, stored and so rounded after every step. */
function folded(values: Floats, step: (so: number, value: number) => number, start: number): number {
  const round = rounded(values);
  let so = start;
  for (const value of values) so = round(step(so, value));
  return so;
}

/**
 * Greatest and least: a number that is none stays if it comes first. In the order of the kernel's attribute. Sums run in plain order, in the type of
 * the values; log-sum-exp in float64 after subtracting the greatest.
 */
export const reductions = {
  sum: (values: Floats) => folded(values, (sum, value) => sum + value, 0),
  mean: (values: Floats) => rounded(values)(reductions.sum(values) / values.length),
  max: (values: Floats) => folded(values, (most, value) => (value > most ? value : most), values[0]!),
  logSumExp(values: Floats): number {
    const most = reductions.max(values);
    if (most === Number.NEGATIVE_INFINITY || most === Number.POSITIVE_INFINITY) return most;
    let sum = 0;
    for (const value of values) sum += exp(value - most);
    return most + log(sum);
  },
  product: (values: Floats) => folded(values, (all, value) => all * value, 1),
  sumOfSquares: (values: Floats) => reductions.sum(values.map((value) => value * value)),
  min: (values: Floats) => folded(values, (least, value) => (value < least ? value : least), values[0]!),
  sumOfAbsolutes: (values: Floats) => reductions.sum(values.map(Math.abs)),
  length: (values: Floats) => Math.sqrt(reductions.sumOfSquares(values)),
};

/** ONNX operators by what they mean. */
export const onnxReductions: Readonly<Record<string, Reduction>> = {
  ReduceSum: 'sum',
  ReduceMean: 'mean',
  ReduceMax: 'max',
  ReduceLogSumExp: 'logSumExp',
  ReduceProd: 'product',
  ReduceSumSquare: 'sumOfSquares',
  ReduceMin: 'min',
  ReduceL1: 'sumOfAbsolutes',
  ReduceL2: 'length',
};

export type Reduction = keyof typeof reductions;

/** What a run of floats or integers becomes. */
function reducer(dtype: NumericDType, reduction: Reduction): (run: NumericArray) => number | bigint {
  if (dtype === 'float32' || dtype === 'float64') return reductions[reduction] as (run: NumericArray) => number;
  const bits = dtype === 'int64' ? 64 : 32;
  return (run) => {
    const whole = reduceIntegers(reduction, Array.from(run as Int32Array, BigInt), bits);
    return dtype === 'int64' ? whole : Number(whole);
  };
}

export const reference: ReferenceKernel = ({ rows, inputs, attributes, type }) => {
  const { values, size: columns, dtype } = inputs[0] as DenseBlock;
  const parts = sizeOf(type);
  const size = columns / parts;
  const reduce = reducer(dtype, attributes.reduction as Reduction);
  const reduced = numericArray(dtype, rows * parts);
  for (let at = 0; at < reduced.length; at++)
    reduced[at] = reduce(values.subarray(at * size, (at + 1) * size)) as never;
  return dense(dtype, rows, parts, reduced as never);
};
