import { setImmediate } from 'node:timers/promises';
import type { ParameterId, ParameterValue } from '@brezel/core';
import type { FileBytes, ObjectStore } from '@brezel/object-store';
import { storeError } from '@brezel/object-store';
import { checksumOf, type PlacedBlob } from './encode.js';
import type { FileBlobs } from './file-blobs.js';
import { HEADER_BYTES } from './layout.js';

/** Describes and reads parameters of a file. The caller owns no references to these parameters. */
export interface FileParameters {
  info(id: ParameterId): PlacedBlob;
  /** Returns the value of a parameter. The caller gets no reference to release. */
  value(id: ParameterId): ParameterValue;
  /**
   * Describes the parameter at an index of the file. It is cheaper than `info`, which needs a map
   * from ids to parameters.
   */
  infoAt(number: number): PlacedBlob;
  /** Returns the value of the parameter at an index of the file. */
  valueAt(number: number): ParameterValue;
}

/** `verify` lets the event loop run each time after it has compared this many bytes. */
const VERIFIED_AT_ONCE = 4 << 20;

/**
 * The source of an open file, and the store that receives its parameters.
 */
export interface FileParts {
  readonly path: string;
  readonly bytes: FileBytes;
  readonly store: ObjectStore;
  /**
   * If true, a parameter of this file whose id is already stored is compared with the stored bytes.
   */
  readonly verify: boolean;
}

/**
 * The parameters of an open file. A caller that takes a parameter owns the reference; the file
 * holds no references.
 */
export class ParametersOfFile implements FileParameters {
  readonly #path: string;
  readonly #store: ObjectStore;
  readonly #isVerified: boolean;
  readonly #blobs: FileBlobs;
  /**
   * 1 for each parameter that the store has already received from this file. Such a parameter is
   * not compared again.
   */
  readonly #isKnown: Uint8Array;
  /** The bytes of the file. Undefined after `close`. */
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

  readonly infoAt = (number: number): PlacedBlob => this.#blobs.at(number);

  value(id: ParameterId): ParameterValue {
    return this.#valueOf(this.info(id));
  }

  valueAt(number: number): ParameterValue {
    return this.#valueOf(this.infoAt(number));
  }

  #valueOf(blob: PlacedBlob): ParameterValue {
    this.#adopt(blob);
    try {
      return this.#store.get(blob.id);
    } finally {
      this.#store.release(blob.id);
    }
  }

  /**
   * Takes one reference to each parameter for the caller. If this fails for one parameter, it takes
   * no references.
   *
   * @throws ERR_STORE_CHECKSUM
   */
  take(numbers: readonly number[]): void {
    let taken = 0;
    try {
      for (; taken < numbers.length; taken++) this.#take(numbers[taken]!);
    } catch (error) {
      while (taken > 0) this.#store.release(this.#blobs.at(numbers[--taken]!).id);
      throw error;
    }
  }

  /**
   * Verifies every byte of the file up to `end`, where the parameters end.
   *
   * @throws ERR_STORE_DAMAGED, ERR_STORE_FORMAT
   */
  async verify(end: number): Promise<void> {
    this.#blobs.checkDistinct();
    const bytes = this.#open();
    let position = HEADER_BYTES;
    let turn = VERIFIED_AT_ONCE;
    const damaged = (received: string, offset: number) =>
      storeError('ERR_STORE_DAMAGED', { received, at: `${this.#path}, byte ${offset}` });
    for (const { id, offset, bytes: length } of this.#blobs.all()) {
      if (!bytes.isZero(position, offset - position)) throw damaged('nonzero bytes between parameters', position);
      if (bytes.checksum(offset, length) !== checksumOf(id)) throw damaged('a parameter of another checksum', offset);
      position = offset + length;
      turn -= length;
      if (turn > 0) continue;
      turn = VERIFIED_AT_ONCE;
      await setImmediate();
    }
    if (!bytes.isZero(position, end - position)) throw damaged('nonzero bytes behind the parameters', position);
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
