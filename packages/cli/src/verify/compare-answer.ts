import { type DType, dtypeOf, type OutputPort, type ValueType } from '@brezel/core';
import type { Answer } from '@brezel/runtime';
import type { Tolerance } from 'brezel';
import { decodeValue, encodeValue } from '../rows/rows.js';

/** The first difference in one output of one answer. `expected` and `received` are JSON texts. */
export interface AnswerDifference {
  /**
   * The name of the output, followed by the index or key of the value in a list or a map:
   * `probabilities[1]`.
   */
  readonly output: string;
  readonly expected: string;
  readonly received: string;
}

/**
 * Compares the expected outputs of a row with the answer. Returns the first difference of each
 * output. Floats are equal within the tolerance, and NaN equals NaN. All other values must be
 * equal.
 */
export function compareAnswer(
  outputs: readonly OutputPort[],
  expected: Readonly<Record<string, unknown>>,
  answer: Answer,
  tolerance: Tolerance,
): AnswerDifference[] {
  return outputs.flatMap(({ name, type }) => {
    const difference = compareValue(expected[name], answer[name], type, tolerance);
    return difference === undefined ? [] : [{ ...difference, output: `${name}${difference.output}` }];
  });
}

/**
 * Returns the first difference of two values. Its `output` is the path from the whole value to the
 * differing part, such as `[1]`.
 */
function compareValue(
  expected: unknown,
  received: unknown,
  type: ValueType,
  tolerance: Tolerance,
): AnswerDifference | undefined {
  const whole = () => ({
    output: '',
    expected: JSON.stringify(expected, specialNumbers) ?? 'nothing',
    received: encoded(received, type),
  });
  if (Array.isArray(received)) {
    if (!Array.isArray(expected) || expected.length !== received.length) return whole();
    return firstOf(received.keys(), (index) => compareValue(expected[index], received[index], type, tolerance));
  }
  if (isRecord(received)) {
    if (!isRecord(expected) || Object.keys(expected).length !== Object.keys(received).length) return whole();
    return firstOf(Object.keys(received), (key) => compareValue(expected[key], received[key], type, tolerance));
  }
  return elementAgrees(decodeValue(expected, dtypeOf(type)), received, dtypeOf(type), tolerance) ? undefined : whole();
}

/**
 * Compares the items of a list or an object by key, and returns the first difference. The path in
 * `output` then starts with the key of the item.
 */
function firstOf<K extends string | number>(
  keys: Iterable<K>,
  compare: (key: K) => AnswerDifference | undefined,
): AnswerDifference | undefined {
  for (const key of keys) {
    const difference = compare(key);
    if (difference !== undefined) return { ...difference, output: `[${JSON.stringify(key)}]${difference.output}` };
  }
  return undefined;
}

function elementAgrees(expected: unknown, received: unknown, dtype: DType, { rtol, atol }: Tolerance): boolean {
  if (dtype !== 'float32' && dtype !== 'float64') {
    const isInteger = (value: unknown) => typeof value === 'bigint' || typeof value === 'number';
    return isInteger(expected) && isInteger(received) ? String(expected) === String(received) : expected === received;
  }
  if (typeof expected !== 'number') return false;
  // predict prints a float32 as its shortest decimal
  const want = dtype === 'float32' ? Math.fround(expected) : expected;
  const got = Number(received);
  if (got === want || (Number.isNaN(got) && Number.isNaN(want))) return true;
  return Number.isFinite(got) && Number.isFinite(want) && Math.abs(got - want) <= atol + rtol * Math.abs(want);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const encoded = (value: unknown, type: ValueType) => encodeValue(value as Answer[string], type);

/** Converts the numbers that JSON cannot represent to strings, as `brezel predict` does. */
const specialNumbers = (_: string, value: unknown) =>
  typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value)) ? `${value}` : value;
