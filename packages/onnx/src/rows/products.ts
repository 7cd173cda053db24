import type { NumericParameter } from '@brezel/core';
import { type Flow, type MatrixBatches, multiplyMatrices } from '@brezel/flour';
import { inALine } from './join.js';
import { broadcastDims } from './moves.js';
import type { RowNode } from './row-node.js';
import { type Batch, type GraphValue, product, type RowValue } from './value.js';

/**
 * Element types in which kernels multiply matrices. Flows contain narrower types as one of these
 * types.
 */
const computed: ReadonlySet<string> = new Set(['float32', 'float64', 'int64', 'int32']);

/** An operand of a matrix product: its shape, and its elements as a flat list. */
export interface Factor {
  readonly dims: readonly number[];
  readonly elements: Flow<'vector'> | NumericParameter;
}

/**
 * Returns the operands of a matrix product, or undefined if their element types differ, if kernels
 * do not multiply this type, or if an operand is empty.
 */
export function factorsOf(inputs: readonly (GraphValue | undefined)[]): Factor[] | undefined {
  const element = inputs[0]?.element;
  const factors = inputs.map((input) => input && input.element === element && factorOf(input));
  return element !== undefined &&
    computed.has(element) &&
    factors.every((factor) => !!factor && product(factor.dims) > 0)
    ? (factors as Factor[])
    : undefined;
}

function factorOf(input: GraphValue): Factor | undefined {
  if (input.kind === 'row') return input.dims && { dims: input.dims, elements: inALine(input) };
  const { tensor } = input;
  if (tensor.dtype !== input.element || tensor.dtype === 'string' || input.byRows !== undefined) return undefined;
  return { dims: tensor.shape, elements: tensor };
}

/**
 * Converts MatMul of two row values, or of a row value and constant matrices. (The mapping of
 * MatMul supports vectors only.) Returns undefined for other nodes.
 */
export function multipliedRows(node: RowNode, batch: Batch): readonly RowValue[] | undefined {
  if (node.domain !== '' || node.operator !== 'MatMul') return undefined;
  const factors = factorsOf(node.inputs);
  if (factors?.length !== 2) return undefined;
  const [left, right] = factors as [Factor, Factor];
  const plan = batchesOf(left.dims, right.dims);
  if (plan === undefined) return undefined;
  const dims = [
    ...plan.lead,
    ...(left.dims.length === 1 ? [] : [left.dims.at(-2)!]),
    ...(right.dims.length === 1 ? [] : [right.dims.at(-1)!]),
  ];
  const flow = multiplyMatrices(left.elements, right.elements, plan.batches);
  return [{ kind: 'row', flow, element: node.inputs[0]!.element, dims, batch }];
}

/**
 * The last two axes of an operand contain its matrices. Returns which matrices are multiplied with
 * each other (`batches`), and the broadcast sizes of the axes before the matrices (`lead`). A
 * vector is a row as left operand and a column as right operand. Returns undefined if the sizes do
 * not match.
 */
function batchesOf(
  first: readonly number[],
  second: readonly number[],
): { lead: readonly number[]; batches: MatrixBatches } | undefined {
  const left = first.length === 1 ? [1, ...first] : first;
  const right = second.length === 1 ? [...second, 1] : second;
  const [rows, inner, columns] = [left.at(-2)!, left.at(-1)!, right.at(-1)!];
  const [leftLead, rightLead] = [left.slice(0, -2), right.slice(0, -2)];
  const lead = broadcastDims([leftLead, rightLead]);
  if (lead === undefined || right.at(-2) !== inner) return undefined;
  // If all matrices on the left are multiplied by the same right matrix, they are joined to one
  // matrix.
  if (product(rightLead) === 1)
    return { lead, batches: { batches: [], left: [], right: [], rows: product(lead) * rows, inner, columns } };
  const steps = (own: readonly number[]) =>
    lead.map((_, axis) => {
      const at = axis - lead.length + own.length;
      return (own[at] ?? 1) === 1 ? 0 : product(own.slice(at + 1));
    });
  return {
    lead,
    batches: { batches: lead, left: steps(leftLead), right: steps(rightLead), rows, inner, columns },
  };
}
