import { setImmediate } from 'node:timers/promises';
import type { ParameterId, ParameterValue } from '@brezel/core';
import type { FileBytes, ObjectStore } from '@brezel/object-store';
import { storeError } from '@brezel/object-store';
import { checksumOf, type PlacedBlob } from './encode.js';
import type { FileBlobs } from './file-blobs.js';
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

/** The parameters of an open file. Who asks for one gets a reference; the file keeps none. */
export class ParametersOfFile implements FileParameters {
  readonly #path: string;
  readonly #store: ObjectStore;
  readonly #isVerified: boolean;
  readonly #blobs: FileBlobs;
  /** 1 for each, by its number, that the store took from here: what it has under that id is the same. */
  readonly #isKnown: Uint8Array;
  /** Undefined once the file is closed. */
  #bytes: FileBytes | undefined;

  constructor({ path, bytes, store, verify }: FileParts, blobs: FileBlobs) {
    this.#path = path;
    this.#bytes = bytes;
    this.#store = store;
    this.#isVerified = verify;
    this.#blobs = blobs;
    this.#isKnown = new Uint8Array(blobs.count);
  }

  readonly info = (id: ParameterId): PlacedBlob => this.#blobs.of(id);

  value(id: ParameterId): ParameterValue {
    this.#adopt(this.info(id));
    try {
      return this.#store.get(id);
    } finally {
      this.#store.release(id);
    }
  }

  /** One reference to each of these, for the caller; all or none. @throws ERR_STORE_CHECKSUM */
  take(numbers: readonly number[]): void {
    let taken = 0;
    try {
      for (; taken < numbers.length; taken++) this.#take(numbers[taken]!);
    } catch (error) {
      while (taken > 0) this.#store.release(this.#blobs.at(numbers[--taken]!).id);
      throw error;
    }
  }

  /** Compares every byte of the file up to `end`, where its parameters are over. @throws ERR_STORE_DAMAGED, ERR_STORE_FORMAT */
  async verify(end: number): Promise<void> {
    this.#blobs.checkDistinct();
    const bytes = this.#open();
    let at = HEADER_BYTES;
    let turn = VERIFIED_AT_ONCE;
    const damaged = (received: string, offset: number) =>
      storeError('ERR_STORE_DAMAGED', { received, at: `${this.#path}, byte ${offset}` });
    for (const { id, offset, bytes: length } of this.#blobs.all()) {
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
  }

  #take(number: number): void {
    const blob = this.#blobs.at(number);
    if (this.#isKnown[number] === 1 && this.#store.retainKnown(blob.id)) return;
    this.#adopt(blob);
    this.#isKnown[number] = 1;
  }

  #adopt(blob: PlacedBlob): void {
    const bytes = this.#open();
    try {
      this.#store.adopt(blob, bytes.parameter(blob.offset, blob.bytes, blob.id, this.#isVerified));
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
