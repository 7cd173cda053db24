import { onnxError } from '../errors.js';

/**
 * An integer of a file as a number. `at` names its place for the error. Beyond 2^53 some are
 * numbers, too: exporters write the least int64 for a missing value. @throws ERR_ONNX_ATTRIBUTE
 * where no number is equal to it.
 */
export function toNumber(value: bigint, at: string): number {
  const number = Number(value);
  if (BigInt(number) !== value) {
    throw onnxError('ERR_ONNX_ATTRIBUTE', { expected: 'an integer that is a double, too', received: `${value}`, at });
  }
  return number;
}
