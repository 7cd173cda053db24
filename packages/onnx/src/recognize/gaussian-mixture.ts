import type { OnnxConstant } from '@brezel/flour';
import type { RowNode } from '../rows/row-node.js';
import type { GraphValue, RowValue } from '../rows/value.js';
import { type Distributions, floats, isConstant, isOneEach, isRows, mixture } from './gaussians.js';
import { axesOf, constantInput, constantOf, type Graph, numberOf, operandsOf, producedBy, rowInput } from './graph.js';
import { isPosterior } from './naive-bayes.js';

// Recognizes Gaussian mixtures as skl2onnx writes them: `(squares + costs) * -1/2 + logs`, in
// several Adds. Costs and logs have one number per component. The form of the squares depends on
// the covariance type.

/**
 * The distributions of a Gaussian mixture, and for each component the constant that the file leaves
 * out of the squared distances.
 */
interface Squares extends Distributions {
  /**
   * For each component, the constant by which the squared distance of Flour's operator exceeds the
   * sum that the file computes.
   */
  readonly missing: Float64Array;
}

export function recognizeGaussianMixture(node: RowNode, graph: Graph): RowValue | undefined {
  if (!isPosterior(node, graph)) return undefined;
  const [halves, logs] = addends(node.inputs, graph);
  if (halves?.length !== 1) return undefined;
  const [factor, inner] = operandsOf(graph.producer(halves[0]), 'Mul', isConstant);
  if (numberOf(factor) !== -0.5 || inner === undefined) return undefined;
  const [squares, costs] = addends([inner], graph);
  const found = squares?.length === 1 ? matrices(squares[0]!, graph) : polynomial(squares, graph);
  if (found === undefined || !costs.every((cost) => isOneEach(cost, found.missing.length))) return undefined;
  const start = found.missing.map((more, component) => {
    const cost = costs.reduce((sum, { data }) => sum + Number(data[data.length === 1 ? 0 : component]), 0);
    return -0.5 * (cost - more);
  });
  return mixture(node, found, logs, start);
}

/** The largest number of Add nodes that the importer follows in one sum. */
const MAX_ADDENDS = 8;

/**
 * Returns the terms of a sum that several Add nodes compute: values that depend on the row, and
 * constants.
 */
function addends(values: readonly (GraphValue | undefined)[], graph: Graph) {
  const rows: GraphValue[] = [];
  const constants: OnnxConstant[] = [];
  const rest = [...values];
  for (let at = 0; at < rest.length && rest.length <= 2 * MAX_ADDENDS; at++) {
    const value = rest[at];
    const constant = constantOf(value);
    const sum = producedBy(graph.producer(value), 'Add');
    if (constant !== undefined) constants.push(constant);
    else if (sum !== undefined) rest.push(...sum.inputs);
    else if (value !== undefined) rows.push(value);
  }
  return [rest.length <= 2 * MAX_ADDENDS ? rows : undefined, constants] as const;
}

/**
 * Recognizes the squared distances of diagonal and spherical covariances, which skl2onnx writes as
 * `x^2 p - 2 x (m p)` for features x, means m and inverse variances p. The squared distance `(x -
 * m)^2 p` exceeds this sum by `m^2 p`, which becomes `missing`. With spherical covariances, all
 * features of a component have the same p.
 */
function polynomial(squares: readonly GraphValue[] | undefined, graph: Graph): Squares | undefined {
  const products = squares?.map((square) => productOf(square, graph));
  const linear = products?.find((product) => product?.isSquared === false);
  const squared = products?.find((product) => product?.isSquared === true);
  if (products?.length !== 2 || linear === undefined || squared?.features !== linear.features) return undefined;
  const size = linear.features.dims![1]!;
  const count = linear.factors.length / size;
  const means = new Float64Array(count * size);
  const precisions = new Float64Array(count * size);
  const missing = new Float64Array(count);
  if (squared.count !== count) return undefined;
  for (let component = 0; component < count; component++) {
    for (let feature = 0; feature < size; feature++) {
      const precision = squared.factors[(squared.isSum ? 0 : feature) * count + component]!;
      const mean = linear.factors[feature * count + component]! / (-2 * precision);
      if (!(precision > 0) || !Number.isFinite(precision) || !Number.isFinite(mean)) return undefined;
      means[component * size + feature] = mean;
      precisions[component * size + feature] = Math.sqrt(precision);
      missing[component]! += mean * mean * precision;
    }
  }
  return { features: linear.features, means, precisions, isDiagonal: true, missing };
}

interface Product {
  readonly features: RowValue;
  readonly isSquared: boolean;
  /** Whether the left operand is the sum of the squares of all features. */
  readonly isSum: boolean;
  /**
   * The constant matrix B of the product, with a row for each feature and a column for each
   * component.
   */
  readonly factors: Float64Array;
  readonly count: number;
}

/**
 * Recognizes a product of a row and a constant matrix B. The row contains the features, their
 * squares, or the sum of the squares.
 */
function productOf(value: GraphValue, graph: Graph): Product | undefined {
  const gemm = producedBy(graph.producer(value), 'Gemm');
  const [matrix, addend] = [constantInput(gemm, 1), constantInput(gemm, 2)];
  const isPlainProduct = ['transA', 'transB'].every((name) => gemm?.attributes.int(name, 0) === 0);
  if (gemm === undefined || !isPlainProduct || matrix?.dtype !== 'float32' || matrix.shape.length !== 2)
    return undefined;
  const isNothing = addend === undefined ? gemm.inputs[2] === undefined : floats(addend).every((value) => value === 0);
  const left = rowInput(gemm, 0);
  if (!isNothing || left === undefined) return undefined;
  const of = squaredFeatures(left, graph) ?? { features: left, isSquared: false, isSum: false };
  const size = of.features.dims?.[1];
  const [rows, count] = matrix.shape as [number, number];
  if (!isRows(of.features) || rows !== (of.isSum ? 1 : size)) return undefined;
  const alpha = gemm.attributes.float('alpha', 1);
  return { ...of, count, factors: floats(matrix).map((value) => alpha * value) };
}

function squaredFeatures(value: RowValue, graph: Graph) {
  const product = producedBy(graph.producer(value), 'Mul');
  const sum = producedBy(graph.producer(value), 'ReduceSumSquare');
  const features = rowInput(product ?? sum, 0);
  if (features === undefined) return undefined;
  if (product !== undefined)
    return product.inputs[1] === features ? { features, isSquared: true, isSum: false } : undefined;
  return isOfColumns(sum!) ? { features, isSquared: true, isSum: true } : undefined;
}

/**
 * Returns whether a reduction adds up each row of a matrix, so that the shape `[N, columns]`
 * becomes `[N, 1]`.
 */
const isOfColumns = (sum: RowNode) =>
  ['1', '-1'].includes(axesOf(sum)?.join() ?? '') && sum.attributes.int('keepdims', 1) === 1;

/**
 * Recognizes the squared distances of full covariances: a Concat of the squared length of `x P + b`
 * for each component.
 */
function matrices(value: GraphValue, graph: Graph): Squares | undefined {
  const joined = producedBy(graph.producer(value), 'Concat');
  if (joined?.attributes.int('axis') !== 1) return undefined;
  const all = joined.inputs.map((square) => component(square, graph));
  const features = all[0]?.features;
  if (features === undefined || all.some((part) => part?.features !== features)) return undefined;
  const join = (lists: readonly Float64Array[]) => Float64Array.from(lists.flatMap((list) => [...list]));
  return {
    features,
    means: join(all.map((part) => part!.mean)),
    precisions: join(all.map((part) => part!.factor)),
    isDiagonal: false,
    missing: new Float64Array(all.length),
  };
}

/**
 * Recognizes the squared distance from one component, the squared length of `x P + b`. The mean m
 * solves `m P = -b`.
 */
function component(square: GraphValue | undefined, graph: Graph) {
  const sum = producedBy(graph.producer(square), 'ReduceSumSquare');
  const gemm = producedBy(graph.producer(sum?.inputs[0]), 'Gemm');
  const [features, matrix, offset] = [rowInput(gemm, 0), constantInput(gemm, 1), constantInput(gemm, 2)];
  if (sum === undefined || gemm === undefined || features === undefined || !isRows(features)) return undefined;
  const { attributes } = gemm;
  const isPlainProduct =
    ['alpha', 'beta'].every((name) => attributes.float(name, 1) === 1) &&
    ['transA', 'transB'].every((name) => attributes.int(name, 0) === 0);
  const size = features.dims![1]!;
  const isSquare = matrix?.dtype === 'float32' && matrix.shape.join() === `${size},${size}`;
  if (!isOfColumns(sum) || !isPlainProduct || !isSquare || offset?.dtype !== 'float32' || offset.data.length !== size)
    return undefined;
  const factor = floats(matrix);
  const mean = isTriangular(factor, size) ? meanOf(factor, floats(offset)) : undefined;
  return mean && { features, factor, mean };
}

const isTriangular = (factor: Float64Array, size: number) =>
  factor.every((value, at) => {
    const [row, column] = [Math.floor(at / size), at % size];
    return row > column ? value === 0 : Number.isFinite(value) && (row < column || value > 0);
  });

/**
 * Returns the mean that solves `mean * factor = -offset`, where `factor` is a triangular matrix.
 * Returns undefined if the mean is not finite.
 */
function meanOf(factor: Float64Array, offset: Float64Array): Float64Array | undefined {
  const size = offset.length;
  const mean = new Float64Array(size);
  for (let column = 0; column < size; column++) {
    let rest = -offset[column]!;
    for (let row = 0; row < column; row++) rest -= mean[row]! * factor[row * size + column]!;
    mean[column] = rest / factor[column * size + column]!;
  }
  return mean.every(Number.isFinite) ? mean : undefined;
}
