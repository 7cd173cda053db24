import { createHash, type Hash } from 'node:crypto';
import { read } from 'node:fs';
import { promisify } from 'node:util';

const PIECE = 1 << 20;

const readPiece = promisify(read);

/** Returns the SHA-256 of a file as hexadecimal digits. The event loop runs between the pieces. */
export async function sha256Of(descriptor: number): Promise<string> {
  const hash = createHash('sha256');
  await hashRange(hash, descriptor, 0, Number.POSITIVE_INFINITY);
  return hash.digest('hex');
}

/**
 * Adds the bytes of a file from `start` to `end` to a hash. Stops earlier if the file ends before
 * `end`.
 */
export async function hashRange(hash: Hash, descriptor: number, start: number, end: number): Promise<void> {
  const buffer = Buffer.allocUnsafe(PIECE);
  for (let offset = start; offset < end; ) {
    const { bytesRead } = await readPiece(descriptor, buffer, 0, Math.min(PIECE, end - offset), offset);
    if (bytesRead === 0) return;
    hash.update(buffer.subarray(0, bytesRead));
    offset += bytesRead;
  }
}
