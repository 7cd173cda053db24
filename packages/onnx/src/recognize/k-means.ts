import { type Flow, float32, kMeans, onnxReductions } from '@brezel/flour';
import type { RowNode } from '../rows/row-node.js';
import { isPlain, type RowValue, rowValue } from '../rows/value.js';
import { constantInput, constantOf, type Graph, operandsOf, producedBy, rowInput } from './graph.js';

/**
 * Recognizes squared distances from centers as exporters write them: ReduceSumSquare, Mul, Gemm,
 * Add and Add compute `|c|^2 + (|x|^2 + (x * -2 c + 0 * |x|^2))`. Flour's operator adds in the same
 * order, and does not round products before it adds them, like the matrix kernels of onnxruntime.
 * Near a center, another order would give different answers.
 */
export function recognizeKMeans(node: RowNode, graph: Graph): RowValue | undefined {
  const [norms, rest] = operandsOf(node, 'Add', (value) => constantOf(value) !== undefined);
  const [square, products] = operandsOf(graph.producer(rest), 'Add', (value) => isSquare(graph.producer(value)));
  const gemm = producedBy(graph.producer(products), 'Gemm');
  const centers = constantInput(gemm, 1);
  const input = rowInput(gemm, 0);
  const none = gemm && producedBy(graph.producer(gemm.inputs[2]), 'Mul');
  if (gemm === undefined || none === undefined || input === undefined || square === undefined) return undefined;
  const isTimesZero = none.inputs.includes(square) && constantInput(none, 1)?.data.every((value) => value === 0);
  const { attributes } = gemm;
  const isDistance = attributes.float('alpha', 1) === -2 && attributes.float('beta', 1) === 1;
  const isTurned = attributes.int('transA', 0) === 0 && attributes.int('transB', 0) === 1;
  const lengths = constantOf(norms);
  const clusters = centers?.shape[0];
  if (!isTimesZero || !isDistance || !isTurned || graph.producer(square)?.inputs[0] !== input) return undefined;
  if (centers?.dtype !== 'float32' || lengths?.dtype !== 'float32' || lengths.data.length !== clusters)
    return undefined;
  if (!isPlain(input) || input.dims?.length !== 2 || input.element !== 'float32' || lengths.shape.length > 2)
    return undefined;
  const weights = weightsOf(centers.data, clusters!, input.dims[1]!);
  const parameters = { weights: float32(weights, [input.dims[1]!, clusters!]), norms: float32(lengths.data) };
  const squares = node.flour.apply<'vector'>(kMeans, [(input.flow as Flow<'vector'>).densify()], { parameters });
  // This input is zero if the square of the row is finite. Otherwise all distances become NaN.
  const zero = gemm.inputs[2] as RowValue;
  return rowValue(squares.arithmetic('add', zero.flow as Flow<'vector'>));
}

const isSquare = (node: RowNode | undefined): boolean =>
  node?.domain === '' && onnxReductions[node.operator] === 'sumOfSquares' && node.attributes.int('keepdims', 1) === 1;

/** Returns -2 times the centers as a matrix with one row for each feature. */
function weightsOf(centers: Float32Array, clusters: number, features: number): Float32Array {
  const weights = new Float32Array(centers.length);
  for (let cluster = 0; cluster < clusters; cluster++) {
    for (let feature = 0; feature < features; feature++)
      weights[feature * clusters + cluster] = -2 * centers[cluster * features + feature]!;
  }
  return weights;
}
