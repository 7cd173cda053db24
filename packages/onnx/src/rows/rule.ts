import type { OnnxAttributes, OnnxConstant } from '@brezel/flour';
import type { Batch, ConstantValue } from './value.js';

/** An input of a node, as rules see it. */
export interface Seen {
  /** Its shape for one row alone. */
  readonly dims: readonly number[];
  /** Undefined for what is the same for any number of rows. */
  readonly batch: Batch | undefined;
  readonly constant: OnnxConstant | undefined;
  /** What a constant is for each number of rows, where it depends on it. */
  readonly byRows: ConstantValue['byRows'];
}

/** A node of which some input is a value of the row. */
export interface RuleUse {
  readonly operator: string;
  readonly opset: number;
  readonly attributes: OnnxAttributes;
  readonly inputs: readonly (Seen | undefined)[];
  /** Input `index` as integers, which do not depend on rows; undefined where it is left out. */
  ints(index: number): number[] | undefined;
  /** An error that says why rows cannot be kept apart. */
  mixes(why: string): Error;
}

/**
 * Where the rows lie in the outputs of a node: one batch for all, or one an output. Throws
 * `use.mixes` where they cannot be kept apart.
 */
export type BatchRule = (use: RuleUse) => Batch | readonly Batch[];

/** An axis counted from the front. */
export function axisOf(use: RuleUse, axis: number, rank: number): number {
  const counted = axis < 0 ? axis + rank : axis;
  if (Number.isInteger(axis) && counted >= 0 && counted < rank) return counted;
  throw use.mixes(`axis ${axis} of ${rank} axes`);
}

/** Input 0 as the row value, the only one of the node. */
export function onlyRow(use: RuleUse): Seen & { readonly batch: Batch } {
  const [first, ...others] = use.inputs;
  if (first?.batch === undefined) throw use.mixes('its data is constant');
  if (others.some((other) => other?.batch !== undefined)) throw use.mixes('another input than its data has rows');
  return first as Seen & { batch: Batch };
}

/** The batch stays where it is, unless the operator works along it. */
export function besides(use: RuleUse, { dims, batch }: Seen & { batch: Batch }, axes: readonly number[]): Batch {
  const works = axes.map((axis) => axisOf(use, axis, dims.length));
  if (works.includes(batch.axis)) throw use.mixes(`it works along axis ${batch.axis}, where the rows are`);
  return batch;
}

/** The batch after axes in front of it were removed or added. */
export const shifted = (batch: Batch, by: number): Batch => ({ ...batch, axis: batch.axis + by });

/** An attribute that later operator sets made an input. */
export const intsOption = (use: RuleUse, name: string, index: number): number[] | undefined =>
  use.attributes.has(name) ? use.attributes.places(name) : use.ints(index);
