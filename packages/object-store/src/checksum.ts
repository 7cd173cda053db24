import createXxHash from 'xxhash-wasm';
import { type ChecksumFunctions, javaScriptChecksum } from './javascript-checksum.js';

/**
 * The seeds of the two XXH64 hashes that form a 128-bit checksum. The seeds are part of the file
 * format and never change.
 */
const SEEDS = [0n, 0x9e3779b97f4a7c15n] as const;
// The number of bytes that are copied to WebAssembly memory at a time. That memory never shrinks,
// so the pieces are small.
const PIECE_BYTES = 1 << 16;

/** One UTF-16 unit takes at most this many bytes in UTF-8. */
const BYTES_PER_UNIT = 3;

/**
 * Computes checksums of parameters and files. A thread has one instance, which compiles a small
 * WebAssembly module. Without WebAssembly, JavaScript computes the checksums.
 */
export class Checksum {
  /**
   * The instance of this thread. V8 never frees the types of a compiled module (300 bytes a module
   * with Node 20). A process that compiled a module for each imported model would therefore leak.
   */
  static #shared: Promise<Checksum> | undefined;
  readonly #api: ChecksumFunctions;

  private constructor(api: ChecksumFunctions) {
    this.#api = api;
  }

  /** Returns the instance of this thread. The first call compiles the WebAssembly module. */
  static create(): Promise<Checksum> {
    Checksum.#shared ??= Checksum.#compile();
    return Checksum.#shared;
  }

  static async #compile(): Promise<Checksum> {
    try {
      const hasWebAssembly = (globalThis as { WebAssembly?: unknown }).WebAssembly !== undefined;
      return new Checksum(hasWebAssembly ? await createXxHash() : javaScriptChecksum);
    } catch (error) {
      Checksum.#shared = undefined; // the next call compiles again, perhaps with more memory
      throw error;
    }
  }

  /**
   * Returns the checksum of the bytes as 32 hexadecimal digits. Cost: about 1 ns for each 3 bytes.
   */
  of(bytes: Uint8Array): string {
    return this.ofPieces([bytes]);
  }

  /** Returns the checksum of several pieces, as if they were one byte array. */
  ofPieces(pieces: Iterable<Uint8Array>): string {
    const sums = SEEDS.map((seed) => this.#api.create64(seed));
    for (const bytes of pieces) {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES)
        for (const sum of sums) sum.update(bytes.subarray(at, at + PIECE_BYTES));
    }
    return sums.map((sum) => sum.digest().toString(16).padStart(16, '0')).join('');
  }

  /**
   * Returns a 32-bit hash (XXH32) of bytes, or of the UTF-8 bytes of a text. Use it only if you
   * compare the whole content afterwards, because different contents may have the same hash.
   *
   * Only the beginning of a long content is hashed. Cost: 60 ns for a short text, 160 ns for 700
   * characters.
   */
  fingerprint(content: string | Uint8Array, seed: number): number {
    if (typeof content !== 'string')
      return this.#api.h32Raw(content.length > PIECE_BYTES ? content.subarray(0, PIECE_BYTES) : content, seed) | 0;
    const units = Math.floor(PIECE_BYTES / BYTES_PER_UNIT);
    return this.#api.h32(content.length > units ? content.slice(0, units) : content, seed) | 0;
  }

  /**
   * Returns the checksum of the UTF-8 bytes of a string. The keys of stages and stage programs are
   * such checksums.
   */
  ofText(text: string): string {
    return this.of(new TextEncoder().encode(text));
  }
}
