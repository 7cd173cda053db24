import { type Flow, isolationScore, lookUp, mergeForests } from '@brezel/flour';
import type { RowNode } from '../rows/row-node.js';
import { type GraphValue, isPlain, type RowValue, rowValue } from '../rows/value.js';
import { type Graph, numberOf, operandsOf, producedBy, rowInput } from './graph.js';
import { forestBehind, type LeafValues, leafValues, overAllFeatures } from './leaf-values.js';

/**
 * Recognizes a sum over trees in which each term depends only on the leaf that the row reaches.
 * Converts the sum to one forest with these terms as leaf values. skl2onnx writes the path lengths
 * of an IsolationForest this way: for each tree, a TreeEnsembleRegressor that returns the leaf, two
 * LabelEncoders and about fifteen arithmetic nodes. The forest adds the numbers in the same order,
 * so answers have the same bits.
 */
export function recognizePathLengths(node: RowNode, graph: Graph): RowValue | undefined {
  const lengths = node.inputs.map((input) => lengthsOf(input, graph));
  const trees = new Set(lengths.map((length) => length?.tree));
  if (trees.has(undefined) || trees.size < lengths.length) return undefined;
  const each = (lengths as LeafValues[]).map(({ tree, values }) => {
    const { features, forest } = overAllFeatures(tree, forestBehind(tree)!);
    const leafWeight = values.tensor.data as Float32Array;
    return { features, forest: { ...forest, leafWeight, base: new Float32Array(1) } };
  });
  const { features } = each[0]!;
  if (each.some((path) => path.features.node !== features.node)) return undefined;
  const forests = each.map(({ forest }) => forest);
  return rowValue(features.treeEnsemble(mergeForests(forests, 'added')));
}

/**
 * Returns the path length for each leaf of a tree if the value is a float32 column that depends
 * only on the leaf. Returns undefined for other values. Also returns undefined if a length is -0,
 * because the sum of a forest starts at 0 and loses this sign.
 */
function lengthsOf(value: GraphValue | undefined, graph: Graph): LeafValues | undefined {
  if (value?.kind !== 'row' || value.dims?.join() !== '1,1' || value.batch.axis !== 0) return undefined;
  const found = leafValues(value, graph);
  if (found?.values.element !== 'float32') return undefined;
  return (found.values.tensor.data as Float32Array).some((value) => Object.is(value, -0)) ? undefined : found;
}

/**
 * Recognizes the decision of an IsolationForest from its path lengths, `-2^-(sum / expected) -
 * offset`: Div, Neg, Pow, Neg, Add. Flour's operator computes in float64 and rounds once. The nodes
 * that compute the label are converted separately.
 */
export function recognizeIsolationForest(node: RowNode, graph: Graph): RowValue | undefined {
  const [negated, score] = operandsOf(node, 'Add', (value) => numberOf(value) !== undefined);
  const power = producedBy(graph.producer(producedBy(graph.producer(score), 'Neg')?.inputs[0]), 'Pow');
  if (power === undefined || numberOf(power.inputs[0]) !== 2 || score?.element !== 'float32') return undefined;
  const exponent = producedBy(graph.producer(power.inputs[1]), 'Neg');
  const quotient = producedBy(graph.producer(exponent?.inputs[0]), 'Div');
  const [sum, expected] = [rowInput(quotient, 0), numberOf(quotient?.inputs[1])];
  if (sum === undefined || producedBy(graph.producer(sum), 'Sum') === undefined || forestBehind(sum) === undefined)
    return undefined;
  if (expected === undefined || !(expected > 0 && Number.isFinite(expected)) || sum.dims?.join() !== '1,1')
    return undefined;
  const constants = Float64Array.of(1, expected, -numberOf(negated)!);
  const decision = node.flour.apply<'vector'>(isolationScore, [sum.flow as Flow<'vector'>], {
    attributes: { output: 'decision' },
    parameters: { constants: { dtype: 'float64', shape: [3], data: constants } },
  });
  return rowValue(decision);
}

/**
 * Recognizes the label of an outlier detector, as skl2onnx writes it: `inlier + (outlier - inlier)
 * * isOutlier` in int64.
 */
export function recognizeOutlierLabel(node: RowNode, graph: Graph): RowValue | undefined {
  const isNumber = (value: GraphValue | undefined) => numberOf(value) !== undefined;
  const [inlier, scaled] = operandsOf(node, 'Add', isNumber);
  const [step, bit] = operandsOf(graph.producer(scaled), 'Mul', isNumber);
  const source = rowInput(producedBy(graph.producer(bit), 'Cast'), 0);
  if (source?.element !== 'bool' || bit?.element !== 'int64' || source.dims?.join() !== '1,1') return undefined;
  const labels = [numberOf(inlier)!, numberOf(inlier)! + numberOf(step)!];
  if (!isPlain(source) || inlier?.element !== 'int64' || !labels.every(Number.isSafeInteger)) return undefined;
  const index = (source.flow as Flow<'vector'>).cast('int64');
  return rowValue(lookUp(index, { dtype: 'int64', shape: [2], data: BigInt64Array.from(labels, BigInt) }));
}
