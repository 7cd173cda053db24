import { type InputPort, sizeOf, type ValueType } from '@brezel/core';
import type { KernelCost, KernelUse } from '@brezel/flour';
import { plannedUse } from './infer.js';
import { isText } from './kinds.js';
import { type LogicalNode, type LogicalPlan, nodeOf } from './logical-plan.js';
import type { RuleContext } from './rule.js';

// Estimates of what a row costs. Rough on purpose: they tell microseconds from milliseconds, and are checked against measured times by
// `npm run bench -- cost`.

/** A review of a hundred words: what is assumed where no statistics say better. */
const ASSUMED_TEXT_BYTES = 600;
const ASSUMED_TOKENS = 100;
const ASSUMED_SPARSE_ENTRIES = 150;

/** Entering a kernel, and looking up its slots. */
const CALL_NANOS = 12;
/** Reading or writing a number that lies in a near cache. */
const ENTRY_NANOS = 0.25;
/** Reading a byte of a text: its class, and what is looked up by it. */
const TEXT_BYTE_NANOS = 0.85;
/** Taking a row in and giving its answer out: the call, each input, each number of it. Of cheap plans this is most of the time. */
const ROW_NANOS = 500;
const INPUT_NANOS = 150;
const NUMBER_NANOS = 18;
/** The reference engine against a native kernel. */
const JAVASCRIPT_FACTOR = 15;

/** Entries that a row of this value holds on average: statistics, else a guess by its type. */
function entriesOf({ type, statistics }: LogicalNode): number {
  if (isText(type)) return statistics?.meanVectorSize ?? ASSUMED_TEXT_BYTES;
  if (type.kind === 'tokens') return statistics?.meanVectorSize ?? ASSUMED_TOKENS;
  if (type.kind === 'sparse') return statistics?.meanVectorSize ?? assumedSparse(type);
  return sizeOf(type);
}

const readingNanos = (type: ValueType) => (isText(type) ? TEXT_BYTE_NANOS : ENTRY_NANOS);

const assumedSparse = (type: ValueType) => Math.min(sizeOf(type), ASSUMED_SPARSE_ENTRIES);

/** What is known of a use where kernels are chosen and costs are estimated. */
export function kernelUse(node: LogicalNode, plan: LogicalPlan, context: RuleContext): KernelUse {
  const inputs = node.inputs.map((input) => entriesOf(nodeOf(plan, input)));
  return {
    ...plannedUse(node, plan, context),
    entries: { inputs, output: entriesOf(node) },
    isa: context.isa,
  };
}

/** Nanoseconds a row of one operator by its own kernel: what the operator says, else by the entries it touches. */
export function operatorNanos(node: LogicalNode, plan: LogicalPlan, context: RuleContext): number {
  const { operator } = node;
  if (operator === undefined || operator.annotations.alias) return 0;
  const use = kernelUse(node, plan, context);
  if (operator.cost !== undefined) return CALL_NANOS + operator.cost(use);
  const costs = operator.kernels?.filter((one) => one.canRun(use, node.type)).map((one) => one.cost(use, node.type));
  if (costs !== undefined && costs.length > 0) return CALL_NANOS + Math.min(...costs.map(worth));
  const read = node.inputs.map((id, at) => use.entries.inputs[at]! * readingNanos(nodeOf(plan, id).type));
  return CALL_NANOS + read.reduce((sum, nanos) => sum + nanos, ENTRY_NANOS * use.entries.output);
}

/** Nanoseconds for what lies around the stages of a plan with these inputs. */
export function rowNanos(inputs: readonly InputPort[]): number {
  const read = inputs.filter((port) => !port.unused);
  const numbers = read.reduce((sum, { type }) => sum + (isText(type) ? 0 : sizeOf(type)), 0);
  return ROW_NANOS + INPUT_NANOS * read.length + NUMBER_NANOS * numbers;
}

/** One number for a cost: half of the rows come alone, half in batches. */
export const worth = ({ single, batch }: KernelCost) => (single + batch) / 2;

/** The same where the stage runs in JavaScript. */
export const inJavaScript = (nanos: number) => nanos * JAVASCRIPT_FACTOR;
