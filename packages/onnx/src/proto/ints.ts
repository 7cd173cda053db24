import { onnxError } from '../errors.js';

/** An integer of a file as a number. `at` names its place for the error. @throws ERR_ONNX_ATTRIBUTE beyond 2^53. */
export function toNumber(value: bigint, at: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) {
    throw onnxError('ERR_ONNX_ATTRIBUTE', { expected: 'an integer below 2^53', received: `${value}`, at });
  }
  return number;
}
