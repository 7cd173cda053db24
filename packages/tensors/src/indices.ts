import type { TensorCall } from './define.js';
import { tensorInput } from './inputs.js';
import type { NumericTensor } from './tensor.js';

export type Indices = NumericTensor<'int64'> | NumericTensor<'int32'>;

/** Returns input `index` as a tensor of indices. */
export const indicesInput = (call: TensorCall, index: number): Indices => tensorInput(call, index, ['int64', 'int32']);

/**
 * Converts a negative index of an axis to one counted from the front.
 *
 * @throws a fault for an index out of range.
 */
export function normalizeIndex(index: number | bigint, size: number, call: TensorCall): number {
  const given = Number(index);
  const counted = given < 0 ? given + size : given;
  if (counted >= 0 && counted < size) return counted;
  throw call.fault(
    `index ${index} of ${size} entries`,
    size === 0 ? 'no index, because the axis is empty' : `an index in [-${size}, ${size - 1}]`,
  );
}

/**
 * Describes the valid indexes of `count` items, for error messages: `classes from 0 to 2`.
 */
export const indexesOf = (what: string, count: number, items: string): string =>
  count === 0 ? `no ${what}, because there are no ${items}` : `${what} from 0 to ${count - 1}`;
