import type { CompiledPlan, ParameterId } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { storeError } from '@brezel/object-store';
import { checksumOf } from './encode.js';
import { FileBlobs } from './file-blobs.js';
import { FilePlans } from './file-plans.js';
import { decodeHeader, HEADER_BYTES } from './layout.js';
import { ManifestReader } from './manifest-reader.js';
import { validateManifest } from './validate.js';

/**
 * A fleet file whose bytes are in memory, for programs without a file system. It makes the checks
 * of `FleetFile`, but it does not compare stages with the definitions of operators.
 */
export class FleetBytes {
  readonly #bytes: Uint8Array;
  readonly #at: string;
  readonly #store: ObjectStore;
  readonly #blobs: FileBlobs;
  readonly #plans: FilePlans;
  readonly #end: number;

  /**
   * Reads the header and the manifest.
   *
   * @param at names the bytes in error messages.
   * @throws ERR_STORE_FORMAT, ERR_STORE_VERSION, ERR_STORE_DAMAGED
   */
  constructor(bytes: Uint8Array, store: ObjectStore, at: string) {
    this.#bytes = bytes;
    this.#at = at;
    this.#store = store;
    const checksum = { of: (piece: Uint8Array) => store.checksumOf(piece) };
    const start = Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, Math.min(HEADER_BYTES, bytes.length));
    const header = decodeHeader(start, bytes.length, at, checksum);
    this.#end = header.manifestOffset;
    const manifest = bytes.subarray(this.#end, this.#end + header.manifestBytes);
    if (store.checksumOf(manifest) !== header.manifestChecksum)
      this.#damaged('a manifest of another checksum', this.#end);
    validateManifest(manifest, at, 'Fleet', store.memory);
    const reader = new ManifestReader(manifest);
    this.#blobs = new FileBlobs(reader, this.#end, at);
    const missing = (): never => this.#damaged('a parameter that is read', 0);
    const parameters = {
      info: (id: ParameterId) => this.#blobs.of(id),
      infoAt: (number: number) => this.#blobs.at(number),
      value: missing,
      valueAt: missing,
    };
    this.#plans = new FilePlans(at, reader, this.#blobs, parameters, {});
  }

  /** Names of the plans in the order in which they were packed. */
  get names(): readonly string[] {
    return this.#plans.names;
  }

  /**
   * Compares all bytes with their checksums, and decodes every plan.
   *
   * @throws ERR_STORE_DAMAGED, ERR_STORE_FORMAT
   */
  verify(): void {
    this.#blobs.checkDistinct();
    let position = HEADER_BYTES;
    for (const { id, offset, bytes } of this.#blobs.all()) {
      this.#checkZeros(position, offset, 'nonzero bytes between parameters');
      const sum = this.#store.checksumOf(this.#bytes.subarray(offset, offset + bytes));
      if (sum !== checksumOf(id)) this.#damaged('a parameter of another checksum', offset);
      position = offset + bytes;
    }
    this.#checkZeros(position, this.#end, 'nonzero bytes behind the parameters');
    for (const name of this.names) this.#plans.decode(name);
  }

  /**
   * Decodes a plan and stores its parameters. The caller owns one reference to each parameter in
   * `plan.parameters`.
   *
   * @throws ERR_STORE_MISSING, ERR_STORE_FORMAT
   */
  take(name: string): CompiledPlan {
    const { plan, numbers } = this.#plans.take(name);
    const taken: ParameterId[] = [];
    try {
      for (const number of numbers) {
        const blob = this.#blobs.at(number);
        if (!this.#store.retainKnown(blob.id)) {
          const bytes = this.#bytes.subarray(blob.offset, blob.offset + blob.bytes);
          this.#store.adopt(blob, this.#store.memory.put(blob.id, bytes));
        }
        taken.push(blob.id);
      }
    } catch (error) {
      for (const id of taken) this.#store.release(id);
      throw error;
    }
    return plan;
  }

  #checkZeros(from: number, to: number, received: string): void {
    for (let at = from; at < to; at++) if (this.#bytes[at] !== 0) this.#damaged(received, from);
  }

  #damaged(received: string, offset: number): never {
    throw storeError('ERR_STORE_DAMAGED', { received, at: `${this.#at}, byte ${offset}` });
  }
}
