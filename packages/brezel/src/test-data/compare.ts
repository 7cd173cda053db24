import { smallFloats, type Tensor, type TensorValue } from '@brezel/core';

/**
 * The maximal difference between a received and an expected float: `|got - want| <= atol + rtol *
 * |want|`.
 */
export interface Tolerance {
  readonly rtol: number;
  readonly atol: number;
}

/**
 * A received value that is compared with an expected tensor. Answers of row programs have no
 * element type.
 */
export interface Received {
  readonly element?: Tensor['element'] | undefined;
  readonly shape: readonly number[];
  readonly data: ArrayLike<number | bigint | string>;
}

/** The result of comparing two values. */
export interface Comparison {
  readonly agrees: boolean;
  /**
   * The largest difference between two numbers. Infinity if shapes or types differ, because then no
   * numbers are compared.
   */
  readonly largestDifference: number;
  /**
   * A message with the first difference: both values and their position, or both shapes or types.
   */
  readonly difference?: string;
}

const floats: ReadonlySet<string> = new Set(['float32', 'float64', 'float16', 'bfloat16', ...smallFloats]);

/**
 * Compares a tensor with the expected one. Floats must agree within the tolerance; other values and
 * shapes must be equal. NaN equals NaN, and infinities must have equal signs.
 */
export function compareTensor(got: Received, want: Tensor, tolerance: Tolerance): Comparison {
  if (got.element !== undefined && got.element !== want.element)
    return differs(`element type ${got.element} instead of ${want.element}`);
  if (got.shape.length !== want.shape.length || got.shape.some((size, axis) => size !== want.shape[axis]))
    return differs(`shape [${got.shape}] instead of [${want.shape}]`);
  const isFloat = floats.has(want.element);
  let largestDifference = 0;
  let difference: string | undefined;
  for (let index = 0; index < want.data.length; index++) {
    const [received, expected] = [got.data[index]!, want.data[index]!];
    if (received === expected) continue;
    const distance = isFloat ? floatDistance(Number(received), Number(expected)) : exactDistance(received, expected);
    largestDifference = Math.max(largestDifference, distance);
    const allowed = isFloat ? tolerance.atol + tolerance.rtol * Math.abs(Number(expected)) : 0;
    if (distance === 0 || (distance <= allowed && Number.isFinite(distance))) continue;
    difference ??= `${shown(received)} instead of ${shown(expected)} at [${indicesOf(index, want.shape)}]`;
  }
  return { agrees: difference === undefined, largestDifference, ...(difference !== undefined && { difference }) };
}

/** Compares tensors, sequences of tensors, or absent values. */
export function compareValues(
  got: TensorValue | undefined,
  want: TensorValue | undefined,
  tolerance: Tolerance,
): Comparison {
  if (got === undefined || want === undefined) {
    if (got === want) return { agrees: true, largestDifference: 0 };
    return differs(`${got === undefined ? 'nothing' : 'a value'} instead of ${want === undefined ? 'nothing' : 'one'}`);
  }
  if (got.element !== 'sequence' && want.element !== 'sequence') return compareTensor(got, want, tolerance);
  if (got.element !== 'sequence' || want.element !== 'sequence')
    return differs(`${got.element} instead of ${want.element}`);
  if (got.tensors.length !== want.tensors.length)
    return differs(`${got.tensors.length} tensors instead of ${want.tensors.length}`);
  const comparisons = got.tensors.map((tensor, index) => compareTensor(tensor, want.tensors[index]!, tolerance));
  const largestDifference = Math.max(0, ...comparisons.map((comparison) => comparison.largestDifference));
  const wrong = comparisons.findIndex(({ agrees }) => !agrees);
  if (wrong < 0) return { agrees: true, largestDifference };
  return { agrees: false, largestDifference, difference: `tensor ${wrong}: ${comparisons[wrong]!.difference}` };
}

export const differs = (difference: string): Comparison => ({
  agrees: false,
  largestDifference: Number.POSITIVE_INFINITY,
  difference,
});

function floatDistance(got: number, want: number): number {
  if (Object.is(got, want) || got === want) return 0;
  return Number.isNaN(got) || Number.isNaN(want) ? Number.POSITIVE_INFINITY : Math.abs(got - want);
}

/**
 * Returns the difference of two integers, or 0 for equal texts. For other texts, the result is
 * greater than 0.
 */
function exactDistance(got: number | bigint | string, want: number | bigint | string): number {
  if (String(got) === String(want)) return 0;
  const distance = Math.abs(Number(got) - Number(want));
  return distance > 0 ? distance : Number.POSITIVE_INFINITY;
}

const shown = (value: number | bigint | string) => (typeof value === 'string' ? JSON.stringify(value) : `${value}`);

/** Converts a flat index to one index for each axis. */
function indicesOf(flat: number, shape: readonly number[]): number[] {
  const indices: number[] = [];
  let rest = flat;
  for (const size of shape.toReversed()) {
    indices.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return indices;
}
