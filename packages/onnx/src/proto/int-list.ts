import type { WireFunctions } from '@brezel/object-store';
import { onnxError } from '../errors.js';

/**
 * Added to the start of a range of varints if the varints follow each other directly. In other
 * ranges, a one-byte tag precedes each varint.
 */
export const PACKED = 2 ** 31;

/**
 * The addon decodes lists of at least this many integers. For shorter lists JavaScript is faster,
 * because a call of the addon takes about 1 µs.
 */
const NATIVE_LENGTH = 64;

/**
 * A list of integers that stay encoded in the file until `toArray` decodes them. A forest has
 * millions of integers, which take 1 to 4 bytes each in the file.
 *
 * The list keeps the buffer of the whole file in memory.
 */
export class IntList implements Iterable<bigint> {
  readonly #bytes: Uint8Array;
  readonly #stretches: Uint32Array;
  readonly #wire: WireFunctions | undefined;

  /**
   * @param stretches the ranges of `bytes` that hold varints. Each range has two numbers: its start
   * and its end. `PACKED` is added to the start of a packed range. Every varint ends in the range
   * in which it starts.
   * @param wire the addon's functions, if it is loaded.
   */
  constructor(
    bytes: Uint8Array,
    stretches: Uint32Array,
    readonly length: number,
    wire?: WireFunctions,
  ) {
    this.#bytes = bytes;
    this.#stretches = stretches;
    this.#wire = wire;
  }

  static of(values: Iterable<number | bigint>): IntList {
    const bytes: number[] = [];
    let length = 0;
    for (const value of values) {
      length++;
      if (typeof value === 'number' && value >= 0 && value < 2 ** 31) pushShort(bytes, value);
      else pushLong(bytes, BigInt.asUintN(64, BigInt(value)));
    }
    return new IntList(Uint8Array.from(bytes), Uint32Array.of(PACKED, bytes.length), length);
  }

  /**
   * Decodes the integers into an Int32Array if all of them fit, otherwise into a Float64Array. `at`
   * is the name of the list in errors.
   * @throws ERR_ONNX_ATTRIBUTE for an integer beyond 2^53.
   */
  toArray(at: string): Int32Array | Float64Array {
    const native = this.length < NATIVE_LENGTH ? undefined : this.#wire;
    return native?.integers(this.#bytes, this.#stretches, this.length) ?? this.#decoded(at);
  }

  #decoded(at: string): Int32Array | Float64Array {
    const narrow = new Int32Array(this.length);
    let wide: Float64Array | undefined;
    this.#each((low, high, index) => {
      if (wide === undefined && high === low >> 31) {
        narrow[index] = low;
        return;
      }
      wide ??= Float64Array.from(narrow);
      wide[index] = high * 2 ** 32 + (low >>> 0);
      if (!Number.isSafeInteger(wide[index])) throw tooWide(wideInteger(low, high), at);
    });
    return wide ?? narrow;
  }

  *[Symbol.iterator](): IterableIterator<bigint> {
    const all = new BigInt64Array(this.length);
    this.#each((low, high, index) => {
      all[index] = wideInteger(low, high);
    });
    yield* all;
  }

  /**
   * Returns bytes that differ for different lists: two lists have equal bytes only if their numbers
   * are equal.
   */
  identity(): Uint8Array[] {
    if (this.length === 0) return [];
    const first = this.#stretches[0]! % PACKED;
    const places = this.#stretches.map((start) => start - first);
    return [this.#bytes.subarray(first, this.#stretches.at(-1)), new Uint8Array(places.buffer)];
  }

  /** Calls `visit` for every integer with its lower and upper 32 bits, both as signed numbers. */
  #each(visit: (low: number, high: number, index: number) => void): void {
    const bytes = this.#bytes;
    let index = 0;
    for (let stretch = 0; stretch < this.#stretches.length; stretch += 2) {
      const start = this.#stretches[stretch]!;
      const end = this.#stretches[stretch + 1]!;
      const gap = start >= PACKED ? 0 : 1;
      for (let at = start % PACKED; at < end; at += gap) {
        let [low, high, shift] = [0, 0, 0];
        let byte: number;
        do {
          byte = bytes[at++]!;
          const bits = byte & 0x7f;
          if (shift < 32) low |= bits << shift;
          if (shift >= 28) high |= shift === 28 ? bits >> 4 : shift < 64 ? bits << (shift - 32) : 0;
          shift += 7;
        } while (byte >= 0x80);
        visit(low, high, index++);
      }
    }
  }
}

function pushShort(bytes: number[], value: number): void {
  let rest = value;
  for (; rest >= 0x80; rest >>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
}

function pushLong(bytes: number[], value: bigint): void {
  let rest = value;
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
}

const wideInteger = (low: number, high: number): bigint => (BigInt(high) << 32n) | BigInt(low >>> 0);

function tooWide(value: bigint, at: string) {
  return onnxError('ERR_ONNX_ATTRIBUTE', { expected: 'an integer below 2^53', received: `${value}`, at });
}
