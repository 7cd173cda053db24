import { GraphWriter, posterior, posteriorOutputs, type Written } from './recognized-graphs.js';

// Gaussian mixtures as skl2onnx writes them.

export interface MixtureOptions {
  readonly columns: number;
  /**
   * For each component, an upper triangular matrix in row-major order: the Cholesky factor of the
   * precisions.
   */
  readonly factors: readonly (readonly number[])[];
  readonly offsets: readonly (readonly number[])[];
  readonly weights: readonly number[];
}

export function gaussianMixture({ columns, factors, offsets, weights }: MixtureOptions): Written {
  const graph = new GraphWriter();
  const squares = factors.map((factor, at) => {
    const inputs = ['x', graph.floats([columns, columns], factor), graph.floats([columns], offsets[at]!)];
    return graph.node('ReduceSumSquare', [graph.node('Gemm', inputs)], { axes: { ints: [1] } });
  });
  const sums = graph.node('Add', [
    graph.floats([1], [columns * Math.log(2 * Math.PI)]),
    graph.node('Concat', squares, { axis: { i: 1 } }),
  ]);
  const halves = graph.node('Mul', [sums, graph.floats([1], [-0.5])]);
  const count = factors.length;
  const logs = graph.node('Add', [
    halves,
    graph.floats(
      [count],
      weights.map((one) => -one),
    ),
  ]);
  posterior(graph, graph.node('Add', [logs, graph.floats([count], weights)]), count);
  return graph.written(columns, posteriorOutputs);
}

export interface DiagonalOptions {
  readonly columns: number;
  readonly means: readonly (readonly number[])[];
  /** For each component, one precision per feature. Spherical mixtures use only the first. */
  readonly precisions: readonly (readonly number[])[];
  readonly weights: readonly number[];
  readonly kind: 'diag' | 'spherical';
  readonly change?: 'another half' | 'squares of others' | 'a precision below 0';
}

/**
 * Writes a mixture with diagonal or spherical covariances. For each component, the graph computes
 * `c - 2 x (m p) + x^2 p`, where m are the means and p the precisions. The two kinds add the three
 * terms in different orders. Spherical mixtures first sum the squares of x.
 */
export function diagonalMixture({ columns, means, precisions, weights, kind, change }: DiagonalOptions): Written {
  const graph = new GraphWriter();
  const count = weights.length;
  const isOne = kind === 'spherical';
  const at = (component: number, feature: number) => {
    const precision = precisions[component]![isOne ? 0 : feature]!;
    return change === 'a precision below 0' ? -precision : precision;
  };
  const matrix = (rows: number, of: (component: number, feature: number) => number) =>
    graph.floats(
      [rows, count],
      Array.from({ length: rows * count }, (_, place) => of(place % count, Math.floor(place / count))),
    );
  const costs = means.map((mean, one) =>
    mean.reduce((sum, value, feature) => sum + value * value * at(one, feature), 0),
  );
  const zeros = graph.floats([count], Array(count).fill(0));
  const products = matrix(columns, (one, feature) => means[one]![feature]! * at(one, feature));
  const linear = graph.node('Gemm', ['x', products, zeros], { alpha: { f: -2 }, beta: { f: 0 } });
  const from = change === 'squares of others' ? graph.node('Abs', ['x']) : 'x';
  const squares = isOne
    ? graph.node('ReduceSumSquare', [from], { axes: { ints: [1] }, keepdims: { i: 1 } })
    : graph.node('Mul', [from, from]);
  const squared = graph.node('Gemm', [squares, matrix(isOne ? 1 : columns, at), zeros]);
  const c = graph.floats([count], costs);
  const sum = isOne
    ? graph.node('Add', [c, graph.node('Add', [linear, squared])])
    : graph.node('Add', [graph.node('Add', [c, linear]), squared]);
  const all = graph.node('Add', [graph.floats([1], [columns * Math.log(2 * Math.PI)]), sum]);
  const halves = graph.node('Mul', [all, graph.floats([1], [change === 'another half' ? -0.25 : -0.5])]);
  const logs = graph.node('Add', [halves, graph.floats([count], weights)]);
  posterior(graph, graph.node('Add', [logs, graph.floats([count], weights)]), count);
  return graph.written(columns, posteriorOutputs);
}
