import type { NumericParameter } from '@brezel/core';
import { gatherConstant, type OnnxConstant } from '@brezel/flour';
import { inALine } from './join.js';
import { blockPlaces, elementPlaces } from './places.js';
import type { RowNode } from './row-node.js';
import { axisOf, type RuleUse } from './rule.js';
import { type Batch, type ConstantValue, type GraphValue, product, type RowValue } from './value.js';

/**
 * Converts nodes that select elements at indices that depend on the row: Gather and
 * ArrayFeatureExtractor if the data is constant, GatherElements and GatherND for any data. Returns
 * undefined for other nodes.
 */
export function gatheredRows(node: RowNode, use: RuleUse, batch: Batch): readonly RowValue[] | undefined {
  const [data, indices] = node.inputs;
  if (data === undefined || data.element === 'string' || indices?.kind !== 'row') return undefined;
  if (data.kind === 'constant' && (data.byRows !== undefined || data.batch !== undefined)) return undefined;
  if (node.domain === '' && (node.operator === 'GatherElements' || node.operator === 'GatherND'))
    return placedRows(node, use, data, batch);
  if (data.kind === 'row' || (indices.element !== 'int64' && indices.element !== 'int32')) return undefined;
  const layout = layoutOf(node, use, data, indices);
  if (layout === undefined || data.tensor.data.length === 0 || product(layout.dims) === 0) return undefined;
  const { outer, entries, block, dims } = layout;
  const flow = gatherConstant(inALine(indices).cast('int64'), flatTable(data), { outer, entries, block });
  return [{ kind: 'row', flow, element: data.element, dims, batch }];
}

/**
 * Converts GatherElements or GatherND, which select elements or groups of adjacent elements of
 * `data`.
 */
function placedRows(node: RowNode, use: RuleUse, data: GraphValue, batch: Batch): readonly RowValue[] | undefined {
  const indices = node.inputs[1] as RowValue;
  const from = data.kind === 'row' ? data.dims! : data.tensor.shape;
  const named =
    node.operator === 'GatherND'
      ? blockPlaces(indices, from, use.attributes.int('batch_dims', 0), node)
      : elementPlaces(indices, from, axisOf(use, use.attributes.int('axis', 0), from.length), node);
  if (named === undefined) return undefined;
  const { places, block, dims } = named;
  const flow =
    data.kind === 'row'
      ? inALine(data).gather(places, { block })
      : gatherConstant(places, flatTable(data), { outer: 1, entries: product(from) / block, block });
  return [{ kind: 'row', flow, element: data.element, dims, batch }];
}

const flatTable = ({ tensor }: ConstantValue) => ({ ...(tensor as NumericParameter), shape: [tensor.data.length] });

/**
 * Returns the memory layout of the constant from which a Gather or an ArrayFeatureExtractor selects
 * entries, and the shape of the result. Returns undefined for other operators.
 */
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
