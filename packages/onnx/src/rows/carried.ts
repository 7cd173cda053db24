import { dtypeOf } from '@brezel/core';
import type { ElementType, Flow, NarrowType } from '@brezel/flour';
import type { RowNode } from './row-node.js';
import type { GraphValue, RowValue } from './value.js';

// Narrow integers and short floats lie in a wider type. Where an operator gives the same there, or the same low bits, kernels of the wider type run it.

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const narrow = words('int8 uint8 int16 uint16 uint32');
const short = words('float16 bfloat16');
/** What they give may need more bits than the narrow type has. */
const computing = words('Add Sub Mul Div Mod BitShift BitwiseNot');
const choosing = words('Max Min Clip Where BitwiseAnd BitwiseOr BitwiseXor');
const asking = words('Equal Less Greater LessOrEqual GreaterOrEqual');
/** Of uint64 the carrier holds the bits: order and quotients are others. */
const onBits = words('Add Sub Mul Equal Where BitShift BitwiseNot BitwiseAnd BitwiseOr BitwiseXor');

/** A node on the carriers of its elements. */
export interface Carried {
  readonly node: RowNode;
  /** What the node gives, from what it gives on carriers. */
  result(value: RowValue): RowValue;
}

/** Undefined where operands are of types that flows have of their own, or the operator is another one on carriers. */
export function onCarriers(node: RowNode): Carried | undefined {
  if (node.domain !== '') return undefined;
  const data = node.operator === 'Where' ? node.inputs.slice(1) : node.inputs;
  const elements = new Set(data.flatMap((value) => (value === undefined ? [] : [value.element])));
  const [element] = elements;
  if (elements.size !== 1 || !isKnown(node.operator, element!)) return undefined;
  return {
    node: { ...node, inputs: node.inputs.map((value) => value && onCarrier(value)) },
    result: (value) => {
      if (asking.has(node.operator)) return value;
      if (!narrow.has(element!) || !computing.has(node.operator)) return { ...value, element: element! };
      return { ...value, element: element!, flow: narrowed(value.flow, element as NarrowType) };
    },
  };
}

function isKnown(operator: string, element: ElementType): boolean {
  if (element === 'uint64') return onBits.has(operator);
  const isMoved = choosing.has(operator) || asking.has(operator);
  return narrow.has(element) ? isMoved || computing.has(operator) : short.has(element) && isMoved;
}

const onCarrier = (value: GraphValue): GraphValue =>
  value.kind === 'row' ? { ...value, element: dtypeOf(value.flow.type) } : { ...value, element: value.tensor.dtype };

const narrowed = (flow: Flow, to: NarrowType): Flow => (flow as Flow<'vector'>).narrow(to);
