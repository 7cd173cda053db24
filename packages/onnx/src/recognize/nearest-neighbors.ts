import type { Flow, OnnxConstant } from '@brezel/flour';
import type { RowNode } from '../rows/row-node.js';
import { type GraphValue, isPlain, type RowValue, rowValue } from '../rows/value.js';
import { axesOf, constantInput, constantOf, type Graph, numberOf, producedBy, rowInput } from './graph.js';

// skl2onnx writes nearest neighbors as a Scan over the training rows, TopK and a lookup of the
// neighbors' targets. Votes for each class (Equal, Cast, ReduceSum, Concat) or the mean follow.
// Flour's operator sums and compares in the same order, so answers have the same bits.

/**
 * Recognizes the probabilities of a nearest-neighbors classifier: the votes for each class divided
 * by their sum.
 */
export function recognizeShares(node: RowNode, graph: Graph): RowValue | undefined {
  const [votes, total] = node.inputs;
  const sum = producedBy(graph.producer(total), 'ReduceSum');
  if (votes === undefined || sum?.inputs[0] !== votes || !isAlongColumns(sum)) return undefined;
  const shares = sharesOf(votes, graph);
  return shares && rowValue(shares);
}

/** Recognizes the label of a nearest-neighbors classifier: the class with the most votes. */
export function recognizeMostVotes(node: RowNode, graph: Graph): RowValue | undefined {
  const { attributes } = node;
  if (attributes.int('axis', 0) !== 1 || attributes.int('keepdims', 1) === 1) return undefined;
  if (attributes.int('select_last_index', 0) !== 0) return undefined;
  const shares = sharesOf(node.inputs[0], graph);
  return shares && rowValue(shares.argMax());
}

/** Recognizes the prediction of a nearest-neighbors regressor: the mean target of the neighbors. */
export function recognizeMeanTarget(node: RowNode, graph: Graph): RowValue | undefined {
  if (!isAlongColumns(node)) return undefined;
  const cast = producedBy(graph.producer(node.inputs[0]), 'Cast');
  const targets = targetsOf(cast === undefined ? node.inputs[0] : cast.inputs[0], graph);
  if (targets === undefined || (node.inputs[0] as RowValue).element !== 'float32') return undefined;
  const { features, ...nearest } = targets.nearest;
  return rowValue(features.neighborsRegressor({ ...nearest, targets: Float32Array.from(targets.each) }));
}

/**
 * Maps each value with votes to the flow of the class probabilities. The label and the
 * probabilities share this flow.
 */
const known = new WeakMap<GraphValue, Flow<'vector'>>();

function sharesOf(votes: GraphValue | undefined, graph: Graph): Flow<'vector'> | undefined {
  const joined = producedBy(graph.producer(votes), 'Concat');
  if (joined?.attributes.int('axis') !== 1) return undefined;
  const seen = known.get(votes!);
  if (seen !== undefined) return seen;
  const counts = joined.inputs.map((count) => votesFor(count, graph));
  const asked = counts[0]?.asked;
  if (asked === undefined || counts.some((count) => count?.asked !== asked)) return undefined;
  const targets = targetsOf(asked, graph);
  if (targets === undefined) return undefined;
  const places = new Map(counts.map((count, index) => [count!.target, index]));
  const classes = targets.each.map((target) => places.get(target) ?? -1);
  // The pattern does not apply in three cases: a target without a class is missing from the sum, a
  // repeated class is counted twice, and NaN equals no target.
  if (classes.includes(-1) || places.size < counts.length || places.has(Number.NaN)) return undefined;
  const { features, ...nearest } = targets.nearest;
  const shares = features.neighborsClassifier({ ...nearest, classes, classCount: counts.length });
  known.set(votes!, shares);
  return shares;
}

/**
 * Recognizes the nodes that count the neighbors of one class: Equal, Cast and ReduceSum. Returns
 * the target that stands for the class, and the value with the targets of the neighbors.
 */
function votesFor(count: GraphValue | undefined, graph: Graph) {
  const sum = producedBy(graph.producer(count), 'ReduceSum');
  const cast = producedBy(graph.producer(sum?.inputs[0]), 'Cast');
  const equal = producedBy(graph.producer(cast?.inputs[0]), 'Equal');
  const [asked, target] = [rowInput(equal, 0), numberOf(equal?.inputs[1])];
  const isSum = sum !== undefined && isAlongColumns(sum) && rowInput(sum, 0)?.element === 'float32';
  return isSum && asked !== undefined && target !== undefined ? { asked, target } : undefined;
}

interface Nearest {
  readonly features: Flow<'vector'>;
  readonly points: Float32Array;
  readonly neighbors: number;
  readonly metric: 'euclidean' | 'manhattan';
  readonly nearness: 'root';
}

/**
 * Recognizes the targets of the nearest training rows, `[N, neighbors]`, nearest first. Returns the
 * search for these rows, and in `each` the targets of all training rows.
 */
function targetsOf(value: GraphValue | undefined, graph: Graph): { nearest: Nearest; each: number[] } | undefined {
  if (value?.kind !== 'row' || value.batch.axis !== 0 || value.dims?.length !== 2) return undefined;
  const found = producedBy(graph.producer(unshaped(value, graph)), 'ArrayFeatureExtractor', 'ai.onnx.ml');
  const targets = constantInput(found, 0);
  const nearest = found && nearestOf(unshaped(found.inputs[1], graph), graph);
  if (nearest === undefined || targets === undefined || targets.dtype === 'string') return undefined;
  if (targets.shape.at(-1) !== targets.data.length || value.dims[1] !== nearest.neighbors) return undefined;
  const each = Array.from(targets.data as ArrayLike<number | bigint>, Number);
  const isWhole = each.length * pointSize(nearest) === nearest.points.length && each.every(isExact);
  return isWhole ? { nearest, each } : undefined;
}

const pointSize = ({ features }: Nearest) => (features.type as { size: number }).size;
/**
 * Returns whether float64 represents the target exactly, because the operator compares targets in
 * float64.
 */
const isExact = (target: number) => !Number.isInteger(target) || Number.isSafeInteger(target);

/**
 * Follows a value backwards through operators that only change its shape, and returns the value
 * before them.
 */
function unshaped(value: GraphValue | undefined, graph: Graph): GraphValue | undefined {
  const isShape = (node: RowNode | undefined) =>
    ['Reshape', 'Flatten', 'Identity'].some((operator) => producedBy(node, operator) !== undefined);
  let before = value;
  while (isShape(graph.producer(before))) before = graph.producer(before)!.inputs[0];
  return before;
}

/**
 * Recognizes the search for the nearest training rows: TopK of their distances. `indices` is the
 * output of TopK.
 */
function nearestOf(indices: GraphValue | undefined, graph: Graph): Nearest | undefined {
  const top = producedBy(graph.producer(indices), 'TopK');
  const neighbors = numberOf(top?.inputs[1]);
  if (top === undefined || neighbors === undefined || indices?.element !== 'int64') return undefined;
  const { attributes } = top;
  const axis = attributes.int('axis', -1);
  if (attributes.int('largest', 1) !== 0 || attributes.int('sorted', 1) === 0 || (axis !== -1 && axis !== 1))
    return undefined;
  const distances = top.inputs[0];
  const root = producedBy(graph.producer(distances), 'Sqrt');
  const turned = producedBy(graph.producer(root === undefined ? distances : root.inputs[0]), 'Transpose');
  if (turned === undefined || turned.attributes.ints('perm').join() !== '1,0') return undefined;
  const sums = unshaped(turned.inputs[0], graph);
  const found = root === undefined ? absolutes(sums, graph) : squares(sums, graph);
  return found && { ...found, neighbors, metric: root === undefined ? 'manhattan' : 'euclidean', nearness: 'root' };
}

const squares = (sums: GraphValue | undefined, graph: Graph) =>
  differences(producedBy(graph.producer(sums), 'ReduceSumSquare'), graph);

function absolutes(sums: GraphValue | undefined, graph: Graph) {
  const lengths = producedBy(graph.producer(sums), 'ReduceL1') ?? producedBy(graph.producer(sums), 'ReduceSum');
  const isSum = lengths?.operator === 'ReduceSum';
  const absolute = producedBy(graph.producer(lengths?.inputs[0]), 'Abs');
  if (lengths === undefined || (isSum && absolute === undefined)) return undefined;
  return differences(lengths, graph, absolute === undefined ? lengths.inputs[0] : absolute.inputs[0]);
}

/**
 * Recognizes the differences `x - points` of a row and constant points, with the axes `[points, N,
 * features]`. Returns the row and the points if `reduction` reduces the last axis.
 */
function differences(reduction: RowNode | undefined, graph: Graph, of = reduction?.inputs[0]) {
  const subtraction = producedBy(graph.producer(of), 'Sub');
  if (reduction === undefined || subtraction === undefined || reduction.attributes.int('keepdims', 1) === 1)
    return undefined;
  const isLast = ['2', '-1'].includes(axesOf(reduction)?.join() ?? '');
  const row = subtraction.inputs.find((input): input is RowValue => input?.kind === 'row');
  const points = subtraction.inputs.map(constantOf).find((input) => input !== undefined);
  if (!isLast || row === undefined || points === undefined || !isPlain(row) || row.element !== 'float32')
    return undefined;
  const size = row.dims?.length === 2 ? row.dims[1]! : 0;
  return isPoints(points, size) ? { features: row.flow as Flow<'vector'>, points: points.data } : undefined;
}

function isPoints(points: OnnxConstant, size: number): points is OnnxConstant & { data: Float32Array } {
  const { dtype, shape } = points;
  if (dtype !== 'float32' || shape.length !== 3 || shape[1] !== 1 || shape[2] !== size) return false;
  // The difference of two infinities would give a NaN distance.
  return points.data.every(Number.isFinite);
}

/**
 * Returns whether a node reduces each row of a matrix `[N, k]` to one number, so that the result
 * has the shape `[N, 1]`.
 */
function isAlongColumns(node: RowNode): boolean {
  const row = rowInput(node, 0);
  const isMatrix = row?.dims?.length === 2 && row.batch.axis === 0;
  return isMatrix && ['1', '-1'].includes(axesOf(node)?.join() ?? '') && node.attributes.int('keepdims', 1) === 1;
}
