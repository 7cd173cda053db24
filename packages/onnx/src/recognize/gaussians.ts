import { type Flow, gaussianMixture, type OnnxConstant } from '@brezel/flour';
import type { RowNode } from '../rows/row-node.js';
import { type GraphValue, isPlain, type RowValue, rowValue } from '../rows/value.js';
import { axesOf, constantInput, constantOf, type Graph, numberOf, operandsOf, producedBy, rowInput } from './graph.js';
import { isPosterior } from './naive-bayes.js';

// Recognizes the joint log likelihoods of normal distributions, as skl2onnx writes them. Flour's
// operator computes a row in float64 and rounds once. The graph's nodes for labels and
// probabilities stay unchanged.

/** The parameters of a normal distribution for each class or component. */
export interface Distributions {
  readonly features: RowValue;
  readonly means: Float64Array<ArrayBuffer>;
  /**
   * For each component, a factor of its inverse covariance: one number for each feature, or an
   * upper triangular matrix.
   */
  readonly precisions: Float64Array<ArrayBuffer>;
  readonly isDiagonal: boolean;
}

/**
 * Recognizes the score of Gaussian naive Bayes: `prior + (logs - sum((x - theta)^2 / variance) /
 * 2)`.
 */
export function recognizeGaussianNaiveBayes(node: RowNode, graph: Graph): RowValue | undefined {
  if (!isPosterior(node, graph)) return undefined;
  const [prior, rest] = operandsOf(node, 'Add', isConstant);
  const part = producedBy(graph.producer(rest), 'Sub');
  const [logs, half] = [constantInput(part, 0), part?.inputs[1]];
  const [factor, sums] = operandsOf(graph.producer(half), 'Mul', isConstant);
  const found = numberOf(factor) === 0.5 ? diagonals(producedBy(graph.producer(sums), 'ReduceSum'), graph) : undefined;
  return found && mixture(node, found, [constantOf(prior), logs]);
}

/**
 * Recognizes the squared distances `sum((x - theta)^2 / variance)`, computed with the axes `[N,
 * classes, features]`.
 */
function diagonals(sum: RowNode | undefined, graph: Graph): Distributions | undefined {
  const quotient = producedBy(graph.producer(sum?.inputs[0]), 'Div');
  const power = producedBy(graph.producer(quotient?.inputs[0]), 'Pow');
  const away = producedBy(graph.producer(power?.inputs[0]), 'Sub');
  const [variances, theta] = [constantInput(quotient, 1), constantInput(away, 1)];
  const repeated = producedBy(graph.producer(away?.inputs[0]), 'Reshape');
  const features = rowInput(repeated, 0);
  const isLast = ['2', '-1'].includes((sum && axesOf(sum)?.join()) ?? '') && sum?.attributes.int('keepdims', 1) !== 1;
  if (!isLast || numberOf(power?.inputs[1]) !== 2 || features === undefined || !isRows(features)) return undefined;
  const size = features.dims![1]!;
  const shape = [1, theta?.shape[1], size].join();
  const isWhole = [variances, theta].every((tensor) => tensor?.dtype === 'float32' && tensor.shape.join() === shape);
  if (!isWhole || (away!.inputs[0] as RowValue).dims?.join() !== `1,1,${size}`) return undefined;
  if (!floats(variances).every((value) => value > 0 && Number.isFinite(value))) return undefined;
  const precisions = floats(variances).map((value) => 1 / Math.sqrt(value));
  return { features, means: floats(theta), precisions, isDiagonal: true };
}

/**
 * Returns the flow of the operator that computes the score of each component. The constant part of
 * the score is the sum of `terms` and `start`. Each term has a number for each component, or one
 * number for all components. Returns undefined if a term has another size.
 */
export function mixture(
  node: RowNode,
  { features, means, precisions, isDiagonal }: Distributions,
  terms: readonly (OnnxConstant | undefined)[],
  start: ArrayLike<number> = [],
): RowValue | undefined {
  const count = means.length / features.dims![1]!;
  if (!terms.every((term) => isOneEach(term, count))) return undefined;
  const at = (term: OnnxConstant | undefined, component: number) =>
    Number(term!.data[term!.data.length === 1 ? 0 : component]);
  const constants = Float64Array.from({ length: count }, (_, component) =>
    terms.reduce((sum, term) => sum + at(term, component), start[component] ?? 0),
  );
  const flow = (features.flow as Flow<'vector'>).densify();
  const joint = node.flour.apply<'vector'>(gaussianMixture, [flow], {
    attributes: { output: 'joint', diagonal: isDiagonal },
    parameters: { means: wide(means), precisions: wide(precisions), constants: wide(constants) },
  });
  return rowValue(joint);
}

/**
 * Returns whether a constant has either `count` numbers (one for each component) or one number for
 * all components.
 */
export const isOneEach = (term: OnnxConstant | undefined, count: number): boolean =>
  term?.dtype === 'float32' &&
  term.shape.length <= 2 &&
  (term.data.length === 1 || (term.data.length === count && term.shape.at(-1) === count));

const wide = (data: Float64Array<ArrayBuffer>) => ({ dtype: 'float64', shape: [data.length], data }) as const;
export const floats = (constant: OnnxConstant | undefined) => Float64Array.from((constant?.data ?? []) as Float32Array);
export const isConstant = (value: GraphValue | undefined) => constantOf(value) !== undefined;

export const isRows = (value: RowValue) => isPlain(value) && value.dims?.length === 2 && value.element === 'float32';
