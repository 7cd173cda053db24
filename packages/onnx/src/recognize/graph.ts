import type { OnnxConstant } from '@brezel/flour';
import type { RowNode } from '../rows/row-node.js';
import type { GraphValue, RowValue } from '../rows/value.js';

/**
 * The questions that recognizers can ask about a graph: which node computes a value, and which
 * nodes read it?
 */
export interface Graph {
  producer(value: GraphValue | undefined): RowNode | undefined;
  /**
   * Returns the operators of all nodes that read an output of the node. If an output of the node is
   * an output of the graph, the list contains `output`.
   */
  users(node: RowNode): readonly string[];
}

/** Returns the node if it has this operator, otherwise undefined. */
export const producedBy = (node: RowNode | undefined, operator: string, domain = ''): RowNode | undefined =>
  node?.operator === operator && node.domain === domain ? node : undefined;

/**
 * Returns the two inputs of a node whose inputs may be exchanged, such as Add: first the input that
 * passes the test, then the other input. Both results are undefined if the node is missing, has
 * another operator, or if no input passes.
 */
export function operandsOf(
  node: RowNode | undefined,
  operator: string,
  passes: (value: GraphValue | undefined) => boolean,
): readonly [GraphValue | undefined, GraphValue | undefined] {
  const [a, b] = producedBy(node, operator)?.inputs ?? [];
  if (passes(a)) return [a, b];
  return passes(b) ? [b, a] : [undefined, undefined];
}

/**
 * Returns an input of a node if it is a constant that is the same for any number of rows, otherwise
 * undefined.
 */
export function constantInput(node: RowNode | undefined, index: number): OnnxConstant | undefined {
  return constantOf(node?.inputs[index]);
}

export const constantOf = (value: GraphValue | undefined): OnnxConstant | undefined =>
  value?.kind === 'constant' && value.byRows === undefined ? value.tensor : undefined;

export function rowInput(node: RowNode | undefined, index: number): RowValue | undefined {
  const value = node?.inputs[index];
  return value?.kind === 'row' ? value : undefined;
}

/**
 * Returns the axes of a reduction, which are an attribute or an input of the node. Returns
 * undefined if they are missing or not constant.
 */
export function axesOf(node: RowNode): readonly number[] | undefined {
  if (node.attributes.has('axes')) return node.attributes.ints('axes');
  const axes = constantInput(node, 1);
  return axes?.dtype === 'int64' ? Array.from(axes.data, Number) : undefined;
}

/** Returns whether a value is a float32 column that contains 1 for each row. */
export const isOnes = (value: GraphValue | undefined): boolean =>
  value?.kind === 'constant' &&
  value.batch?.axis === 0 &&
  value.element === 'float32' &&
  value.tensor.shape.join() === '1,1' &&
  value.tensor.data[0] === 1;

/**
 * Returns the number of a constant with one element, of any shape, or undefined for other values.
 */
export function numberOf(value: GraphValue | undefined): number | undefined {
  const constant = constantOf(value);
  return constant !== undefined && constant.dtype !== 'string' && constant.data.length === 1
    ? Number(constant.data[0])
    : undefined;
}
