import { sizeOf } from '@brezel/core';
import { floatsOf, integersOf, type Lowering, type StepUse } from './lowering.js';

// Lowers operators that multiply rows by a matrix.

/** Writes a product of the rows and a matrix. `weights` is row-major, `[features, outputs]`. */
export function product(use: StepUse, input: string, weights: Float32Array, features: number): string {
  const outputs = weights.length / features;
  use.writer.flopsPerRow += 2 * weights.length;
  use.writer.productFlopsPerRow += 2 * weights.length;
  return use.writer.node('MatMul', [input, use.writer.constant('weights', 'float32', [features, outputs], weights)]);
}

export const row = (use: StepUse, hint: string, data: Float32Array): string =>
  use.writer.constant(hint, 'float32', [1, data.length], data);

const inputProduct = (use: StepUse, input: number, weights: Float32Array) =>
  product(use, use.inputs[input]!, weights, sizeOf(use.inputTypes[input]!));

export const linear: Lowering = {
  exact: false,
  write(use) {
    const products = use.inputs.map((_, branch) => inputProduct(use, branch, floatsOf(use, `weights${branch}`)));
    const sum = products.reduce((left, right) => use.writer.node('Add', [left, right]));
    return use.writer.node('Add', [sum, row(use, 'bias', floatsOf(use, 'bias'))]);
  },
};

const activations: Readonly<Record<string, string>> = { relu: 'Relu', sigmoid: 'Sigmoid', tanh: 'Tanh' };

export const dense: Lowering = {
  exact: false,
  attributes: ['activation'],
  write(use) {
    const sum = use.writer.node('Add', [
      inputProduct(use, 0, floatsOf(use, 'weights')),
      row(use, 'bias', floatsOf(use, 'bias')),
    ]);
    const activation = activations[use.attributes.activation as string];
    return activation === undefined ? sum : use.writer.node(activation, [sum]);
  },
};

export const project: Lowering = {
  exact: false,
  write(use) {
    const { writer, inputs, parameters } = use;
    const [features, components] = [sizeOf(use.inputTypes[0]!), floatsOf(use, 'components')];
    const centered = parameters.mean
      ? writer.node('Sub', [inputs[0]!, row(use, 'mean', floatsOf(use, 'mean'))])
      : inputs[0]!;
    const projected = product(use, centered, components, features);
    return parameters.scale ? writer.node('Div', [projected, row(use, 'scale', floatsOf(use, 'scale'))]) : projected;
  },
};

/**
 * Lowers the operator that computes the decision of a support vector machine for each pair of
 * classes. One matrix product computes all pairs. The column of a pair has the coefficients of its
 * support vectors, and 0 for all others.
 */
export const svmPairs: Lowering = {
  exact: false,
  write(use) {
    const [coefficients, rho, starts] = [
      floatsOf(use, 'coefficients'),
      floatsOf(use, 'rho'),
      integersOf(use, 'starts'),
    ];
    const vectors = sizeOf(use.inputTypes[0]!);
    const [classes, pairs] = [starts.length - 1, rho.length];
    const weights = new Float32Array(vectors * pairs);
    let pair = 0;
    for (let first = 0; first < classes; first++) {
      for (let second = first + 1; second < classes; second++, pair++) {
        for (let vector = starts[first]!; vector < starts[first + 1]!; vector++)
          weights[vector * pairs + pair] = coefficients[(second - 1) * vectors + vector]!;
        for (let vector = starts[second]!; vector < starts[second + 1]!; vector++)
          weights[vector * pairs + pair] = coefficients[first * vectors + vector]!;
      }
    }
    return use.writer.node('Add', [product(use, use.inputs[0]!, weights, vectors), row(use, 'rho', rho)]);
  },
};
