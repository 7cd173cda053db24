import type { Flow } from '@brezel/flour';
import type { RowNode } from '../rows/row-node.js';
import { type GraphValue, isPlain, type RowValue, rowValue } from '../rows/value.js';
import { axesOf, constantInput, type Graph, isOnes, producedBy, rowInput } from './graph.js';

/**
 * Recognizes PolynomialFeatures as skl2onnx writes it: for each term an ArrayFeatureExtractor and a
 * ReduceProd, in scikit-learn's order, joined by one Concat. If the model has a bias, the first
 * column contains ones. Flour's operator multiplies in the same order, so answers have the same
 * bits.
 */
export function recognizePolynomialFeatures(node: RowNode, graph: Graph): RowValue | undefined {
  const axis = node.attributes.int('axis', 1);
  if (axis !== 1 && axis !== -1) return undefined;
  const includeBias = isOnes(node.inputs[0]);
  const terms = node.inputs.slice(includeBias ? 1 : 0).map((value) => termOf(value, graph));
  const features = terms[0]?.features;
  if (features === undefined || terms.some((term) => term?.features !== features)) return undefined;
  const columns = terms.map((term) => term!.columns);
  const size = features.dims![1]!;
  const interactionOnly = [false, true].find((distinct) => isInOrder(columns, size, distinct));
  const [least, most] = [columns[0]!.length, columns.at(-1)!.length];
  // With degree 1 only, the result equals the features.
  if (interactionOnly === undefined || most < 2) return undefined;
  const degree = [least, most] as const;
  return rowValue((features.flow as Flow<'vector'>).polynomialFeatures({ degree, interactionOnly, includeBias }));
}

interface Term {
  readonly features: RowValue;
  readonly columns: readonly number[];
}

/**
 * Recognizes a term of the polynomial, and returns the indices of the features that it multiplies.
 */
function termOf(value: GraphValue | undefined, graph: Graph): Term | undefined {
  const product = producedBy(graph.producer(value), 'ReduceProd');
  if (product === undefined || axesOf(product)?.join() !== '1' || product.attributes.int('keepdims', 1) !== 1)
    return undefined;
  const picked = producedBy(graph.producer(product.inputs[0]), 'ArrayFeatureExtractor', 'ai.onnx.ml');
  const [features, columns] = [rowInput(picked, 0), constantInput(picked, 1)];
  if (features === undefined || columns?.dtype !== 'int64' || columns.data.length === 0) return undefined;
  if (!isPlain(features) || features.dims?.length !== 2 || features.element !== 'float32') return undefined;
  return { features, columns: Array.from(columns.data, Number) };
}

/**
 * Returns whether the list contains all terms from its smallest to its largest degree, and the
 * terms of each degree in lexicographic order.
 */
function isInOrder(terms: readonly (readonly number[])[], features: number, distinct: boolean): boolean {
  const step = distinct ? 1 : 0;
  const firstOf = (degree: number) => Array.from({ length: degree }, (_, at) => at * step);
  const isLast = (term: readonly number[]) =>
    term.every((column, at) => column === features - 1 - (term.length - 1 - at) * step);
  const next = (term: readonly number[]) => {
    if (isLast(term)) return firstOf(term.length + 1);
    const most = (at: number) => features - 1 - (term.length - 1 - at) * step;
    const at = term.findLastIndex((column, index) => column < most(index));
    return term.map((column, index) => (index < at ? column : term[at]! + 1 + (index - at) * step));
  };
  const isNext = (term: readonly number[], at: number) =>
    term.join() === (at === 0 ? firstOf(term.length) : next(terms[at - 1]!)).join();
  return terms.every(isNext) && isLast(terms.at(-1)!);
}
