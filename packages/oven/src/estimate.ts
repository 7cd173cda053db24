import { type InputPort, sizeOf, type ValueType } from '@brezel/core';
import type { KernelCost, KernelUse } from '@brezel/flour';
import { plannedUse } from './infer.js';
import { isText } from './kinds.js';
import type { LogicalNode, LogicalPlan } from './logical-plan.js';
import { nodeOf, oncePer } from './plan-index.js';
import type { RuleContext } from './rule.js';

// Estimates the cost of a row. Estimates are rough on purpose: they distinguish microseconds from
// milliseconds. `brezel bench` prints the measured time of a model file.

/**
 * The sizes of values that Oven assumes without statistics: the bytes and the tokens of a text (a
 * review of about a hundred words), and the entries of a sparse vector.
 */
const ASSUMED_TEXT_BYTES = 600;
const ASSUMED_TOKENS = 100;
const ASSUMED_SPARSE_ENTRIES = 150;

/** Estimated time to call a kernel and look up its slots, in nanoseconds. */
const CALL_NANOS = 12;
/** Estimated time to read or write a number in a nearby cache, in nanoseconds. */
const ENTRY_NANOS = 0.25;
/**
 * Estimated time to process a byte of a text, in nanoseconds: finding its class, and a table
 * lookup.
 */
const TEXT_BYTE_NANOS = 0.85;
/**
 * Estimated time to read a row and write its answer, in nanoseconds: for the call (`ROW_NANOS`),
 * for each input, and for each number of an input. Cheap plans spend most of their time here.
 */
const ROW_NANOS = 500;
const INPUT_NANOS = 150;
const NUMBER_NANOS = 18;
/** Operators take about this many times as long in JavaScript as in native kernels. */
const JAVASCRIPT_FACTOR = 15;

/**
 * Returns the average number of entries of a value in one row. If the program has no statistics,
 * estimates the number from the type of the value.
 */
function entriesOf({ type, statistics }: LogicalNode): number {
  if (isText(type)) return statistics?.meanVectorSize ?? ASSUMED_TEXT_BYTES;
  if (type.kind === 'tokens') return statistics?.meanVectorSize ?? ASSUMED_TOKENS;
  if (type.kind === 'sparse') return statistics?.meanVectorSize ?? assumedSparse(type);
  return sizeOf(type);
}

const readingNanos = (type: ValueType) => (isText(type) ? TEXT_BYTE_NANOS : ENTRY_NANOS);

const assumedSparse = (type: ValueType) => Math.min(sizeOf(type), ASSUMED_SPARSE_ENTRIES);

interface CachedUse {
  readonly context: RuleContext;
  readonly use: KernelUse;
}

const kernelUses = oncePer('nodes', () => new Map<number, CachedUse>());

/**
 * Returns the description of a node (`KernelUse`) from which its operator chooses kernels and
 * estimates costs.
 */
export function kernelUse(node: LogicalNode, plan: LogicalPlan, context: RuleContext): KernelUse {
  const uses = kernelUses(plan);
  const known = uses.get(node.id);
  if (known?.context === context) return known.use;
  const use = {
    ...plannedUse(node, plan, context),
    entries: { inputs: node.inputs.map((input) => entriesOf(nodeOf(plan, input))), output: entriesOf(node) },
    isa: context.isa,
  };
  uses.set(node.id, { context, use });
  return use;
}

/**
 * Returns the estimated nanoseconds per row of one operator that runs with a separate kernel. Uses
 * the first of these estimates that exists: the operator's function `cost`, the cost of the
 * cheapest kernel that can run the operator, or a time from the number of entries that the operator
 * reads and writes.
 */
export function operatorNanos(node: LogicalNode, plan: LogicalPlan, context: RuleContext): number {
  const { operator } = node;
  if (operator === undefined || operator.annotations.alias) return 0;
  const use = kernelUse(node, plan, context);
  if (operator.cost !== undefined) return CALL_NANOS + operator.cost(use);
  const costs = operator.kernels
    ?.filter((kernel) => kernel.canRun(use, node.type))
    .map((kernel) => kernel.cost(use, node.type));
  if (costs !== undefined && costs.length > 0) return CALL_NANOS + Math.min(...costs.map(worth));
  const read = node.inputs.map((id, index) => use.entries.inputs[index]! * readingNanos(nodeOf(plan, id).type));
  return CALL_NANOS + read.reduce((sum, nanos) => sum + nanos, ENTRY_NANOS * use.entries.output);
}

/** Returns the estimated nanoseconds per row outside the stages, for a plan with these inputs. */
export function rowNanos(inputs: readonly InputPort[]): number {
  const read = inputs.filter((port) => !port.unused);
  const numbers = read.reduce((sum, { type }) => sum + (isText(type) ? 0 : sizeOf(type)), 0);
  return ROW_NANOS + INPUT_NANOS * read.length + NUMBER_NANOS * numbers;
}

/**
 * Returns the cost by which kernels are compared: the mean of the costs for a single row and for a
 * row of a batch.
 */
export const worth = ({ single, batch }: KernelCost) => (single + batch) / 2;

/** Converts the cost of a native kernel to the cost of the same work in JavaScript. */
export const inJavaScript = (nanos: number) => nanos * JAVASCRIPT_FACTOR;
