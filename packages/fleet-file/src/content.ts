import type { Hash } from 'node:crypto';
import { closeSync } from 'node:fs';
import type { FileBytes, ObjectStore, SnapshotLinks } from '@brezel/object-store';
import { storeError } from '@brezel/object-store';
import { readBytes, readExactly } from './read-bytes.js';
import { removeLinks } from './snapshot/links.js';
import { hashRange } from './snapshot/sha256.js';

/**
 * The bytes of an open fleet file. They come from the file itself, from a snapshot, or from memory.
 */
export interface Content {
  readonly size: number;
  /**
   * Returns `length` bytes, starting at byte `offset`.
   * @throws ERR_STORE_DAMAGED when the range is beyond the end.
   */
  read(offset: number, length: number): Buffer;
  /**
   * Adds the bytes from `start` to `end` to a hash, piece by piece. The event loop runs between
   * pieces.
   */
  hash(hash: Hash, start: number, end: number): Promise<void>;
  /**
   * Returns the bytes for a store. The result maps the file if the store can map files; otherwise
   * it reads the bytes on demand. Afterwards, close the result instead of this content.
   */
  use(store: ObjectStore): FileBytes;
  /** Frees the bytes. Do not call this method after `use`. */
  close(): void;
}

/**
 * Returns the content of an open file. Closing the content closes the descriptor.
 *
 * @param path the path for error messages.
 * @param links links of a snapshot; they are removed when the bytes are no longer used.
 */
export function fileContent(descriptor: number, size: number, path: string, links?: SnapshotLinks): Content {
  const close = () => {
    closeSync(descriptor);
    removeLinks(links);
  };
  return {
    size,
    read: (offset, length) => readExactly(descriptor, offset, length, path),
    hash: (hash, start, end) => hashRange(hash, descriptor, start, end),
    use({ memory, checksum }) {
      if (memory.mapFile === undefined) {
        const read = (offset: number, length: number) => readExactly(descriptor, offset, length, path);
        return { ...readBytes(read, memory, checksum), close };
      }
      const bytes = memory.mapFile(descriptor, size, links);
      closeSync(descriptor); // the mapping removes the links
      return bytes;
    },
    close,
  };
}

/** Returns the content of a file that was read into memory. */
export function memoryContent(bytes: Buffer, path: string): Content {
  const read = (offset: number, length: number) => {
    if (offset + length <= bytes.length) return bytes.subarray(offset, offset + length);
    throw storeError('ERR_STORE_DAMAGED', { received: 'the file ends too early', at: path });
  };
  return {
    size: bytes.length,
    read,
    hash: async (hash, start, end) => void hash.update(bytes.subarray(start, end)),
    use: ({ memory, checksum }) => readBytes(read, memory, checksum),
    close: () => undefined,
  };
}
