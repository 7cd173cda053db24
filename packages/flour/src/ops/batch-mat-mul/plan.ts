import type { Attributes } from '@brezel/core';
import { shown } from '../../custom/row-values.js';
import { flourError } from '../../errors.js';

/**
 * Describes the matrices to multiply. Each batch multiplies a row-major matrix `[rows, inner]` by a
 * row-major matrix `[inner, columns]`.
 */
export interface MatrixBatches {
  /** Sizes of the batch axes. Empty for a single product. */
  readonly batches: readonly number[];
  /**
   * For each batch axis: how many matrices the left operand advances from one batch to the next
   * along this axis. 0 uses the same matrix again. `right` has the same meaning for the right
   * operand.
   */
  readonly left: readonly number[];
  readonly right: readonly number[];
  readonly rows: number;
  readonly inner: number;
  readonly columns: number;
}

const at = 'batch-mat-mul';
const MOST = 2 ** 24;

/**
 * Reads the description of the matrices from the attributes of `batch-mat-mul`.
 *
 * @throws ERR_FLOUR_PARAM for invalid attributes.
 */
export function readBatches(attributes: Attributes): MatrixBatches {
  const whole = (name: string, value: unknown, least: number): number => {
    if (Number.isInteger(value) && (value as number) >= least && (value as number) <= MOST) return value as number;
    throw flourError('ERR_FLOUR_PARAM', { expected: `${name} from ${least} to ${MOST}`, received: shown(value), at });
  };
  const list = (name: 'batches' | 'left' | 'right', least: number): number[] => {
    const values = attributes[name];
    if (Array.isArray(values)) return values.map((value) => whole(name, value, least));
    throw flourError('ERR_FLOUR_PARAM', { expected: `a list as ${name}`, received: shown(values), at });
  };
  const [batches, left, right] = [list('batches', 1), list('left', 0), list('right', 0)];
  if (left.length !== batches.length || right.length !== batches.length)
    throw flourError('ERR_FLOUR_PARAM', {
      expected: `a step for each of ${batches.length} axes`,
      received: `${left.length} and ${right.length}`,
      at,
    });
  const size = (name: 'rows' | 'inner' | 'columns') => whole(name, attributes[name], 1);
  return { batches, left, right, rows: size('rows'), inner: size('inner'), columns: size('columns') };
}

const product = (sizes: readonly number[]) => sizes.reduce((all, size) => all * size, 1);

export const batchCount = ({ batches }: MatrixBatches): number => product(batches);

/** Returns how many multiplications of numbers one row needs. */
export const multiplications = (plan: MatrixBatches): number =>
  batchCount(plan) * plan.rows * plan.inner * plan.columns;

/**
 * Returns the index of the matrix that an operand contributes to product number `batch`. `steps` is
 * `left` or `right` of the plan.
 */
export function matrixOf({ batches }: MatrixBatches, steps: readonly number[], batch: number): number {
  let [place, left] = [0, batch];
  for (let axis = batches.length - 1; axis >= 0; axis--) {
    place += (left % batches[axis]!) * steps[axis]!;
    left = Math.floor(left / batches[axis]!);
  }
  return place;
}

/** Returns the smallest number of matrices that an operand must have. */
export const matricesOf = ({ batches }: MatrixBatches, steps: readonly number[]): number =>
  1 + batches.reduce((last, size, axis) => last + (size - 1) * steps[axis]!, 0);
