import { type FileHandle, open } from 'node:fs/promises';
import { type Part, sha256Of } from './recipe.js';

/** A part in a file of the cache. */
export interface PartOfFile extends Part {
  readonly path: string;
  readonly offset: number;
}

/** Reads a part. Returns undefined if the file is missing, or if its bytes are damaged. */
export async function readPart(part: PartOfFile | undefined): Promise<Buffer | undefined> {
  if (part === undefined) return undefined;
  const file = await open(part.path).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const bytes = Buffer.alloc(part.bytes);
    const { bytesRead } = await file.read(bytes, 0, part.bytes, part.offset);
    return bytesRead === part.bytes && sha256Of(bytes) === part.sha256 ? bytes : undefined;
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}

/**
 * Writes bytes at a position. On a full disk, a write may write only some of them before it fails.
 */
export async function writeAll(file: FileHandle, bytes: Uint8Array, offset: number): Promise<void> {
  for (let written = 0; written < bytes.length; )
    written += (await file.write(bytes, written, bytes.length - written, offset + written)).bytesWritten;
}
