import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import type { FileBytes, ObjectStore } from '@brezel/object-store';
import { storeError } from '@brezel/object-store';
import { decodeHeader, type FileHeader, HEADER_BYTES } from './layout.js';
import { ManifestReader } from './manifest-reader.js';
import { readBytes, readExactly } from './read-bytes.js';
import { validateManifest } from './validate.js';
import { toFileError } from './write.js';

/** The resources of an open file. */
export interface Source {
  readonly manifest: ManifestReader;
  readonly bytes: FileBytes;
  close(): void;
}

/**
 * Opens a file and reads its header and manifest. Checks both checksums and the structure of the
 * manifest. After an error no file is open or mapped.
 */
export function openSource(
  path: string,
  store: ObjectStore,
  prefault: boolean,
): Source & { readonly header: FileHeader } {
  let descriptor: number | undefined;
  try {
    // without it, a pipe without a writer would block
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const status = fstatSync(descriptor);
    if (!status.isFile()) {
      const received = status.isDirectory() ? 'a folder' : 'a device or pipe';
      throw storeError('ERR_STORE_FILE', { expected: 'a file', received, at: path });
    }
    const start = readExactly(descriptor, 0, Math.min(HEADER_BYTES, status.size), path);
    const header = decodeHeader(start, status.size, path, { of: (bytes) => store.checksumOf(bytes) });
    const manifest = readManifest(descriptor, header, path, store);
    const { mapFile } = store.memory;
    if (mapFile === undefined) {
      const opened = descriptor;
      const bytes = readBytes(opened, store.memory, store.checksum, path);
      return { header, manifest, bytes, close: () => closeSync(opened) };
    }
    const bytes = mapFile(descriptor, status.size, prefault);
    closeSync(descriptor);
    return { header, manifest, bytes, close: () => bytes.close() };
  } catch (cause) {
    if (descriptor !== undefined) closeSync(descriptor);
    throw toFileError(cause, path);
  }
}

function readManifest(descriptor: number, header: FileHeader, path: string, store: ObjectStore): ManifestReader {
  const bytes = readExactly(descriptor, header.manifestOffset, header.manifestBytes, path);
  if (store.checksumOf(bytes) !== header.manifestChecksum) {
    const at = `${path}, byte ${header.manifestOffset}`;
    throw storeError('ERR_STORE_DAMAGED', { received: 'a manifest that does not match its checksum', at });
  }
  validateManifest(bytes, path, 'Fleet', store.memory);
  return new ManifestReader(bytes);
}
