import type { Flow, NarrowType, ScatterReduction } from '@brezel/flour';
import { inALine } from './join.js';
import { elementPlaces } from './places.js';
import type { RowNode } from './row-node.js';
import { axisOf, type RuleUse } from './rule.js';
import { inOrder } from './unsigned.js';
import type { Batch, RowValue } from './value.js';

const reductions: Readonly<Record<string, ScatterReduction>> = {
  none: 'none',
  add: 'add',
  mul: 'multiply',
  max: 'maximum',
  min: 'minimum',
};

/**
 * Converts ScatterElements and Scatter if data, indices and updates depend on the row. Returns
 * undefined for other nodes, and for reductions that flows do not support.
 */
export function scatteredRows(node: RowNode, use: RuleUse, batch: Batch): readonly RowValue[] | undefined {
  if (node.domain !== '' || (node.operator !== 'ScatterElements' && node.operator !== 'Scatter')) return undefined;
  const [data, indices, updates] = node.inputs as (RowValue | undefined)[];
  if (![data, indices, updates].every((input) => input?.kind === 'row')) return undefined;
  const { element, dims } = data!;
  const name = use.attributes.string('reduction', 'none');
  const reduction = Object.hasOwn(reductions, name) ? reductions[name]! : undefined;
  if (updates!.element !== element || updates!.dims!.join() !== indices!.dims!.join()) return undefined;
  if (reduction === undefined || !isKnown(element, reduction)) return undefined;
  const axis = axisOf(use, use.attributes.int('axis', 0), dims!.length);
  const named = elementPlaces(indices!, dims!, axis, node);
  if (named === undefined) return undefined;
  const isUnsigned = element === 'uint64' && comparing.includes(reduction);
  const [old, changes] = [data!, updates!].map(inALine).map((flow) => (isUnsigned ? inOrder(flow) : flow));
  const flow = old!.scatter(named.places, changes!, { reduction });
  const held = isUnsigned ? inOrder(flow) : heldAs(element, flow, reduction);
  return [{ kind: 'row', flow: held, element, dims, batch }];
}

const whole = ['float32', 'float64', 'int64', 'int32', 'bool'];
const narrow = ['int8', 'uint8', 'int16', 'uint16', 'uint32'];
const [computing, comparing] = [
  ['add', 'multiply'],
  ['maximum', 'minimum'],
];

/**
 * Flows contain some element types in a wider type. Returns whether a reduction gives the same
 * result in that type. Sums and products of float16 and bfloat16 would differ, because ONNX rounds
 * after each operation.
 */
function isKnown(element: string, reduction: ScatterReduction): boolean {
  if (element === 'string') return false;
  const isWide = whole.includes(element) || narrow.includes(element) || element === 'uint64';
  if (reduction === 'none' || isWide) return true;
  return (element === 'float16' || element === 'bfloat16') && !computing.includes(reduction);
}

const heldAs = (element: string, flow: Flow<'vector'>, reduction: ScatterReduction): Flow<'vector'> =>
  narrow.includes(element) && computing.includes(reduction)
    ? (flow.narrow(element as NarrowType) as Flow<'vector'>)
    : flow;
