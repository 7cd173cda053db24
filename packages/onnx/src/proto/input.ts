import { isUtf8 } from 'node:buffer';
import type { WireFunctions } from '@brezel/object-store';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { type OnnxError, onnxError, type onnxErrors } from '../errors.js';
import { greaterLimit, type ImportLimits } from '../limits.js';

const MAX_VARINT_BYTES = 10;

/**
 * The addon reads lists in messages with at least this many bytes. For shorter messages JavaScript
 * is faster, because a call of the addon takes about 1 µs.
 */
const NATIVE_BYTES = 256;

/**
 * Reads the values of a protobuf file one after another. Each method checks the end of the current
 * message and the limits of the import. Each error contains the path of the field and its offset.
 *
 * These checks are needed because `BinaryReader` checks the end of the file only, and truncates
 * lengths to 32 bits.
 */
export class Input {
  readonly reader: BinaryReader;
  /** The offset after the last byte of the current message. */
  end: number;
  /** The name of the current field, for errors. */
  field = '';
  readonly #path: { readonly field: string; readonly index: number | undefined }[] = [];
  readonly #buffer: Buffer;
  readonly #onRead: ((done: number) => void) | undefined;
  /** The number of bytes read at the last call of `onRead`. */
  #reported = 0;
  /** The error that `onRead` threw. */
  #stop: { readonly error: unknown } | undefined;
  #items = 0;

  /**
   * @param onRead called with the number of bytes read, after about every hundredth of the file.
   * @param wire the addon's functions, if it is loaded.
   */
  constructor(
    readonly bytes: Uint8Array,
    readonly limits: ImportLimits,
    onRead?: (done: number) => void,
    readonly wire?: WireFunctions,
  ) {
    this.#onRead = onRead;
    this.reader = new BinaryReader(bytes);
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.end = bytes.length;
    if (bytes.length > limits.fileBytes) throw this.tooMuch('fileBytes', `${bytes.length} bytes`);
  }

  /**
   * Reads the tag of a field: 8 times its number, plus its wire type. `BinaryReader.tag` returns an
   * array, which takes longer to read and to compile.
   */
  tag(): number {
    const tag = this.reader.uint32();
    if (tag >>> 3 > 0 && (tag & 7) <= WireType.Bit32) return tag;
    throw this.fail('ERR_ONNX_FORMAT', `illegal tag: field no ${tag >>> 3} wire type ${tag & 7}`);
  }

  fail(code: keyof typeof onnxErrors, received: string, cause?: unknown, hint?: string): OnnxError {
    const path = this.#path.map(({ field, index }) => (index === undefined ? field : `${field}[${index}]`));
    const place = [...path, this.field].filter(Boolean).join('.');
    const at = `byte ${this.reader.pos}${place && ` in ${place}`}`;
    return onnxError(code, { received, cause, at, ...(hint !== undefined && { hint }) });
  }

  #report(): void {
    this.#reported = this.reader.pos;
    try {
      this.#onRead?.(this.#reported);
    } catch (error) {
      this.#stop = { error };
      throw error;
    }
  }

  /**
   * Converts errors of `BinaryReader` about damaged bytes to errors with the position. Returns
   * other errors unchanged: a `TypeError`, for example, is a bug in Brezel.
   */
  explain(error: unknown): unknown {
    if (this.#stop?.error === error) return error;
    const isDamage = error instanceof RangeError || (error instanceof Error && error.constructor === Error);
    return isDamage ? this.fail('ERR_ONNX_FORMAT', error.message, error) : error;
  }

  tooMuch(limit: keyof ImportLimits, received: string): OnnxError {
    const current = this.limits[limit];
    const hint = greaterLimit(limit, Math.max(2 * current, limit === 'fileBytes' ? this.bytes.length : 1));
    return this.fail('ERR_ONNX_LIMIT', `${received}, the limit '${limit}' is ${current}`, undefined, hint);
  }

  /**
   * Counts an object towards `limits.items`. Call this method for every object that the reader
   * creates.
   */
  count(): void {
    if (++this.#items > this.limits.items) throw this.tooMuch('items', 'more messages, names and dimensions');
  }

  /** Reads a length, and returns the offset of the end of the bytes that follow it. */
  span(): number {
    const { reader, bytes } = this;
    const start = reader.pos;
    const length = reader.uint32();
    const size = reader.pos - start;
    if (size > 5 || (size === 5 && bytes[reader.pos - 1]! > 0x0f)) {
      throw this.fail('ERR_ONNX_FORMAT', 'a length of over 32 bits');
    }
    const left = Math.max(0, this.end - reader.pos);
    if (length > left) throw this.fail('ERR_ONNX_FORMAT', `a length of ${length} bytes where ${left} are left`);
    return reader.pos + length;
  }

  /** Throws if fewer than `width` bytes of the current message remain. */
  need(width: number): void {
    if (this.end - this.reader.pos < width) throw this.fail('ERR_ONNX_FORMAT', 'a number cut off');
  }

  float(): number {
    this.need(4);
    return this.reader.float();
  }

  int64(): bigint {
    // The reader returns decimal strings instead when BUF_BIGINT_DISABLE is set.
    return BigInt(this.reader.int64());
  }

  safeInt(): number {
    const value = Number(this.reader.int64());
    if (!Number.isSafeInteger(value)) throw this.fail('ERR_ONNX_FORMAT', `${value}, beyond 2^53`);
    return value;
  }

  /** Reads a length and that many bytes. Returns the bytes as a view of the file. */
  view(): Uint8Array {
    const end = this.span();
    const view = this.bytes.subarray(this.reader.pos, end);
    this.reader.pos = end;
    return view;
  }

  /** Reads text for display. Bytes that are not UTF-8 become U+FFFD. */
  text(): string {
    this.count();
    return this.#decode(this.span());
  }

  /**
   * Reads a name. Throws for invalid UTF-8, because U+FFFD instead of invalid bytes could make two
   * names equal.
   */
  name(): string {
    this.count();
    const end = this.span();
    const start = this.reader.pos;
    const text = this.#decode(end);
    if (text.includes('\uFFFD') && !isUtf8(this.bytes.subarray(start, end))) {
      throw this.fail('ERR_ONNX_FORMAT', 'a name that is not UTF-8');
    }
    return text;
  }

  #decode(end: number): string {
    const size = end - this.reader.pos;
    if (size > this.limits.textBytes) throw this.tooMuch('textBytes', `a text of ${size} bytes`);
    const text = this.#buffer.toString('utf8', this.reader.pos, end);
    this.reader.pos = end;
    return text;
  }

  /**
   * Skips the next tag and returns true if it equals `tag`, otherwise returns false. A list that is
   * not packed has a tag for each element.
   */
  repeats(tag: number): boolean {
    if (this.reader.pos >= this.end || this.bytes[this.reader.pos] !== tag) return false;
    this.reader.pos++;
    return true;
  }

  /**
   * Counts the strings or messages that follow each other with the tag `tag`. Stops at another tag
   * or a damaged byte. Does not move the position.
   */
  countTagged(tag: number): number {
    const { bytes, end } = this;
    let count = 1;
    for (let at = this.reader.pos; at < end; count++) {
      let length = 0;
      for (let shift = 0; shift < 32; shift += 7) {
        const byte = bytes[at++]!;
        length += (byte & 0x7f) * 2 ** shift;
        if (!(byte >= 0x80)) break;
      }
      at += length;
      if (!(at < end) || bytes[at++] !== tag) break;
    }
    return count;
  }

  /**
   * Returns the addon's functions if the rest of the current message is long enough that the addon
   * is faster. Otherwise returns undefined.
   */
  nativeRun(): WireFunctions | undefined {
    return this.end - this.reader.pos < NATIVE_BYTES ? undefined : this.wire;
  }

  /** Skips varints up to `end` and returns their number. */
  skipVarints(end: number): number {
    const { bytes, reader } = this;
    const run = this.nativeRun()?.varints(bytes, reader.pos, end, 0);
    if (run !== undefined) reader.pos = run.end;
    let count = run?.count ?? 0;
    while (reader.pos < end) {
      count++;
      reader.pos = this.#endOfVarint(bytes, reader.pos, end);
    }
    return count;
  }

  /**
   * Skips a varint and all directly following varints with the tag `tag`. Returns how many varints
   * it skipped.
   */
  skipTaggedVarints(tag: number): number {
    const { bytes, reader, end } = this;
    const run = this.nativeRun()?.varints(bytes, reader.pos, end, tag);
    const isRead = run !== undefined && run.count > 0;
    let at = isRead ? run.end : this.#endOfVarint(bytes, reader.pos, end);
    let count = isRead ? run.count : 1;
    for (; at < end && bytes[at] === tag; count++) at = this.#endOfVarint(bytes, at + 1, end);
    reader.pos = at;
    return count;
  }

  #endOfVarint(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end && bytes[at]! >= 0x80) at++;
    if (at - start >= MAX_VARINT_BYTES) throw this.fail('ERR_ONNX_FORMAT', 'invalid varint encoding');
    if (at >= end) throw this.fail('ERR_ONNX_FORMAT', 'a list that ends inside a number');
    return at + 1;
  }

  /** Skips the value of an unknown field, which a newer version of ONNX may define. */
  skip(wire: WireType): void {
    switch (wire) {
      case WireType.Varint:
        this.reader.int64();
        break;
      case WireType.Bit32:
      case WireType.Bit64: {
        const width = wire === WireType.Bit32 ? 4 : 8;
        this.need(width);
        this.reader.pos += width;
        break;
      }
      case WireType.LengthDelimited:
        this.reader.pos = this.span();
        break;
      default:
        throw this.fail('ERR_ONNX_FORMAT', 'a group, which no ONNX message has');
    }
  }

  /**
   * Calls `body` to read a nested message; meanwhile, `end` is the end of this message. Throws if
   * the message exceeds the enclosing message, or if messages are nested too deeply.
   */
  nested<T>(index: number | undefined, body: () => T): T {
    this.count();
    const outer = { end: this.end, field: this.field };
    this.end = this.span();
    this.#path.push({ field: outer.field, index });
    if (this.#path.length > this.limits.depth) throw this.tooMuch('depth', 'messages nested deeper');
    const value = body();
    if (this.#onRead !== undefined && this.reader.pos - this.#reported >= this.bytes.length / 100) this.#report();
    this.#path.pop();
    this.end = outer.end;
    this.field = outer.field;
    return value;
  }
}
