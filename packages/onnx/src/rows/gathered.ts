import { dtypeOf } from '@brezel/core';
import { type Flow, gatherConstant, type OnnxConstant } from '@brezel/flour';
import { inALine } from './join.js';
import type { RowNode } from './row-node.js';
import { axisOf, type RuleUse } from './rule.js';
import { type Batch, type ConstantValue, product, type RowValue } from './value.js';

/**
 * Entries of a constant at indices of the row (Gather, ArrayFeatureExtractor), and elements of a row at indices of the row (GatherElements along its
 * only axis). Undefined for anything else.
 */
export function gatheredRows(node: RowNode, use: RuleUse, batch: Batch): readonly RowValue[] | undefined {
  const [data, indices] = node.inputs;
  if (indices?.kind !== 'row' || (indices.element !== 'int64' && indices.element !== 'int32')) return undefined;
  const places = inALine(indices).cast('int64');
  if (data?.kind === 'row')
    return node.operator === 'GatherElements' ? elementsOf(data, indices, places, use) : undefined;
  if (data === undefined || data.byRows !== undefined || data.batch !== undefined) return undefined;
  const layout = layoutOf(node, use, data, indices);
  const { tensor } = data;
  if (layout === undefined || tensor.dtype === 'string' || tensor.dtype !== data.element) return undefined;
  const { outer, entries, block, dims } = layout;
  if (tensor.data.length === 0 || product(dims) === 0) return undefined;
  const flow = gatherConstant(places, { ...tensor, shape: [tensor.data.length] }, { outer, entries, block });
  return [{ kind: 'row', flow, element: data.element, dims, batch }];
}

function elementsOf(data: RowValue, indices: RowValue, places: Flow<'vector'>, use: RuleUse): RowValue[] | undefined {
  const [from, to] = [data.dims!, indices.dims!];
  const axis = axisOf(use, use.attributes.int('axis', 0), from.length);
  const isOnly = (dims: readonly number[]) => product(dims) === dims[axis];
  const isHeld = data.element === dtypeOf(data.flow.type) && data.element !== 'string';
  if (!isHeld || from.length !== to.length || !isOnly(from) || !isOnly(to)) return undefined;
  return [{ ...data, flow: inALine(data).gather(places), dims: to }];
}

/** How entries lie in the constant, and the shape of the result. */
function layoutOf(node: RowNode, use: RuleUse, { tensor }: ConstantValue, indices: RowValue) {
  const { shape }: OnnxConstant = tensor;
  if (node.domain === 'ai.onnx.ml' && node.operator === 'ArrayFeatureExtractor') {
    const lead = shape.length === 1 ? [1] : shape.slice(0, -1);
    return { outer: product(lead), entries: shape.at(-1)!, block: 1, dims: [...lead, product(indices.dims!)] };
  }
  if (node.domain !== '' || node.operator !== 'Gather') return undefined;
  const axis = axisOf(use, use.attributes.int('axis', 0), shape.length);
  const [before, behind] = [shape.slice(0, axis), shape.slice(axis + 1)];
  const dims = [...before, ...indices.dims!, ...behind];
  return { outer: product(before), entries: shape[axis]!, block: product(behind), dims };
}
