import { storeError } from '@brezel/object-store';

const ALIGNMENT = 64;

const align = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

/**
 * Assigns offsets to the sections of a blob. A blob starts with a header of u32 fields. Each
 * section starts at a multiple of 64 bytes, which is a new cache line.
 */
export class BlobLayout {
  #end: number;

  constructor(headerFields: number) {
    this.#end = align(headerFields * 4);
  }

  /** Reserves `bytes` bytes for a section and returns their offset. */
  section(bytes: number): number {
    const offset = this.#end;
    this.#end = align(offset + bytes);
    if (this.#end > 0xffffffff)
      throw storeError('ERR_STORE_DICTIONARY', { received: 'a text blob cannot exceed 4 GiB: offsets are 32 bit' });
    return offset;
  }

  get totalBytes(): number {
    return this.#end;
  }
}

/** Returns `bytes`, or an aligned copy if a 32-bit view on them would be misaligned. */
export function alignedBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
}
