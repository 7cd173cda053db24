import { open } from 'node:fs/promises';

/** The number of bytes at the start of a file from which Brezel detects its format. */
const ENOUGH = 8;

/**
 * Reads the first bytes of a file. The caller must first check that the path is a regular file,
 * because reading a pipe could block.
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
