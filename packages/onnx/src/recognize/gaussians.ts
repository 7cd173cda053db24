import { type Flow, gaussianMixture, type OnnxConstant } from '@brezel/flour';
import type { RowNode } from '../rows/raise.js';
import { type GraphValue, isPlain, type RowValue, rowValue } from '../rows/value.js';
import { axesOf, constantInput, constantOf, type Graph, numberOf, operandsOf, producedBy, rowInput } from './graph.js';
import { isPosterior } from './naive-bayes.js';

// Joint log likelihoods of normal distributions, as skl2onnx writes them: in the operator all of a row is float64, rounded once. Labels and
// probabilities are what the graph makes of them.

/** One distribution a class or component. */
interface Distributions {
  readonly features: RowValue;
  readonly means: Float64Array<ArrayBuffer>;
  /** Factors of the inverse covariances: of each feature, or upper triangular matrices. */
  readonly precisions: Float64Array<ArrayBuffer>;
  readonly isDiagonal: boolean;
}

/** Gaussian naive Bayes: `prior + (logs - sum((x - theta)^2 / variance) / 2)`. */
export function recognizeGaussianNaiveBayes(node: RowNode, graph: Graph): RowValue | undefined {
  if (!isPosterior(node, graph)) return undefined;
  const [prior, rest] = operandsOf(node, 'Add', isConstant);
  const part = producedBy(graph.producer(rest), 'Sub');
  const [logs, half] = [constantInput(part, 0), part?.inputs[1]];
  const [factor, sums] = operandsOf(graph.producer(half), 'Mul', isConstant);
  const found = numberOf(factor) === 0.5 ? diagonals(producedBy(graph.producer(sums), 'ReduceSum'), graph) : undefined;
  return found && mixture(node, found, [constantOf(prior), logs]);
}

/** `sum((x - theta)^2 / variance)` with the axes `[N, classes, features]`. */
function diagonals(sum: RowNode | undefined, graph: Graph): Distributions | undefined {
  const quotient = producedBy(graph.producer(sum?.inputs[0]), 'Div');
  const power = producedBy(graph.producer(quotient?.inputs[0]), 'Pow');
  const away = producedBy(graph.producer(power?.inputs[0]), 'Sub');
  const [variances, theta] = [constantInput(quotient, 1), constantInput(away, 1)];
  const repeated = producedBy(graph.producer(away?.inputs[0]), 'Reshape');
  const features = rowInput(repeated, 0);
  const isLast = ['2', '-1'].includes((sum && axesOf(sum)?.join()) ?? '') && sum?.attributes.int('keepdims', 1) === 0;
  if (!isLast || numberOf(power?.inputs[1]) !== 2 || features === undefined || !isRows(features)) return undefined;
  const size = features.dims![1]!;
  const shape = [1, theta?.shape[1], size].join();
  const isWhole = [variances, theta].every((one) => one?.dtype === 'float32' && one.shape.join() === shape);
  if (!isWhole || (away!.inputs[0] as RowValue).dims?.join() !== `1,1,${size}`) return undefined;
  if (!floats(variances).every((one) => one > 0 && Number.isFinite(one))) return undefined;
  const precisions = floats(variances).map((one) => 1 / Math.sqrt(one));
  return { features, means: floats(theta), precisions, isDiagonal: true };
}

/** A Gaussian mixture with full covariances: `(cost + squares) * -1/2 + logs + weights`, a square length for each component. */
export function recognizeGaussianMixture(node: RowNode, graph: Graph): RowValue | undefined {
  if (!isPosterior(node, graph)) return undefined;
  const [weights, rest] = operandsOf(node, 'Add', isConstant);
  const [logs, halves] = operandsOf(graph.producer(rest), 'Add', isConstant);
  const [factor, sums] = operandsOf(graph.producer(halves), 'Mul', isConstant);
  const [cost, squares] = operandsOf(graph.producer(sums), 'Add', isConstant);
  const joined = producedBy(graph.producer(squares), 'Concat');
  const fixed = numberOf(cost);
  if (numberOf(factor) !== -0.5 || fixed === undefined || joined?.attributes.int('axis') !== 1) return undefined;
  const found = components(joined, graph);
  return found && mixture(node, found, [constantOf(weights), constantOf(logs)], -0.5 * fixed);
}

function components(joined: RowNode, graph: Graph): Distributions | undefined {
  const all = joined.inputs.map((square) => component(square, graph));
  const features = all[0]?.features;
  if (features === undefined || all.some((one) => one?.features !== features)) return undefined;
  const join = (lists: readonly Float64Array[]) => Float64Array.from(lists.flatMap((list) => [...list]));
  return {
    features,
    means: join(all.map((one) => one!.mean)),
    precisions: join(all.map((one) => one!.factor)),
    isDiagonal: false,
  };
}

/** The square length of `x P + b`: b is the mean, turned. */
function component(square: GraphValue | undefined, graph: Graph) {
  const sum = producedBy(graph.producer(square), 'ReduceSumSquare');
  const gemm = producedBy(graph.producer(sum?.inputs[0]), 'Gemm');
  const [features, matrix, offset] = [rowInput(gemm, 0), constantInput(gemm, 1), constantInput(gemm, 2)];
  if (sum === undefined || gemm === undefined || features === undefined || !isRows(features)) return undefined;
  const isSum = ['1', '-1'].includes(axesOf(sum)?.join() ?? '') && sum.attributes.int('keepdims', 1) !== 0;
  const { attributes } = gemm;
  const isPlainProduct =
    ['alpha', 'beta'].every((name) => attributes.float(name, 1) === 1) &&
    ['transA', 'transB'].every((name) => attributes.int(name, 0) === 0);
  const size = features.dims![1]!;
  const isSquare = matrix?.dtype === 'float32' && matrix.shape.join() === `${size},${size}`;
  if (!isSum || !isPlainProduct || !isSquare || offset?.dtype !== 'float32' || offset.data.length !== size)
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

/** The mean with `mean * factor = -offset`, by substitution. */
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

/** One number a component in each of `terms`, or one for all; they are added. */
function mixture(
  node: RowNode,
  { features, means, precisions, isDiagonal }: Distributions,
  terms: readonly (OnnxConstant | undefined)[],
  start = 0,
): RowValue | undefined {
  const count = means.length / features.dims![1]!;
  const isTerm = (term: OnnxConstant | undefined) =>
    term?.dtype === 'float32' &&
    (term.data.length === 1 || (term.data.length === count && term.shape.at(-1) === count));
  if (!terms.every((term) => isTerm(term) && term!.shape.length <= 2)) return undefined;
  const at = (term: OnnxConstant | undefined, place: number) => Number(term!.data[term!.data.length === 1 ? 0 : place]);
  const constants = Float64Array.from({ length: count }, (_, place) =>
    terms.reduce((sum, term) => sum + at(term, place), start),
  );
  const flow = (features.flow as Flow<'vector'>).densify();
  const joint = node.flour.apply<'vector'>(gaussianMixture, [flow], {
    attributes: { output: 'joint', diagonal: isDiagonal },
    parameters: { means: wide(means), precisions: wide(precisions), constants: wide(constants) },
  });
  return rowValue(joint);
}

const wide = (data: Float64Array<ArrayBuffer>) => ({ dtype: 'float64', shape: [data.length], data }) as const;
const floats = (constant: OnnxConstant | undefined) => Float64Array.from((constant?.data ?? []) as Float32Array);
const isConstant = (value: GraphValue | undefined) => constantOf(value) !== undefined;

const isRows = (value: RowValue) => isPlain(value) && value.dims?.length === 2 && value.element === 'float32';
