import { runtimeError } from '../../errors.js';

/**
 * Checks that an out-array has room for one answer. Call this function before a prediction, and
 * again after the row is read, because a getter of the row may detach or shrink the array.
 *
 * @throws ERR_RUNTIME_OUTPUT
 */
export function checkOut(out: Float64Array, width: number, at: string): void {
  if (out instanceof Float64Array && out.length >= width) return;
  const [expected, received] = [`a Float64Array of ${width}`, `${out?.constructor?.name} of ${out?.length}`];
  throw runtimeError('ERR_RUNTIME_OUTPUT', { expected, received, at });
}
