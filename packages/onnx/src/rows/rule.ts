import type { OnnxAttributes, OnnxConstant } from '@brezel/flour';
import type { Batch, ConstantValue } from './value.js';

/** The properties of an input that rules read. */
export interface Seen {
  /** The shape of the input for one row. */
  readonly dims: readonly number[];
  /** The position of the rows; undefined if the input is the same for any number of rows. */
  readonly batch: Batch | undefined;
  readonly constant: OnnxConstant | undefined;
  /** The values of a constant for several numbers of rows, if it depends on that number. */
  readonly byRows: ConstantValue['byRows'];
}

/** A node with at least one input that differs between rows. */
export interface RuleUse {
  readonly operator: string;
  readonly opset: number;
  readonly attributes: OnnxAttributes;
  readonly inputs: readonly (Seen | undefined)[];
  /**
   * Returns input `index` as integers, which must not depend on rows. Returns undefined if the
   * input is omitted.
   */
  ints(index: number): number[] | undefined;
  /** Returns the error with the reason why rows cannot be separated. */
  mixes(why: string): Error;
}

/**
 * Returns the layout of the rows in the outputs of a node: one batch for all outputs, or one for
 * each output. Throws `use.mixes` if the node mixes rows.
 */
export type BatchRule = (use: RuleUse) => Batch | readonly Batch[];

/** Returns an axis counted from the front. */
export function axisOf(use: RuleUse, axis: number, rank: number): number {
  const counted = axis < 0 ? axis + rank : axis;
  if (Number.isInteger(axis) && counted >= 0 && counted < rank) return counted;
  throw use.mixes(`axis ${axis} of ${rank} axes`);
}

/** Returns input 0, which must be the only input with rows. */
export function onlyRow(use: RuleUse): Seen & { readonly batch: Batch } {
  const [first, ...others] = use.inputs;
  if (first?.batch === undefined) throw use.mixes('its data is constant');
  if (others.some((other) => other?.batch !== undefined)) throw use.mixes('another input than its data has rows');
  return first as Seen & { batch: Batch };
}

/**
 * Returns the position of the rows unchanged. Throws if the operator works along the axis of the
 * rows.
 */
export function besides(use: RuleUse, { dims, batch }: Seen & { batch: Batch }, axes: readonly number[]): Batch {
  const works = axes.map((axis) => axisOf(use, axis, dims.length));
  if (works.includes(batch.axis)) throw use.mixes(`it works along axis ${batch.axis}, where the rows are`);
  return batch;
}

/** Returns the position of the rows after `by` axes were added in front (removed if negative). */
export const shifted = (batch: Batch, by: number): Batch => ({ ...batch, axis: batch.axis + by });

/**
 * Returns a list of integers that is an attribute in older operator sets and an input in later
 * sets.
 */
export const intsOption = (use: RuleUse, name: string, index: number): number[] | undefined =>
  use.attributes.has(name) ? use.attributes.places(name) : use.ints(index);
