import type { ElementType } from '@brezel/core';
import { dtypeOf } from '@brezel/core';
import type { Flow, NarrowType } from '@brezel/flour';
import { inALine } from './join.js';
import type { RowNode } from './row-node.js';
import { constantInOrder, inOrder } from './unsigned.js';
import type { GraphValue, RowValue } from './value.js';

// Flows hold narrow integers and short floats in a wider type. If an operator gives the same result
// or the same low bits in the wider type, kernels of that type run it.

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const narrow = words('int8 uint8 int16 uint16 uint32');
const short = words('float16 bfloat16');
/**
 * Operators whose results may exceed the range of a narrow integer type. The importer wraps these
 * results around to the range of the narrow type.
 */
const computing = words('Add Sub Mul Div Mod BitShift BitwiseNot');
const choosing = words('Max Min Clip Where BitwiseAnd BitwiseOr BitwiseXor');
const asking = words('Equal Less Greater LessOrEqual GreaterOrEqual');
/**
 * Operators that are correct for uint64 if flows contain the bits of the numbers as int64. Mul,
 * Add, Sub and bit operators compute the same bits for both types. Div and Mod get the attribute
 * `isUnsigned`.
 */
const onBits = words('Add Sub Mul Div Mod Equal Where BitShift BitwiseNot BitwiseAnd BitwiseOr BitwiseXor');
const ordering = words('Max Min Clip Less Greater LessOrEqual GreaterOrEqual');

/**
 * Replaces a node whose element type flows do not have, such as int8. `node` computes in the type
 * in which flows contain the numbers, such as int32.
 */
export interface Carried {
  readonly node: RowNode;
  /** Converts a result of `node` to the element type of the original node. */
  result(value: RowValue): RowValue;
}

/**
 * Returns a node that computes the same in an element type that flows have. For example, an Add of
 * int8 becomes an Add of int32, and its result is wrapped around to int8. Returns undefined if
 * flows have the element type itself, if the inputs have different element types, or if the
 * operator would give other results in the wider type.
 */
export function onCarriers(node: RowNode): Carried | undefined {
  if (node.domain !== '') return undefined;
  const data = node.operator === 'Where' ? node.inputs.slice(1) : node.inputs;
  const elements = new Set(data.flatMap((value) => (value === undefined ? [] : [value.element])));
  const [element] = elements;
  if (elements.size !== 1 || !isKnown(node.operator, element!)) return undefined;
  if (element === 'uint64' && ordering.has(node.operator)) return inTheirOrder(node);
  return {
    node: { ...node, isUnsigned: element === 'uint64', inputs: node.inputs.map((value) => value && onCarrier(value)) },
    result: (value) => {
      if (asking.has(node.operator)) return value;
      if (!narrow.has(element!) || !computing.has(node.operator)) return { ...value, element: element! };
      return { ...value, element: element!, flow: narrowed(value.flow, element as NarrowType) };
    },
  };
}

function isKnown(operator: string, element: ElementType): boolean {
  if (element === 'uint64') return onBits.has(operator) || ordering.has(operator);
  const isMoved = choosing.has(operator) || asking.has(operator);
  return narrow.has(element) ? isMoved || computing.has(operator) : short.has(element) && isMoved;
}

/**
 * Returns a node that compares uint64 numbers as signed integers. Its inputs are mapped to signed
 * integers in the same order, and `result` maps a result back.
 */
function inTheirOrder(node: RowNode): Carried {
  const ordered = (value: RowValue): RowValue => ({ ...value, flow: inOrder(inALine(value)) });
  const inputs = node.inputs.map((value): GraphValue | undefined => {
    if (value?.kind === 'row') return { ...ordered(value), element: 'int64' };
    return value && { ...value, element: 'int64', tensor: constantInOrder(value.tensor) };
  });
  const result = (value: RowValue) =>
    asking.has(node.operator) ? value : { ...ordered(value), element: 'uint64' as const };
  return { node: { ...node, inputs }, result };
}

/**
 * Sets `element` of a value to the type that its flow or constant really has. For example, a uint8
 * value becomes a value of the wider type of its flow.
 */
export const onCarrier = (value: GraphValue): GraphValue =>
  value.kind === 'row' ? { ...value, element: dtypeOf(value.flow.type) } : { ...value, element: value.tensor.dtype };

const narrowed = (flow: Flow, to: NarrowType): Flow => (flow as Flow<'vector'>).narrow(to);
