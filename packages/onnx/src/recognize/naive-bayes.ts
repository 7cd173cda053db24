import { type Flow, float32, naiveBayes, type OnnxConstant } from '@brezel/flour';
import type { RowNode } from '../rows/row-node.js';
import { type GraphValue, isPlain, type RowValue, rowValue } from '../rows/value.js';
import { constantInput, constantOf, type Graph, numberOf, operandsOf, producedBy } from './graph.js';

/**
 * Recognizes the joint log likelihoods of Bernoulli naive Bayes, as skl2onnx writes them: `(x >
 * threshold) W + absent + prior`. The nodes that read the likelihoods (ArgMax, ReduceLogSumExp,
 * Sub, Exp) are converted separately. Multinomial and complement naive Bayes are linear models.
 */
export function recognizeBernoulli(node: RowNode, graph: Graph): RowValue | undefined {
  if (!isPosterior(node, graph)) return undefined;
  const [prior, rest] = operandsOf(node, 'Add', isConstant);
  const [absent, products] = operandsOf(graph.producer(rest), 'Add', isConstant);
  const product = producedBy(graph.producer(products), 'MatMul');
  const [priors, bias] = [constantOf(prior), constantOf(absent)];
  const classes = constantInput(product, 1)?.shape[1];
  if (product === undefined || !isOneEach(priors, classes) || !isOneEach(bias, classes)) return undefined;
  const [features, threshold] = binarized(product.inputs[0], graph);
  if (threshold === undefined || !Number.isFinite(threshold)) return undefined;
  const sums = Float64Array.from(bias.data, (value, at) => value + priors.data[at]!);
  return jointOf(product, features, { bias: sums, binarize: threshold });
}

/**
 * Returns whether other nodes compute labels and probabilities from the scores that this node
 * computes.
 */
export function isPosterior(node: RowNode, graph: Graph): boolean {
  const users = graph.users(node);
  return ['ArgMax', 'ReduceLogSumExp', 'Sub'].every((operator) => users.includes(operator));
}

const isConstant = (value: GraphValue | undefined) => constantOf(value) !== undefined;

const isOneEach = (
  term: OnnxConstant | undefined,
  count: number | undefined,
): term is OnnxConstant & { data: Float32Array } =>
  term?.dtype === 'float32' && term.data.length === count && term.shape.length <= 2 && term.shape.at(-1) === count;

/**
 * Recognizes the nodes that convert features to 0 or 1 by a threshold: Greater, Cast, and an Add of
 * zeros.
 */
function binarized(
  value: GraphValue | undefined,
  graph: Graph,
): readonly [features?: GraphValue | undefined, threshold?: number | undefined] {
  const [zeros, bits] = operandsOf(graph.producer(value), 'Add', isConstant);
  const isNothing = constantOf(zeros)?.data.every((value: unknown) => value === 0) === true;
  const cast = producedBy(graph.producer(bits), 'Cast');
  const greater = producedBy(graph.producer(cast?.inputs[0]), 'Greater');
  return isNothing && bits?.element === 'float32' && greater ? [greater.inputs[0], numberOf(greater.inputs[1])] : [];
}

interface Sums {
  readonly bias: Float64Array<ArrayBuffer>;
  readonly binarize: number;
}

function jointOf(product: RowNode, features: GraphValue | undefined, { bias, binarize }: Sums): RowValue | undefined {
  const weights = constantInput(product, 1);
  if (features?.kind !== 'row' || weights?.dtype !== 'float32' || weights.shape.length !== 2) return undefined;
  if (!isPlain(features) || features.dims?.length !== 2 || features.element !== 'float32') return undefined;
  if (features.dims[1] !== weights.shape[0]) return undefined;
  const flowOfFeatures = features.flow as Flow<'vector'>;
  const flow = binarize < 0 ? flowOfFeatures.densify() : flowOfFeatures;
  const parameters = {
    weights: float32(weights.data, weights.shape),
    bias: { dtype: 'float64', shape: [bias.length], data: bias },
  } as const;
  return rowValue(
    product.flour.apply<'vector'>(naiveBayes, [flow], { attributes: { output: 'joint', binarize }, parameters }),
  );
}
