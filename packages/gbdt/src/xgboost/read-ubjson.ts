import { damaged } from '../errors.js';

// Universal Binary JSON as XGBoost writes it. This reader replaces a library, because libraries do
// not limit hostile files: lists longer than the file, unlimited nesting, and containers whose
// values take no bytes.

const MAX_DEPTH = 32;

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json } | NumberList;
/** A list of numbers of one type. */
export type NumberList = Int8Array | Uint8Array | Int16Array | Int32Array | Float32Array | Float64Array;

/**
 * Reads a UBJSON document (draft 12). 64-bit integers become numbers, rounded beyond 2^53.
 *
 * @throws ERR_GBDT_FORMAT with the offset of the byte.
 */
export function readUbjson(bytes: Uint8Array): Json {
  return new UbjsonReader(bytes).document();
}

const numberBytes: Readonly<Record<string, number>> = { i: 1, U: 1, I: 2, l: 4, L: 8, d: 4, D: 8 };

class UbjsonReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;
  #depth = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  document(): Json {
    const value = this.#value(this.#marker());
    if (this.#at !== this.#bytes.length)
      throw this.#fail('the end of the file', `${this.#bytes.length - this.#at} more bytes`);
    return value;
  }

  #value(marker: string): Json {
    switch (marker) {
      case 'Z':
        return null;
      case 'T':
        return true;
      case 'F':
        return false;
      case 'S':
      case 'H':
        return this.#text();
      case 'C':
        return String.fromCharCode(this.#bytes[this.#take(1)]!);
      case '[':
        return this.#nested(() => this.#list());
      case '{':
        return this.#nested(() => this.#object());
      default:
        return this.#number(marker);
    }
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > MAX_DEPTH) throw this.#fail(`at most ${MAX_DEPTH} levels`, 'more');
    const value = read();
    this.#depth--;
    return value;
  }

  /**
   * Reads the optional start of an array or object: the common type of its values, and their
   * number.
   */
  #head(): { readonly type?: string; readonly count?: number } {
    const isTyped = this.#peek() === '$';
    if (isTyped) this.#take(1);
    const type = isTyped ? this.#marker() : undefined;
    if (this.#peek() !== '#') {
      if (type !== undefined) throw this.#fail('a count after the type', this.#peek());
      return {};
    }
    this.#take(1);
    const count = this.#count();
    // Every value takes at least one byte, so the remaining bytes of the file limit the count.
    const least = type === undefined ? 1 : (numberBytes[type] ?? ('[{SHC'.includes(type) ? 1 : 0));
    if (least === 0) throw this.#fail('a type whose values take bytes', type!);
    if (count * least > this.#bytes.length - this.#at)
      throw this.#fail(`${count} values`, `${this.#bytes.length - this.#at} bytes`);
    return type === undefined ? { count } : { type, count };
  }

  #list(): Json {
    const { type, count } = this.#head();
    if (type !== undefined && numberBytes[type] !== undefined) return this.#numbers(type, count!);
    const values: Json[] = [];
    const isOpen = () => (count === undefined ? this.#peek() !== ']' : values.length < count);
    while (isOpen()) values.push(this.#value(type ?? this.#marker()));
    if (count === undefined) this.#take(1);
    return values;
  }

  #object(): Json {
    const { type, count } = this.#head();
    const entries = new Map<string, Json>();
    const isOpen = () => (count === undefined ? this.#peek() !== '}' : entries.size < count);
    while (isOpen()) {
      const key = this.#text();
      if (entries.has(key)) throw this.#fail('each key once', JSON.stringify(key.slice(0, 40)));
      entries.set(key, this.#value(type ?? this.#marker()));
    }
    if (count === undefined) this.#take(1);
    return Object.fromEntries(entries);
  }

  #numbers(type: string, count: number): NumberList | number[] {
    const list = listOf(type, count);
    for (let place = 0; place < count; place++) list[place] = this.#number(type);
    return list;
  }

  #number(marker: string): number {
    const size = numberBytes[marker];
    if (size === undefined) throw this.#fail('a value', JSON.stringify(marker));
    const at = this.#take(size);
    switch (marker) {
      case 'i':
        return this.#view.getInt8(at);
      case 'U':
        return this.#view.getUint8(at);
      case 'I':
        return this.#view.getInt16(at);
      case 'l':
        return this.#view.getInt32(at);
      case 'L':
        return Number(this.#view.getBigInt64(at));
      case 'd':
        return this.#view.getFloat32(at);
      default:
        return this.#view.getFloat64(at);
    }
  }

  #text(): string {
    const length = this.#count();
    const at = this.#take(length);
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + at, length).toString();
  }

  #count(): number {
    const count = this.#number(this.#marker());
    if (Number.isSafeInteger(count) && count >= 0) return count;
    throw this.#fail('a length', `${count}`);
  }

  /** Returns the next type marker. Skips no-op markers (`N`), which may precede it. */
  #marker(): string {
    for (;;) {
      const marker = String.fromCharCode(this.#bytes[this.#take(1)]!);
      if (marker !== 'N') return marker;
    }
  }

  #peek(): string {
    while (this.#bytes[this.#at] === 'N'.charCodeAt(0)) this.#at++;
    if (this.#at >= this.#bytes.length) throw this.#fail('more of the file', 'its end');
    return String.fromCharCode(this.#bytes[this.#at]!);
  }

  #take(count: number): number {
    const at = this.#at;
    if (count > this.#bytes.length - at) throw this.#fail(`${count} bytes`, `${this.#bytes.length - at}`);
    this.#at = at + count;
    return at;
  }

  #fail(expected: string, received: string) {
    return damaged(`byte ${this.#at}`, expected, received);
  }
}

function listOf(type: string, count: number): NumberList | number[] {
  switch (type) {
    case 'i':
      return new Int8Array(count);
    case 'U':
      return new Uint8Array(count);
    case 'I':
      return new Int16Array(count);
    case 'l':
      return new Int32Array(count);
    case 'd':
      return new Float32Array(count);
    case 'D':
      return new Float64Array(count);
    default:
      return new Array<number>(count).fill(0);
  }
}
