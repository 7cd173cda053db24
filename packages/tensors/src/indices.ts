import type { TensorCall } from './define.js';
import { tensorInput } from './inputs.js';
import type { NumericTensor } from './tensor.js';

export type Indices = NumericTensor<'int64'> | NumericTensor<'int32'>;

/** Input `index` as a tensor of indices. */
export const indicesInput = (call: TensorCall, index: number): Indices => tensorInput(call, index, ['int64', 'int32']);

/** An index into an axis, counted from the front: negative ones count from the back. @throws a fault where there is no such entry. */
export function normalizeIndex(index: number | bigint, size: number, call: TensorCall): number {
  const given = Number(index);
  const counted = given < 0 ? given + size : given;
  if (counted >= 0 && counted < size) return counted;
  throw call.fault(`index ${index} of ${size} entries`, 'an index lies in [-size, size - 1]');
}
