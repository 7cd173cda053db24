import { dtypeOf, type StepQuality, sizeOf } from '@brezel/core';
import { type AffineMap, numbersOf, type PlannedUse, type QualityUse } from '../../define-op.js';
import { passesElements } from '../../quality.js';
import type { Side } from './operands.js';
import type { Operation } from './reference.js';

/**
 * Returns the constant operand of a use. Returns undefined if both operands are flows, or if the
 * result is larger than the input.
 */
function constantOf(use: PlannedUse): Float32Array | undefined {
  const [input, other] = use.inputs;
  if (other !== undefined || use.parameters.operand === undefined || sizeOf(input!) !== sizeOf(use.type))
    return undefined;
  return numbersOf(use.parameter('operand')) as Float32Array;
}

/**
 * Returns whether the result equals the input for every `x`, as in `x + -0`, `x - 0`, `x * 1` and
 * `x / 1`. `x + 0` is different: it turns -0 into 0.
 */
export function identity(use: PlannedUse): boolean {
  const { operation, side } = use.attributes as { operation: Operation; side: Side };
  const neutral: Readonly<Partial<Record<Operation, number>>> = { add: -0, subtract: 0, multiply: 1, divide: 1 };
  if (neutral[operation] === undefined) return false;
  const either = operation === 'add' || operation === 'multiply';
  if (side !== 'right' && !either) return false;
  return constantOf(use)?.every((value) => Object.is(Number(value), neutral[operation])) === true;
}

/**
 * Returns the affine map of a use with a float32 constant. Returns undefined for other types,
 * because the operators into which rules fold the map compute in float32.
 */
export function affine(use: PlannedUse): AffineMap | undefined {
  const { operation, side } = use.attributes as { operation: Operation; side: Side };
  const constant = dtypeOf(use.type) === 'float32' ? constantOf(use) : undefined;
  if (constant === undefined) return undefined;
  return mapOf(operation, side, Float64Array.from(constant));
}

/**
 * Returns the affine map of an operation with constants. Returns undefined if the operation is not
 * affine.
 */
export function mapOf(operation: string, side: string, constants: Float64Array): AffineMap | undefined {
  const all = (value: number) => new Float64Array(constants.length).fill(value);
  switch (operation) {
    case 'add':
      return { scale: all(1), offset: constants };
    case 'subtract':
      return side === 'left'
        ? { scale: all(-1), offset: constants }
        : { scale: all(1), offset: constants.map((c) => -c) };
    case 'multiply':
      return { scale: constants, offset: all(0) };
    case 'divide':
      return side === 'left' ? undefined : { scale: constants.map((c) => 1 / c), offset: all(0) };
    default:
      return undefined;
  }
}

/**
 * Returns the affine map that a use with a constant operand applies to its input, for the counters
 * of data quality. Returns undefined for other uses.
 */
export function quality(use: QualityUse): StepQuality | undefined {
  const { operation, side } = use.attributes as { operation: Operation; side: Side };
  const passed = passesElements(use);
  if (side === 'none' || use.inputs.length > 1 || passed === undefined) return undefined;
  const map = affine({ ...use, parameters: { operand: { dtype: dtypeOf(use.type), shape: [] } } });
  if (map === undefined) return undefined;
  const size = sizeOf(use.type);
  const all = (values: Float64Array) => (values.length === size ? values : new Float64Array(size).fill(values[0]!));
  const isFactor = operation === 'multiply' || operation === 'divide';
  return {
    ...passed,
    affine: { scale: all(map.scale), offset: all(map.offset) },
    scaling: isFactor ? 'factor' : 'offset',
  };
}
