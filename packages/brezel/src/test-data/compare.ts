import { smallFloats, type Tensor, type TensorValue } from '@brezel/core';

/** How far a float may be from the expected one: `|got - want| <= atol + rtol * |want|`. */
export interface Tolerance {
  readonly rtol: number;
  readonly atol: number;
}

/** What came out where a tensor was expected. Answers by rows have no element type of their own. */
export interface Received {
  readonly element?: Tensor['element'] | undefined;
  readonly shape: readonly number[];
  readonly data: ArrayLike<number | bigint | string>;
}

/** How two values compare. */
export interface Comparison {
  readonly agrees: boolean;
  /** The greatest distance of two numbers, as far as it was looked at. */
  readonly largestDifference: number;
  /** Of what does not agree: what and where. */
  readonly difference?: string;
}

const floats: ReadonlySet<string> = new Set(['float32', 'float64', 'float16', 'bfloat16', ...smallFloats]);

/** Compares floats within the tolerance (NaN equals NaN, infinities by their sign), all else exactly; shapes exactly. */
export function compareTensor(got: Received, want: Tensor, tolerance: Tolerance): Comparison {
  if (got.element !== undefined && got.element !== want.element)
    return differs(`element type ${got.element} instead of ${want.element}`);
  if (got.shape.length !== want.shape.length || got.shape.some((size, axis) => size !== want.shape[axis]))
    return differs(`shape [${got.shape}] instead of [${want.shape}]`);
  const isFloat = floats.has(want.element);
  let largestDifference = 0;
  let difference: string | undefined;
  for (let at = 0; at < want.data.length; at++) {
    const [one, other] = [got.data[at]!, want.data[at]!];
    if (one === other) continue;
    const distance = isFloat ? floatDistance(Number(one), Number(other)) : exactDistance(one, other);
    largestDifference = Math.max(largestDifference, distance);
    const allowed = isFloat ? tolerance.atol + tolerance.rtol * Math.abs(Number(other)) : 0;
    if (distance === 0 || (distance <= allowed && Number.isFinite(distance))) continue;
    difference ??= `${shown(one)} instead of ${shown(other)} at [${place(at, want.shape)}]`;
  }
  return { agrees: difference === undefined, largestDifference, ...(difference !== undefined && { difference }) };
}

/** Compares tensors, or sequences of them, or that both are absent. */
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
  const each = got.tensors.map((tensor, at) => compareTensor(tensor, want.tensors[at]!, tolerance));
  const largestDifference = Math.max(0, ...each.map((one) => one.largestDifference));
  const wrong = each.findIndex(({ agrees }) => !agrees);
  if (wrong < 0) return { agrees: true, largestDifference };
  return { agrees: false, largestDifference, difference: `tensor ${wrong}: ${each[wrong]!.difference}` };
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

/** Numbers of rows come as number or as bigint; a text is another or it is not. */
function exactDistance(got: number | bigint | string, want: number | bigint | string): number {
  if (String(got) === String(want)) return 0;
  const distance = Math.abs(Number(got) - Number(want));
  return distance > 0 ? distance : Number.POSITIVE_INFINITY;
}

const shown = (value: number | bigint | string) => (typeof value === 'string' ? JSON.stringify(value) : `${value}`);

/** The indices of a flat place. */
function place(flat: number, shape: readonly number[]): number[] {
  const indices: number[] = [];
  let rest = flat;
  for (const size of shape.toReversed()) {
    indices.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return indices;
}
