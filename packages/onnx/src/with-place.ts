import { BrezelError } from '@brezel/core';
import { onnxError } from './errors.js';

/**
 * Calls a conversion, and adds the name of the node to errors that Flour throws about sizes and
 * types.
 */
export function withPlace<T>(at: string, convert: () => T): T {
  try {
    return convert();
  } catch (cause) {
    if (cause instanceof RangeError) throw onnxError('ERR_ONNX_SHAPE', { received: cause.message, at, cause });
    if (!(cause instanceof BrezelError) || cause.code.startsWith('ERR_ONNX')) throw cause;
    if (cause.code === 'ERR_FLOUR_WEIGHT') {
      const { expected, received, at: where } = cause.details;
      throw onnxError('ERR_ONNX_WEIGHT', { expected: expected!, received: received!, at: `${at}, ${where}`, cause });
    }
    throw onnxError('ERR_ONNX_SHAPE', { received: cause.message, at, hint: cause.hint, cause });
  }
}
