import type { OnnxAttributes, OnnxConstant } from '@brezel/flour';
import type { Batch, ConstantValue } from './value.js';

/** The properties of an input of a node that a batch rule may read. */
export interface Seen {
  /** The shape of the input for one row. */
  readonly dims: readonly number[];
  /**
   * The layout of the rows in the input. Undefined if the input is the same for any number of rows.
   */
  readonly batch: Batch | undefined;
  readonly constant: OnnxConstant | undefined;
  /**
   * If the input is a constant that depends on the number of rows, its value for each number in
   * `ROW_COUNTS`.
   */
  readonly byRows: ConstantValue['byRows'];
}

/**
 * The properties of a node that a batch rule may read. At least one input of the node depends on
 * the row.
 */
export interface RuleUse {
  readonly operator: string;
  readonly opset: number;
  readonly attributes: OnnxAttributes;
  readonly inputs: readonly (Seen | undefined)[];
  /**
   * Returns the integers in input `index`. Throws if the input depends on the row. Returns
   * undefined if the node omits the input.
   */
  ints(index: number): number[] | undefined;
  /** Returns the error for a node that mixes rows. `why` says how it mixes rows. */
  mixes(why: string): Error;
}

/**
 * A function that returns the layout of the rows in the outputs of a node: one `Batch` for all
 * outputs, or a list with one for each output. Throws `use.mixes` if the node mixes rows.
 */
export type BatchRule = (use: RuleUse) => Batch | readonly Batch[];

/**
 * Converts a negative axis, which counts from the last axis, to a positive one. Throws if the axis
 * does not exist.
 */
export function axisOf(use: RuleUse, axis: number, rank: number): number {
  const counted = axis < 0 ? axis + rank : axis;
  if (Number.isInteger(axis) && counted >= 0 && counted < rank) return counted;
  throw use.mixes(`axis ${axis} of ${rank} axes`);
}

/** Returns input 0. Throws if it does not depend on the row, or if another input does. */
export function onlyRow(use: RuleUse): Seen & { readonly batch: Batch } {
  const [first, ...others] = use.inputs;
  if (first?.batch === undefined) throw use.mixes('its data is constant');
  if (others.some((other) => other?.batch !== undefined)) throw use.mixes('another input than its data has rows');
  return first as Seen & { batch: Batch };
}

/**
 * Returns the layout of the rows unchanged. Throws if one of `axes`, along which the operator
 * works, counts the rows.
 */
export function besides(use: RuleUse, { dims, batch }: Seen & { batch: Batch }, axes: readonly number[]): Batch {
  const works = axes.map((axis) => axisOf(use, axis, dims.length));
  if (works.includes(batch.axis)) throw use.mixes(`it works along axis ${batch.axis}, where the rows are`);
  return batch;
}

/**
 * Returns the layout of the rows after the operator has added `by` axes before the axis that counts
 * the rows, or has removed axes if `by` is negative.
 */
export const shifted = (batch: Batch, by: number): Batch => ({ ...batch, axis: batch.axis + by });

/**
 * Returns a list of integers. Older operator sets store the list in the attribute `name`, newer
 * operator sets in the input `index`.
 */
export const intsOption = (use: RuleUse, name: string, index: number): number[] | undefined =>
  use.attributes.has(name) ? use.attributes.places(name) : use.ints(index);
