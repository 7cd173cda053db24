import { constants } from 'node:fs';
import { type FileHandle, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ObjectStore } from '@brezel/object-store';
import { storeError } from '@brezel/object-store';
import { encodeManifest, type PlacedBlob, type StoredPlan } from './encode.js';
import { ALIGNMENT, align, encodeHeader, HEADER_BYTES } from './layout.js';

export interface WrittenFleet {
  /** Of the file. */
  readonly bytes: number;
  readonly parameters: { readonly objects: number; readonly bytes: number };
  readonly manifestBytes: number;
}

/**
 * Writes plans and their parameters, each once, into one file. All or nothing: a temporary file beside it is written, brought to the disk, and
 * takes the name at the end; until then the old file stays.
 *
 * @param producer name and version of who writes, for people.
 * @throws ERR_STORE_FILE when the file cannot be written; ERR_STORE_MISSING when a parameter is not in the store.
 */
export async function writeFleetFile(
  path: string,
  stored: readonly StoredPlan[],
  store: ObjectStore,
  producer: string,
): Promise<WrittenFleet> {
  const blobs = placeBlobs(stored, store);
  const last = blobs.at(-1);
  const blobsEnd = last === undefined ? HEADER_BYTES : last.offset + last.bytes;
  const manifestOffset = align(blobsEnd) + ALIGNMENT; // kernels may read that far behind a parameter
  const manifest = encodeManifest(stored, blobs, producer);
  const totalBytes = manifestOffset + manifest.length;
  const manifestChecksum = store.checksum.of(manifest);
  const header = { totalBytes, manifestOffset, manifestBytes: manifest.length, manifestChecksum };
  await replaceFile(path, async (file) => {
    await writeAll(file, encodeHeader(header, store.checksum), 0);
    // Holes between are zeros. Bytes are read one parameter at a time: the fleet may be larger than memory allows for twice.
    for (const { id, offset } of blobs) await writeAll(file, store.memory.read(store.handle(id)), offset);
    await writeAll(file, manifest, manifestOffset);
  });
  const bytes = blobs.reduce((sum, blob) => sum + blob.bytes, 0);
  return { bytes: totalBytes, parameters: { objects: blobs.length, bytes }, manifestBytes: manifest.length };
}

function placeBlobs(stored: readonly StoredPlan[], store: ObjectStore): PlacedBlob[] {
  let end = HEADER_BYTES;
  return [...new Set(stored.flatMap(({ plan }) => plan.parameters))].map((id) => {
    const { dtype, shape, bytes } = store.info(id);
    const offset = align(end);
    end = offset + bytes;
    return { id, dtype, shape, bytes, offset };
  });
}

async function writeAll(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let written = 0; written < bytes.length; )
    written += (await file.write(bytes, written, bytes.length - written, at + written)).bytesWritten;
}

/** Gives a path new content, by rename; where the path is a link, the file it leads to. */
async function replaceFile(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  let temporary: string | undefined;
  try {
    const target = await realpath(path).catch(() => path);
    temporary = `${target}.${crypto.randomUUID().slice(0, 8)}.tmp`;
    const file = await open(temporary, 'wx');
    try {
      await write(file);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
    await syncFolder(dirname(target));
  } catch (cause) {
    if (temporary !== undefined) await rm(temporary, { force: true }).catch(() => undefined);
    throw fileFault(cause, path);
  }
}

/** A rename is on the disk when its folder is. Some systems cannot open folders; then it is there soon. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/** What the system says against a file, in our words. */
export function fileFault(cause: unknown, at: string): unknown {
  const { code, message } = cause as { code?: string; message?: string };
  if (code === undefined || code.startsWith('ERR_STORE')) return cause;
  return storeError('ERR_STORE_FILE', { received: reasons[code] ?? message ?? code, at, cause });
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is not a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENXIO: 'it is no regular file',
};
