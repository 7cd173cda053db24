import { dtypeOf } from '@brezel/core';
import { inALine } from './join.js';
import { broadcastDims, repeatedConstant, repeatedPlaces, type Spender } from './moves.js';
import type { RowNode } from './row-node.js';
import { elementwiseRule } from './rules/index.js';
import { ruleUse } from './tensor-rules.js';
import { type Batch, batchAt, type GraphValue, product } from './value.js';

/**
 * The largest number of elements to which the importer broadcasts the inputs of a node. The memory
 * of more elements would cost more than the kernel saves.
 */
const MAX_REPEATED = 2 ** 16;

/** An elementwise node whose inputs were converted to vectors. */
export interface OnVectors {
  /** The inputs as flat lists. The length of each list is 1 or the length of the result. */
  readonly inputs: readonly (GraphValue | undefined)[];
  readonly dims: readonly number[];
  readonly batch: Batch;
}

/**
 * Converts an elementwise node on tensors of any shape to a node on vectors, because mappings
 * support only vectors. Broadcasts the inputs first, then flattens them. Returns undefined for
 * other operators, for inputs that `isVector` rejects, and if the result would have too many
 * elements.
 */
export function onVectors(node: RowNode): OnVectors | undefined {
  const rule = elementwiseRule(node.domain, node.operator);
  if (rule === undefined || !node.inputs.every(isVector)) return undefined;
  const use = ruleUse(node);
  const batch = rule(use) as Batch;
  const dims = broadcastDims(use.inputs.flatMap((input) => (input === undefined ? [] : [input.dims])));
  if (dims === undefined || product(dims) > MAX_REPEATED) return undefined;
  return { inputs: node.inputs.map((input) => input && inVector(input, dims, node)), dims, batch };
}

/**
 * Returns whether an input has a known shape, and its flow has the element type that the input has
 * in the graph. For example, a flow contains int8 numbers as int32, which wraps around at other
 * values.
 */
const isVector = (input: GraphValue | undefined): boolean =>
  input?.kind !== 'row' || (input.dims !== undefined && input.element === dtypeOf(input.flow.type));

function inVector(input: GraphValue, dims: readonly number[], spender: Spender): GraphValue {
  const [own, size] = [input.kind === 'row' ? input.dims! : input.tensor.shape, product(dims)];
  const isWhole = product(own) === size;
  if (input.kind === 'constant') {
    const { tensor } = input;
    if (tensor.data.length === 1) return { ...input, tensor: { ...tensor, shape: [] } };
    return { ...input, tensor: isWhole ? { ...tensor, shape: [size] } : repeatedConstant(tensor, dims, spender) };
  }
  const flow = inALine(input);
  const isRepeated = !isWhole && product(own) !== 1;
  const columns = isRepeated ? flow.selectColumns(repeatedPlaces(own, dims, spender)) : flow;
  return { ...input, flow: columns, dims: [1, isRepeated ? size : product(own)], batch: batchAt(0) };
}
