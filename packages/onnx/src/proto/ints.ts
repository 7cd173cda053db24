import { onnxError } from '../errors.js';

/**
 * Converts an integer of a file to a number. `at` names the integer in errors. Accepts integers
 * beyond 2^53 that float64 holds exactly, because exporters write the least int64 for a missing
 * value.
 * @throws ERR_ONNX_ATTRIBUTE if float64 cannot hold the integer.
 */
export function toNumber(value: bigint, at: string): number {
  const number = Number(value);
  if (BigInt(number) !== value) {
    throw onnxError('ERR_ONNX_ATTRIBUTE', { expected: 'an integer that is a double, too', received: `${value}`, at });
  }
  return number;
}
