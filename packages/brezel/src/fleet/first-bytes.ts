import { open } from 'node:fs/promises';

/** What tells kinds of files apart. */
const ENOUGH = 8;

/** The first bytes of a file. Whoever calls has seen that it is one: a pipe would wait. */
export async function firstBytes(path: string): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(ENOUGH), 0, ENOUGH, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
