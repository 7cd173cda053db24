import { readSync } from 'node:fs';
import type { Checksum, FileBytes, ParameterMemory } from '@brezel/object-store';
import { storeError } from '@brezel/object-store';

const PIECE = 1 << 20;

/**
 * Reads `length` bytes of a file.
 *
 * @throws ERR_STORE_DAMAGED when the file is too short.
 */
export function readExactly(descriptor: number, offset: number, length: number, at: string): Buffer {
  const bytes = Buffer.alloc(length);
  for (let read = 0; read < length; ) {
    const count = readSync(descriptor, bytes, read, length - read, offset + read);
    if (count === 0) throw storeError('ERR_STORE_DAMAGED', { received: 'the file ends too early', at });
    read += count;
  }
  return bytes;
}

/**
 * Returns the bytes of a file that is not mapped. It calls `read` when bytes are needed, and copies
 * each parameter into `memory`. Closing the result closes no file.
 */
export function readBytes(
  read: (offset: number, length: number) => Uint8Array,
  memory: ParameterMemory,
  checksum: Checksum,
): FileBytes {
  return {
    checksum: (offset, length) => checksum.ofPieces(pieces(offset, length, read)),
    isZero: (offset, length) => [...pieces(offset, length, read)].every((piece) => piece.every((byte) => byte === 0)),
    parameter: (offset, length, id) => memory.put(id, read(offset, length)),
    close: () => undefined,
  };
}

function* pieces(
  offset: number,
  length: number,
  read: (offset: number, length: number) => Uint8Array,
): Generator<Uint8Array> {
  for (let at = 0; at < length; at += PIECE) yield read(offset + at, Math.min(PIECE, length - at));
}
