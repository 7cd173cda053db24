import type { OnnxConstant } from '@brezel/flour';
import type { RowNode } from '../rows/raise.js';
import type { GraphValue, RowValue } from '../rows/value.js';

/** What recognizers see of the graph: values know the node that they came from. */
export interface Graph {
  producer(value: GraphValue | undefined): RowNode | undefined;
}

/** The node, if it is of this operator. */
export const producedBy = (node: RowNode | undefined, operator: string): RowNode | undefined =>
  node?.operator === operator && node.domain === '' ? node : undefined;

/** Both operands of a commutative node: first the one that passes, then the other. Nothing where there is no such node. */
export function operandsOf(
  node: RowNode | undefined,
  operator: string,
  passes: (value: GraphValue | undefined) => boolean,
): readonly [GraphValue | undefined, GraphValue | undefined] {
  const [a, b] = producedBy(node, operator)?.inputs ?? [];
  if (passes(a)) return [a, b];
  return passes(b) ? [b, a] : [undefined, undefined];
}

export function constantInput(node: RowNode | undefined, index: number): OnnxConstant | undefined {
  const value = node?.inputs[index];
  return value?.kind === 'constant' ? value.tensor : undefined;
}

export function rowInput(node: RowNode | undefined, index: number): RowValue | undefined {
  const value = node?.inputs[index];
  return value?.kind === 'row' ? value : undefined;
}
