import { onnxError } from '../errors.js';

/**
 * Converts a 64-bit integer of a file to a number. `at` is the name of the integer in errors.
 * Accepts integers beyond 2^53 that float64 represents exactly, because exporters write -2^63 for a
 * missing value.
 * @throws ERR_ONNX_ATTRIBUTE if float64 cannot represent the integer exactly.
 */
export function toNumber(value: bigint, at: string): number {
  const number = Number(value);
  if (BigInt(number) !== value) {
    throw onnxError('ERR_ONNX_ATTRIBUTE', { expected: 'an integer that is a double, too', received: `${value}`, at });
  }
  return number;
}
