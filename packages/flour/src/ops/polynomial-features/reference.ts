import { type DenseBlock, dense, type ReferenceKernel, sizeOf } from '@brezel/core';
import type { PolynomialShape } from './terms.js';

/**
 * Computes one product for each combination of columns. Shorter combinations come first;
 * combinations of the same length are in lexicographic order. Factors are multiplied from left to
 * right in float32.
 */
export const reference: ReferenceKernel = ({ rows, inputs, type, attributes }) => {
  const shape = attributes as unknown as PolynomialShape;
  const { values, size } = inputs[0] as DenseBlock<'float32'>;
  const all = [...combinations(size, shape)];
  const columns = sizeOf(type);
  const out = new Float32Array(rows * columns);
  for (let row = 0; row < rows; row++) {
    const features = values.subarray(row * size, (row + 1) * size);
    all.forEach((combination, term) => {
      out[row * columns + term] = combination.reduce((product, column) => Math.fround(product * features[column]!), 1);
    });
  }
  return dense('float32', rows, columns, out);
};

/** Yields combinations of columns in scikit-learn's order, each as a list of column indices. */
function* combinations(
  features: number,
  { least, most, interactionOnly, includeBias }: PolynomialShape,
): Generator<number[]> {
  if (includeBias) yield [];
  for (let degree = Math.max(1, least); degree <= most; degree++) yield* ofDegree(features, degree, interactionOnly, 0);
}

function* ofDegree(features: number, degree: number, distinct: boolean, from: number): Generator<number[]> {
  if (degree === 0) return yield [];
  for (let column = from; column < features; column++) {
    for (const rest of ofDegree(features, degree - 1, distinct, distinct ? column + 1 : column))
      yield [column, ...rest];
  }
}
