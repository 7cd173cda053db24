import { sizeOf } from '@brezel/core';
import { floatsOf, type Lowering, type StepUse } from './lowering.js';
import { product, row } from './matrix.js';

// Computes squared distances with one matrix product: |x - c|^2 = |x|^2 - 2 x.c + |c|^2.

const squareOf = (use: StepUse): string => {
  use.writer.flopsPerRow += 2 * sizeOf(use.inputTypes[0]!);
  return use.writer.node('ReduceSumSquare', [use.inputs[0]!], { axes: { ints: [1] }, keepdims: { i: 1 } });
};

/**
 * Lowers the operator that computes distances to the centers of k-means. Its parameters suit a
 * matrix product: `weights` are the centers times -2, and `norms` are the squared lengths of the
 * centers.
 */
export const kMeans: Lowering = {
  exact: false,
  write(use) {
    const { writer } = use;
    const products = product(use, use.inputs[0]!, floatsOf(use, 'weights'), sizeOf(use.inputTypes[0]!));
    const partial = writer.node('Add', [squareOf(use), products]);
    return writer.node('Add', [row(use, 'norms', floatsOf(use, 'norms')), partial]);
  },
};

export const svmKernel: Lowering = {
  exact: false,
  attributes: ['kernel'],
  write(use) {
    const vectors = floatsOf(use, 'supportVectors');
    const [gamma, coef0, degree] = [...floatsOf(use, 'constants')] as [number, number, number];
    const { kernel } = use.attributes;
    if (kernel === 'rbf') return radial(use, vectors, gamma);
    const features = sizeOf(use.inputTypes[0]!);
    const products = product(use, use.inputs[0]!, turned(vectors, features, 1), features);
    if (kernel === 'linear') return products;
    const { writer } = use;
    const scaled = writer.node('Mul', [products, writer.number(gamma)]);
    const argument = writer.node('Add', [scaled, writer.number(coef0)]);
    return kernel === 'sigmoid'
      ? writer.node('Tanh', [argument])
      : writer.node('Pow', [argument, writer.number(degree)]);
  },
};

/**
 * Writes nodes that compute e^(-gamma |x - v|^2) for a row `x` and each vector `v`. Rounding can
 * make a squared distance negative, so negative distances become 0.
 */
function radial(use: StepUse, vectors: Float32Array, gamma: number): string {
  const { writer } = use;
  const features = sizeOf(use.inputTypes[0]!);
  const products = product(use, use.inputs[0]!, turned(vectors, features, -2), features);
  const norms = Float32Array.from({ length: vectors.length / features }, (_, vector) =>
    vectors.subarray(vector * features, (vector + 1) * features).reduce((sum, value) => sum + value * value, 0),
  );
  const squares = writer.node('Add', [row(use, 'norms', norms), writer.node('Add', [squareOf(use), products])]);
  return writer.node('Exp', [writer.node('Mul', [writer.node('Relu', [squares]), writer.number(-gamma)])]);
}

/**
 * Transposes a list of vectors into a matrix with a row for each feature, and multiplies the matrix
 * by a factor.
 */
function turned(vectors: Float32Array, features: number, factor: number): Float32Array {
  const count = vectors.length / features;
  const matrix = new Float32Array(vectors.length);
  for (let vector = 0; vector < count; vector++)
    for (let feature = 0; feature < features; feature++)
      matrix[feature * count + vector] = factor * vectors[vector * features + feature]!;
  return matrix;
}
