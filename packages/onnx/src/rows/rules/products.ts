import { parseEquation } from '@brezel/tensors';
import type { BatchRule, RuleUse, Seen } from '../rule.js';
import { type Batch, product } from '../value.js';
import { elementwise } from './elementwise.js';

/**
 * Batch rule for MatMul. The last two axes contain the matrices; the axes before them are
 * broadcast. A tensor with one axis is a row as left operand and a column as right operand.
 */
const matMul: BatchRule = (use) => {
  const [a, b] = operands(use);
  const left = a.dims.length === 1 ? [1, ...a.dims] : a.dims;
  const right = b.dims.length === 1 ? [...b.dims, 1] : b.dims;
  const rank = Math.max(left.length, right.length);
  const lead = (dims: readonly number[]) => rank - dims.length;
  const places = [
    a.batch && { ...a.batch, axis: a.batch.axis + (a.dims.length === 1 ? 1 : 0) + lead(left) },
    b.batch && { ...b.batch, axis: b.batch.axis + lead(right) },
  ] as const;
  if (places[0]?.axis === rank - 1 || places[1]?.axis === rank - 2) throw use.mixes('it sums over rows');
  const batch = stackedBatch(use, places, [left, right], rank);
  // Removes the axis that was added for a vector.
  return a.dims.length === 1 && batch.axis === rank - 1 ? { ...batch, axis: rank - 2 } : batch;
};

/**
 * Returns the layout of the rows if their axis is before the axes of the matrices. If both operands
 * depend on the row, it must be the same axis.
 */
function stackedBatch(
  use: RuleUse,
  [a, b]: readonly [Batch | undefined, Batch | undefined],
  dims: readonly [readonly number[], readonly number[]],
  rank: number,
): Batch {
  const batch = (a ?? b)!;
  const inFront = batch.axis < rank - 2;
  if (a !== undefined && b !== undefined) {
    const same = a.axis === b.axis && a.before === b.before && a.after === b.after;
    if (!same || !inFront) throw use.mixes('rows of one operand meet rows of the other');
    return batch;
  }
  const other = dims[a === undefined ? 0 : 1];
  if (inFront && (other.at(batch.axis - rank) ?? 1) !== 1) throw use.mixes('matrices along the axis of the rows');
  return batch;
}

function operands(use: RuleUse): [Seen, Seen] {
  const [a, b, ...others] = use.inputs;
  if (a === undefined || b === undefined || a.dims.length === 0 || b.dims.length === 0) throw use.mixes('no matrices');
  if (others.some((other) => other?.batch !== undefined)) throw use.mixes('another input than its matrices has rows');
  return [a, b];
}

/**
 * Batch rule for QLinearMatMul. A, B and the result each have a scale and a zero point, which must
 * not depend on the row.
 */
const qLinearMatMul: BatchRule = (use) => {
  const [a, aScale, aZero, b, bScale, bZero, yScale, yZero] = use.inputs;
  const others = [aScale, aZero, bScale, bZero, yScale, yZero];
  if (others.some((other) => other?.batch !== undefined)) throw use.mixes('scales of a row');
  if ([aScale, aZero, yScale, yZero].some((other) => other !== undefined && product(other.dims) !== 1))
    throw use.mixes('a scale for each row of a matrix');
  return matMul({ ...use, inputs: [a, b] });
};

const gemm: BatchRule = (use) => {
  const [a, b, c] = use.inputs;
  const axes = ([seen, flag]: readonly [Seen | undefined, string]) =>
    seen?.batch && { ...seen.batch, axis: use.attributes.int(flag, 0) === 0 ? seen.batch.axis : 1 - seen.batch.axis };
  const left = axes([a, 'transA']);
  const right = axes([b, 'transB']);
  if (left?.axis === 1 || right?.axis === 0) throw use.mixes('it sums over rows');
  if (left !== undefined && right !== undefined) throw use.mixes('rows of one operand meet rows of the other');
  const batch = left ?? right;
  if (batch === undefined) throw use.mixes('only what is added has rows');
  if (c === undefined) return batch;
  // The addend is broadcast to the shape of the product.
  const product: Seen = { dims: [2, 2], batch, constant: undefined, byRows: undefined };
  return elementwise({ ...use, inputs: [product, c] });
};

/**
 * Batch rule for Einsum. The rows must have the same label in every input that depends on the row,
 * and in the result.
 */
const einsum: BatchRule = (use) => {
  const equation = use.attributes.string('equation');
  const ranks = use.inputs.map((input) => input?.dims.length ?? 0);
  const { operands, result } = parseEquation(equation, ranks, { fault: (received) => use.mixes(received) });
  const rows = use.inputs.flatMap((input, at) =>
    input?.batch === undefined ? [] : [{ label: operands[at]![input.batch.axis]!, batch: input.batch }],
  );
  const [{ label, batch }] = rows as [{ label: string; batch: Batch }];
  const alike = rows.every(
    (row) => row.label === label && row.batch.before === batch.before && row.batch.after === batch.after,
  );
  const elsewhere = use.inputs.some((input, at) => {
    const times = operands[at]!.filter((other) => other === label).length;
    return times !== (input?.batch === undefined ? 0 : 1);
  });
  const axis = result.indexOf(label);
  if (!alike || elsewhere || axis < 0) throw use.mixes(`rows in the equation ${equation}`);
  return { ...batch, axis };
};

/**
 * Batch rule for CDist, which computes the distances between each row of one operand and each row
 * of the other operand. One operand must be a constant.
 */
const distances: BatchRule = (use) => {
  const [a, b] = operands(use);
  const batch = (a.batch ?? b.batch)!;
  if (a.batch !== undefined && b.batch !== undefined) throw use.mixes('rows of one operand meet rows of the other');
  if (batch.axis !== 0) throw use.mixes('it sums over rows');
  return { ...batch, axis: a.batch === undefined ? 1 : 0 };
};

/** Batch rules of the operators of com.microsoft that are not elementwise. */
export const distanceRules: Readonly<Record<string, BatchRule>> = { CDist: distances };

export const productRules: Readonly<Record<string, BatchRule>> = {
  MatMul: matMul,
  MatMulInteger: matMul,
  QLinearMatMul: qLinearMatMul,
  Gemm: gemm,
  Einsum: einsum,
};
