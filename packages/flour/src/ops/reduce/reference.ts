import {
  type DenseBlock,
  dense,
  type NumericArray,
  type NumericDType,
  numericArray,
  type ReferenceKernel,
  sizeOf,
} from '@brezel/core';
import { reducedInteger, reductions } from '@brezel/tensors';

/** The names of the reductions. The kernel receives the index of a name. */
export const reductionNames = [
  'sum',
  'mean',
  'max',
  'logSumExp',
  'product',
  'sumOfSquares',
  'min',
  'sumOfAbsolutes',
  'length',
] as const satisfies readonly (keyof typeof reductions)[];

/** The name of a reduction of `Flow.reduce`. */
export type Reduction = (typeof reductionNames)[number];

/** The reduction that each ONNX operator computes. */
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

/** Returns the function that reduces one part of a row to a number. */
function reducer(dtype: NumericDType, name: Reduction): (run: NumericArray) => number | bigint {
  const reduction = reductions[name];
  if (dtype === 'float32' || dtype === 'float64') {
    const keep = dtype === 'float32' ? Math.fround : (x: number) => x;
    return (run) => reduction.real(Float64Array.from(run as Float32Array), keep);
  }
  return (run) => {
    const result = reducedInteger(reduction, Array.from(run as Int32Array, BigInt), dtype);
    return dtype === 'int64' ? result : Number(BigInt.asIntN(32, result));
  };
}

/**
 * Divides each row into equal parts, and applies the definition of the tensor reduction to each
 * part.
 */
export const reference: ReferenceKernel = ({ rows, inputs, attributes, type }) => {
  const { values, size: columns, dtype } = inputs[0] as DenseBlock;
  const parts = sizeOf(type);
  const size = columns / parts;
  const reduce = reducer(dtype, attributes.reduction as Reduction);
  const reduced = numericArray(dtype, rows * parts);
  for (let part = 0; part < reduced.length; part++)
    reduced[part] = reduce(values.subarray(part * size, (part + 1) * size)) as never;
  return dense(dtype, rows, parts, reduced as never);
};
