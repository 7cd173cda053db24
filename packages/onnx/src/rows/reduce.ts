import { type Flow, onnxReductions } from '@brezel/flour';
import { inALine } from './join.js';
import type { RowNode } from './row-node.js';
import { axisOf, intsOption, type RuleUse } from './rule.js';
import { type Batch, product, type RowValue } from './value.js';

/**
 * Reductions of any axes by the operator that reduces runs of neighbours, after the reduced axes were brought last. Undefined for what it does not
 * know.
 */
export function reducedRows(node: RowNode, use: RuleUse, batch: Batch): readonly RowValue[] | undefined {
  const [row] = node.inputs;
  const reduction = Object.hasOwn(onnxReductions, node.operator) ? onnxReductions[node.operator] : undefined;
  if (reduction === undefined || row?.kind !== 'row') return undefined;
  if (row.element !== 'float32' && row.element !== 'float64') return undefined;
  const axes = (intsOption(use, 'axes', 1) ?? []).map((axis) => axisOf(use, axis, row.dims!.length));
  if (axes.length === 0 || row.batch.before * row.batch.after !== 1) return undefined;
  const dims = row.dims!;
  const order = dims.map((_, axis) => axis).filter((axis) => !axes.includes(axis));
  const kept = order.map((axis) => dims[axis]!);
  const last = dims.map((_, axis) => axis).filter((axis) => axes.includes(axis));
  const columns = places(dims, [...order, ...last]);
  const line = inALine(row);
  const flow = columns.every((column, at) => column === at) ? line : line.selectColumns(columns);
  const parts = product(kept);
  const result: Flow = parts === 1 ? flow.reduce(reduction) : flow.reduce(reduction, { parts });
  const keeps = use.attributes.int('keepdims', 1) !== 0;
  return [
    { ...row, flow: result, dims: keeps ? dims.map((size, axis) => (axes.includes(axis) ? 1 : size)) : kept, batch },
  ];
}

/** Where each element of a tensor stands once its axes are in another order. */
function places(dims: readonly number[], order: readonly number[]): number[] {
  let found = [0];
  for (const axis of order) {
    const stride = product(dims.slice(axis + 1));
    found = found.flatMap((place) => Array.from({ length: dims[axis]! }, (_, at) => place + at * stride));
  }
  return found;
}
