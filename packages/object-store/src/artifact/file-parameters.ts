import { setImmediate } from 'node:timers/promises';
import type { ParameterId, ParameterValue } from '@brezel/core';
import { storeError } from '../errors.js';
import type { FileBytes } from '../memory.js';
import type { ObjectStore } from '../store.js';
import { checksumOf, type PlacedBlob } from './encode.js';
import { HEADER_BYTES } from './layout.js';

/** Parameters of a file that nobody holds yet. */
export interface FileParameters {
  info(id: ParameterId): PlacedBlob;
  /** Read for this, and let go at once. */
  value(id: ParameterId): ParameterValue;
}

/** Bytes that are checked before the event loop gets its turn. */
const VERIFIED_AT_ONCE = 4 << 20;

/** What an open file is read from, and where its parameters go. */
export interface FileParts {
  readonly path: string;
  readonly bytes: FileBytes;
  readonly store: ObjectStore;
  /** Whether parameters are checked against their checksums when they are taken. */
  readonly verify: boolean;
}

/** The parameters of an open file, and one reference to each that some plan asked for. */
export class ParametersOfFile implements FileParameters {
  readonly #path: string;
  readonly #store: ObjectStore;
  readonly #isVerified: boolean;
  /** In the order of the file. */
  readonly #blobs: readonly PlacedBlob[];
  readonly #blobsById = new Map<ParameterId, PlacedBlob>();
  readonly #adopted = new Set<ParameterId>();
  /** Undefined once the file is closed. */
  #bytes: FileBytes | undefined;

  /** @throws ERR_STORE_FORMAT */
  constructor({ path, bytes, store, verify }: FileParts, blobs: readonly PlacedBlob[]) {
    this.#path = path;
    this.#bytes = bytes;
    this.#store = store;
    this.#isVerified = verify;
    this.#blobs = blobs;
    for (let number = 0; number < blobs.length; number++) this.#blobsById.set(blobs[number]!.id, blobs[number]!);
    if (this.#blobsById.size !== blobs.length)
      throw storeError('ERR_STORE_FORMAT', { received: 'a parameter twice', at: path });
  }

  readonly info = (id: ParameterId): PlacedBlob => this.#blobsById.get(id)!;

  value(id: ParameterId): ParameterValue {
    this.#take(this.info(id));
    try {
      return this.#store.get(id);
    } finally {
      this.#store.release(id);
    }
  }

  /** The file holds a reference to the parameter from now on, until it is closed. @throws ERR_STORE_CHECKSUM */
  adopt(id: ParameterId): void {
    if (this.#adopted.has(id)) return;
    this.#take(this.info(id));
    this.#adopted.add(id);
  }

  /** Compares every byte of the file up to `end`, where its parameters are over. @throws ERR_STORE_DAMAGED */
  async verify(end: number): Promise<void> {
    const bytes = this.#open();
    let at = HEADER_BYTES;
    let turn = VERIFIED_AT_ONCE;
    const damaged = (received: string, offset: number) =>
      storeError('ERR_STORE_DAMAGED', { received, at: `${this.#path}, byte ${offset}` });
    for (const { id, offset, bytes: length } of this.#blobs) {
      if (!bytes.isZero(at, offset - at)) throw damaged('other bytes than zeros between parameters', at);
      if (bytes.checksum(offset, length) !== checksumOf(id)) throw damaged('a parameter of another checksum', offset);
      at = offset + length;
      turn -= length;
      if (turn > 0) continue;
      turn = VERIFIED_AT_ONCE;
      await setImmediate();
    }
    if (!bytes.isZero(at, end - at)) throw damaged('other bytes than zeros behind the parameters', at);
  }

  close(): void {
    this.#bytes = undefined;
    for (const id of this.#adopted) this.#store.release(id);
    this.#adopted.clear();
  }

  /** One more reference to a parameter. */
  #take(blob: PlacedBlob): void {
    const bytes = this.#open();
    try {
      this.#store.adopt(blob, () => bytes.parameter(blob.offset, blob.bytes, blob.id, this.#isVerified));
    } catch (cause) {
      if ((cause as { code?: string }).code !== 'ERR_NATIVE_PARAMETER') throw cause;
      throw storeError('ERR_STORE_CHECKSUM', { at: `${this.#path}, byte ${blob.offset}`, cause });
    }
  }

  #open(): FileBytes {
    if (this.#bytes === undefined) throw storeError('ERR_STORE_CLOSED', { at: this.#path });
    return this.#bytes;
  }
}
