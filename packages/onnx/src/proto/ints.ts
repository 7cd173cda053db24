import { onnxError } from '../errors.js';

/** An integer of a file as a number. `at` names its place for the error. @throws ERR_ONNX_ATTRIBUTE beyond 2^53. */
export function toNumber(value: bigint, at: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) {
    throw onnxError('ERR_ONNX_ATTRIBUTE', { expected: 'an integer below 2^53', received: `${value}`, at });
  }
  return number;
}

/** `ints` of a file as numbers. `at` names their place for the error. @throws ERR_ONNX_ATTRIBUTE beyond 2^53. */
export function toNumbers(values: BigInt64Array, at: string): number[] {
  return Array.from(values, (value) => toNumber(value, at));
}
