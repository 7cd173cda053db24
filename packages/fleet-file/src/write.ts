import type { KeyObject } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ObjectStore } from '@brezel/object-store';
import { encodeManifest, type PlacedBlob, type StoredPlan } from './encode.js';
import { ALIGNMENT, align, encodeHeader, HEADER_BYTES, SIGNED_HEADER_BYTES } from './layout.js';
import { Signer } from './signature/signer.js';
import { TRAILER_BYTES } from './signature/trailer.js';
import { toFileError } from './system-errors.js';

/** Sizes of a written fleet file. */
export interface WrittenFleet {
  /** Bytes of the written file. */
  readonly bytes: number;
  /** The number and the bytes of the distinct parameters in the file. */
  readonly parameters: { readonly objects: number; readonly bytes: number };
  /** Bytes of the manifest, which describes the plans. */
  readonly manifestBytes: number;
}

/**
 * Writes plans and their parameters into one file. Each parameter is written once.
 *
 * The write is atomic: the bytes go to a temporary file, which is flushed to disk and then renamed.
 * Until the rename, the old file stays.
 *
 * @param producer name and version of the writing software, for people.
 * @param signingKey Ed25519 private key that signs the file.
 * @throws ERR_STORE_FILE when the file cannot be written; ERR_STORE_MISSING when a parameter is not
 * in the store; ERR_FLEET_KEY.
 */
export async function writeFleetFile(
  path: string,
  stored: readonly StoredPlan[],
  store: ObjectStore,
  producer: string,
  signingKey?: KeyObject,
): Promise<WrittenFleet> {
  const blobs = placeBlobs(stored, store);
  const last = blobs.at(-1);
  const blobsEnd = last === undefined ? HEADER_BYTES : last.offset + last.bytes;
  // kernels may read 64 bytes after a parameter
  const manifestOffset = align(blobsEnd) + ALIGNMENT;
  const manifest = encodeManifest(stored, blobs, producer);
  const signer = signingKey && new Signer(signingKey);
  const manifestBytes = manifest.length + (signer === undefined ? 0 : TRAILER_BYTES);
  const totalBytes = manifestOffset + manifestBytes;
  const sizes = { totalBytes, manifestOffset, manifestBytes };
  await replaceFile(path, async (file) => {
    signer?.add(encodeHeader({ ...sizes, manifestChecksum: '' }, store.checksum).subarray(0, SIGNED_HEADER_BYTES));
    const sections = new Sections(file, signer);
    // Parameters are read one at a time, because memory may not have room for a second copy of the
    // fleet.
    for (const { id, offset } of blobs) await sections.write(store.memory.read(store.handle(id)), offset);
    await sections.write(manifest, manifestOffset);
    const trailer = signer?.trailer() ?? Buffer.alloc(0);
    await writeAll(file, trailer, manifestOffset + manifest.length);
    const manifestChecksum = store.checksum.ofPieces([manifest, trailer]);
    await writeAll(file, encodeHeader({ ...sizes, manifestChecksum }, store.checksum), 0);
  });
  const bytes = blobs.reduce((sum, blob) => sum + blob.bytes, 0);
  return { bytes: totalBytes, parameters: { objects: blobs.length, bytes }, manifestBytes };
}

/**
 * Writes the sections after the header in order, and signs them. Gaps between sections are zeros.
 */
class Sections {
  readonly #file: FileHandle;
  readonly #signer: Signer | undefined;
  #end = HEADER_BYTES;

  constructor(file: FileHandle, signer: Signer | undefined) {
    this.#file = file;
    this.#signer = signer;
  }

  async write(bytes: Uint8Array, offset: number): Promise<void> {
    this.#signer?.add(Buffer.alloc(offset - this.#end));
    this.#signer?.add(bytes);
    this.#end = offset + bytes.length;
    await writeAll(this.#file, bytes, offset);
  }
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

async function writeAll(file: FileHandle, bytes: Uint8Array, offset: number): Promise<void> {
  for (let written = 0; written < bytes.length; )
    written += (await file.write(bytes, written, bytes.length - written, offset + written)).bytesWritten;
}

/**
 * Writes a temporary file and renames it to the path. If the path is a symbolic link, the rename
 * replaces the target of the link.
 */
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
    throw toFileError(cause, path);
  }
}

/**
 * Flushes a folder, which makes a rename durable. On systems that cannot open folders, the rename
 * becomes durable a little later.
 */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
