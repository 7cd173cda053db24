import { open } from 'node:fs/promises';

/** This many bytes are enough to distinguish the file formats. */
const ENOUGH = 8;

/**
 * Reads the first bytes of a file. The caller must check that it is a regular file, because reading
 * a pipe could block.
 */
export async function firstBytes(path: string): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(ENOUGH), 0, ENOUGH, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
