import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * The number of bytes that are copied before the event loop runs. Copying them takes less than a
 * millisecond.
 */
const PIECE = 2 ** 20;

/** Copies bytes into separate memory. The event loop runs between pieces. */
export async function copyBytes(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const copy = new Uint8Array(bytes.length);
  for (let from = 0; from < bytes.length; from += PIECE) {
    if (from > 0) await nextTurn();
    copy.set(bytes.subarray(from, from + PIECE), from);
  }
  return copy;
}
