import {
  type Block,
  dense,
  dtypeOf,
  type NumericDType,
  numericArray,
  sizeOf,
  strings,
  type ValueType,
} from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import type { LogicalPlan } from '@brezel/oven';
import fc from 'fast-check';
import { seed } from '../../../testing/seed.js';

type Values = readonly (number | bigint | string)[];

/**
 * Runs a plan with the reference implementation of each operator. Returns the rows of each output.
 */
export function runPlan(plan: LogicalPlan, inputs: ReadonlyMap<string, Block>, store: ObjectStore): Values[][] {
  const nodes = new Map(plan.nodes.map((node) => [node.id, node]));
  const values = new Map<number, Block>();
  const rows = [...inputs.values()][0]!.rows;
  for (const { id, operator, name, inputs: from, type, attributes, parameters } of plan.nodes) {
    const block = operator?.reference({
      rows,
      inputs: from.map((input) => values.get(input)!),
      inputTypes: from.map((input) => nodes.get(input)!.type),
      type,
      attributes,
      parameters: Object.fromEntries(Object.entries(parameters).map(([key, value]) => [key, store.get(value)])),
    });
    values.set(id, block ?? inputs.get(name!)!);
  }
  return plan.outputs.map(({ node }) => Array.from({ length: rows }, (_, row) => rowOf(values.get(node)!, row)));
}

/** One row of a block as a list. Sparse and dense rows of equal numbers give equal lists. */
function rowOf(block: Block, row: number): Values {
  if (block.kind === 'tokens') return block.values[row]!;
  if (block.kind === 'strings') return block.values.slice(row * block.size, (row + 1) * block.size);
  if (block.kind === 'dense')
    return Array.from(block.values.subarray(row * block.size, (row + 1) * block.size) as Float32Array);
  if (block.kind !== 'sparse') throw new Error(`the rules' programs have no ${block.kind}`);
  const list = new Array<number>(block.size).fill(0);
  for (let at = block.offsets[row]!; at < block.offsets[row + 1]!; at++) list[block.ids[at]!] = block.values[at]!;
  return list;
}

const ROWS = 24;
const words = fc.constantFrom('good', 'bad', 'not', 'Go', 'é', '42', '');
const texts = fc.array(words, { maxLength: 6 }).map((list) => list.join(' '));
const finite = fc.float({ min: -8, max: 8, noNaN: true });

/**
 * Draws rows for the inputs of a plan. Rules that regroup sums get finite numbers only: an infinite
 * term makes NaN in one order of a sum and not in another.
 */
export function drawInputs(plan: LogicalPlan, isExact: boolean): Map<string, Block> {
  const numbers = isExact ? fc.oneof(finite, fc.float()) : finite;
  const inputs = plan.nodes.filter((node) => node.operator === undefined);
  return new Map(inputs.map(({ name, type }, index) => [name!, drawBlock(type, numbers, seed + index)]));
}

function drawBlock(type: ValueType, numbers: fc.Arbitrary<number>, seed: number): Block {
  const size = sizeOf(type);
  const draw = <T>(one: fc.Arbitrary<T>) => fc.sample(one, { seed, numRuns: ROWS * size });
  if (dtypeOf(type) === 'string') return strings(ROWS, size, draw(texts));
  const dtype = dtypeOf(type) as NumericDType;
  const integers = fc.integer({ min: -8, max: 8 });
  const values = numericArray(dtype, ROWS * size);
  const drawn = dtype.startsWith('float')
    ? draw(numbers)
    : draw(integers).map((value) => (dtype === 'int64' ? BigInt(value) : value));
  drawn.forEach((value, at) => {
    values[at] = value as never;
  });
  return dense(dtype, ROWS, size, values);
}

/**
 * Returns a text about the first difference between two answers, or undefined. If `isExact`,
 * numbers must be identical. Otherwise they may differ by 1e-5 (relative to the expected number if
 * that is larger than 1), because a rule may regroup the terms of a sum.
 */
export function firstDifference(got: Values[][], want: Values[][], isExact: boolean): string | undefined {
  for (const [output, rows] of want.entries())
    for (const [row, values] of rows.entries()) {
      const other = got[output]![row]!;
      const same = other.length === values.length && values.every((value, at) => isEqual(other[at], value, isExact));
      if (!same)
        return `output ${output}, row ${row}: [${other.join(', ')}] after the rule, [${values.join(', ')}] before`;
    }
  return undefined;
}

const isEqual = (got: unknown, want: unknown, isExact: boolean) =>
  Object.is(got, want) ||
  (!isExact && Math.abs(Number(got) - Number(want)) <= 1e-5 * Math.max(1, Math.abs(Number(want))));
