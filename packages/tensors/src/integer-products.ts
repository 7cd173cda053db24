import { indexMapOf } from './broadcast.js';
import type { OperatorSteps, TensorCall } from './define.js';
import { computedSteps, optionalInput, tensorInput } from './inputs.js';
import { checkBroadcast, type Shape } from './shapes.js';
import type { NumericTensor } from './tensor.js';

export const bytes = ['int8', 'uint8'] as const;

/**
 * Subtracts zero points from small integers, in int32. `zeroShape` returns the shape in which the
 * zero points are broadcast.
 */
export function* lessZero(
  call: TensorCall,
  index: number,
  zeroIndex: number,
  zeroShape: (zero: Shape, input: Shape) => Shape,
): OperatorSteps<NumericTensor<'int32'>> {
  const input = tensorInput(call, index, bytes);
  const zero = optionalInput(call, zeroIndex, [input.element]);
  if (zero === undefined)
    return (yield* computedSteps(call, 'int32', input.shape, (at) => input.data[at]!)) as NumericTensor<'int32'>;
  const from = zeroShape(zero.shape, input.shape);
  checkBroadcast(from, input.shape, call);
  const indexAt = indexMapOf(from, input.shape, call);
  const shiftedAt = (at: number) => input.data[at]! - zero.data[indexAt(at)]!;
  const shifted = yield* computedSteps(call, 'int32', input.shape, shiftedAt);
  return shifted as NumericTensor<'int32'>;
}

/**
 * Returns the shape in which zero points are broadcast: one number for the whole matrix, or one per
 * row.
 */
export const perRow = (shape: Shape): Shape => (shape.length === 1 && shape[0] !== 1 ? [...shape, 1] : shape);

/** Returns the broadcast shape of zero points: one for the whole matrix, or one per column. */
export const perColumn = (shape: Shape): Shape => shape;

/**
 * Returns the broadcast shape of zero points: one for all entries, or one per entry of the first
 * axis.
 */
export const perOutput = (zero: Shape, input: Shape): Shape =>
  zero.length === 1 && zero[0] !== 1 ? [zero[0]!, ...input.slice(1).map(() => 1)] : zero;
