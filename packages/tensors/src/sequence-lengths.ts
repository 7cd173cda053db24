import { type Shape, shown } from './shapes.js';

/** The part of an operator call that creates errors. */
interface LengthsCall {
  fault(received: string, expected: string): Error;
}

/**
 * Checks `sequence_lens`: there must be one length for each sequence of the batch, from 0 to
 * `longest`.
 *
 * @throws `call.fault` with the shape of the lengths, or with the first invalid length.
 */
export function checkLengths(
  { shape, data }: { readonly shape: Shape; readonly data: ArrayLike<number> },
  batch: number,
  longest: number,
  call: LengthsCall,
): void {
  if (shape.length !== 1 || shape[0] !== batch)
    throw call.fault(`sequence_lens of shape ${shown(shape)}`, `sequence_lens of shape ${shown([batch])}`);
  for (let at = 0; at < data.length; at++)
    if (!(data[at]! >= 0 && data[at]! <= longest))
      throw call.fault(`length ${data[at]} of sequence ${at}`, `sequence lengths from 0 to ${longest}`);
}
