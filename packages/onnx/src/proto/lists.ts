import type { WireFunctions } from '@brezel/object-store';
import { WireType } from '@bufbuild/protobuf/wire';
import { BytesList, type StringRun } from './bytes-list.js';
import type { Input } from './input.js';
import { IntList, PACKED } from './int-list.js';

// Lists are filled with the file's bytes unchanged, which works on little-endian hosts only, like
// the addon (x64, arm64).

/**
 * Collects the elements of a repeated field. A file may store them in any number of entries, packed
 * or not.
 */
export interface ListReader {
  append(input: Input, wire: WireType, tag: number): void;
  finish(): unknown;
}

/**
 * Numbers in a buffer that grows by doubling. If the count is known in advance, the buffer has
 * exactly that size.
 */
abstract class NumberList implements ListReader {
  protected length = 0;
  #buffer = new ArrayBuffer(0);

  constructor(readonly width: 4 | 8) {}

  protected abstract appendPacked(input: Input): void;
  /** Appends the next numbers, each with the tag before it, until another tag follows. */
  protected abstract appendTagged(input: Input, tag: number): void;
  /** Replaces the buffer that numbers are written to. */
  protected abstract use(buffer: ArrayBuffer): void;
  protected abstract make(buffer: ArrayBuffer): unknown;

  append(input: Input, wire: WireType, tag: number): void {
    if (wire === WireType.LengthDelimited) this.appendPacked(input);
    else this.appendTagged(input, tag);
  }

  protected reserve(count: number): void {
    const size = (this.length + count) * this.width;
    if (size <= this.#buffer.byteLength) return;
    const grown = new Uint8Array(Math.max(size, 2 * this.#buffer.byteLength));
    grown.set(new Uint8Array(this.#buffer, 0, this.length * this.width));
    this.adopt(grown.buffer);
  }

  /** Uses a buffer that starts with the numbers of the list. */
  protected adopt(buffer: ArrayBuffer): void {
    this.#buffer = buffer;
    this.use(buffer);
  }

  finish(): unknown {
    const size = this.length * this.width;
    return this.make(size === this.#buffer.byteLength ? this.#buffer : this.#buffer.slice(0, size));
  }
}

/** Reads floats and doubles. A packed list is copied in one step. */
abstract class FixedList extends NumberList {
  #target = new Uint8Array(0);

  protected override use(buffer: ArrayBuffer): void {
    this.#target = new Uint8Array(buffer);
  }

  protected override appendPacked(input: Input): void {
    const packed = input.view();
    const count = packed.length / this.width;
    if (!Number.isInteger(count)) throw input.fail('ERR_ONNX_FORMAT', 'a packed list that ends inside a number');
    this.reserve(count);
    this.#target.set(packed, this.length * this.width);
    this.length += count;
  }

  protected override appendTagged(input: Input, tag: number): void {
    const { bytes, reader } = input;
    input.need(this.width);
    const run = input.nativeRun()?.numbers(bytes, reader.pos, input.end, tag, this.width);
    if (run !== undefined) return this.#appendRun(input, run);
    const step = this.width + 1;
    let count = 1;
    for (let at = reader.pos + this.width; at + step <= input.end && bytes[at] === tag; at += step) count++;
    this.reserve(count);
    const target = this.#target;
    let to = this.length * this.width;
    for (let from = reader.pos; count > 0; count--, from += step) {
      for (let byte = 0; byte < this.width; byte++) target[to++] = bytes[from + byte]!;
      reader.pos = from + this.width;
    }
    this.length = to / this.width;
  }

  /**
   * Appends the numbers that the addon copied, at least one, and moves the reader behind these
   * numbers.
   */
  #appendRun({ reader }: Input, run: Uint8Array): void {
    const count = run.length / this.width;
    if (this.length === 0) {
      this.adopt(run.buffer as ArrayBuffer);
    } else {
      this.reserve(count);
      this.#target.set(run, this.length * this.width);
    }
    this.length += count;
    reader.pos += run.length + count - 1;
  }
}

export class FloatList extends FixedList {
  constructor() {
    super(4);
  }

  protected override make(buffer: ArrayBuffer): Float32Array {
    return new Float32Array(buffer);
  }
}

export class DoubleList extends FixedList {
  constructor() {
    super(8);
  }

  protected override make(buffer: ArrayBuffer): Float64Array {
    return new Float64Array(buffer);
  }
}

/** Reads varints. The list has one integer for each byte that ends a varint. */
abstract class VarintList extends NumberList {
  protected override appendPacked(input: Input): void {
    const end = input.span();
    const { bytes, reader } = input;
    let count = 0;
    for (let at = reader.pos; at < end; at++) if (bytes[at]! < 0x80) count++;
    this.reserve(count);
    for (let element = 0; element < count; element++) this.store(input, this.length++);
    if (reader.pos !== end) throw input.fail('ERR_ONNX_FORMAT', 'a packed list that ends inside a number');
  }

  protected override appendTagged(input: Input, tag: number): void {
    do {
      this.reserve(1);
      this.store(input, this.length++);
    } while (input.repeats(tag));
  }

  /** Reads one number into its place in the buffer. */
  protected abstract store(input: Input, index: number): void;
}

export class Int32List extends VarintList {
  #target = new Int32Array(0);

  constructor() {
    super(4);
  }

  protected override use(buffer: ArrayBuffer): void {
    this.#target = new Int32Array(buffer);
  }

  protected override store(input: Input, index: number): void {
    this.#target[index] = input.reader.int32();
  }

  protected override make(buffer: ArrayBuffer): Int32Array {
    return new Int32Array(buffer);
  }
}

export class Int64List extends VarintList {
  #words = new Int32Array(0);
  #target = new BigInt64Array(0);

  constructor() {
    super(8);
  }

  protected override use(buffer: ArrayBuffer): void {
    this.#words = new Int32Array(buffer);
    this.#target = new BigInt64Array(buffer);
  }

  protected override store(input: Input, index: number): void {
    const { bytes, reader } = input;
    const at = reader.pos;
    // A varint of at most four bytes, the common case, is decoded without a bigint.
    const isShort = (bytes[at]! & bytes[at + 1]! & bytes[at + 2]! & bytes[at + 3]! & 0x80) === 0;
    if (isShort) this.#words[2 * index] = reader.uint32();
    else this.#target[index] = input.int64();
  }

  protected override make(buffer: ArrayBuffer): BigInt64Array | BigUint64Array {
    return new BigInt64Array(buffer);
  }
}

export class Uint64List extends Int64List {
  protected override make(buffer: ArrayBuffer): BigUint64Array {
    return new BigUint64Array(buffer);
  }
}

/** Records the positions of the integers of an attribute without decoding them. */
export class IntListReader implements ListReader {
  readonly #bytes: Uint8Array;
  readonly #wire: WireFunctions | undefined;
  #stretches: Uint32Array = new Uint32Array(2);
  #used = 0;
  #length = 0;

  constructor({ bytes, wire }: Input) {
    this.#bytes = bytes;
    this.#wire = wire;
  }

  append(input: Input, wire: WireType, tag: number): void {
    const isPacked = wire === WireType.LengthDelimited;
    const end = isPacked ? input.span() : input.end;
    const start = input.reader.pos;
    this.#length += isPacked ? input.skipVarints(end) : input.skipTaggedVarints(tag);
    this.#stretches = atLeast(this.#used + 2, this.#stretches);
    this.#stretches[this.#used++] = isPacked ? start + PACKED : start;
    this.#stretches[this.#used++] = input.reader.pos;
  }

  finish(): IntList {
    return new IntList(this.#bytes, this.#stretches.slice(0, this.#used), this.#length, this.#wire);
  }
}

/** Records the positions of byte strings without copying them. */
export class BytesListReader implements ListReader {
  readonly #bytes: Uint8Array;
  readonly #wire: WireFunctions | undefined;
  /** The entries found by the addon, if they are the whole list. */
  #run: StringRun | undefined;
  #offsets: Uint32Array = new Uint32Array(0);
  #lengths: Uint32Array = new Uint32Array(0);
  #length = 0;

  constructor({ bytes, wire }: Input) {
    this.#bytes = bytes;
    this.#wire = wire;
  }

  append(input: Input, _wire: WireType, tag: number): void {
    this.#expandRun();
    if (this.#appendRun(input, tag)) return;
    this.#reserve(this.#length + input.countTagged(tag));
    do {
      const end = input.span();
      this.#offsets[this.#length] = input.reader.pos;
      this.#lengths[this.#length++] = end - input.reader.pos;
      input.reader.pos = end;
    } while (input.repeats(tag));
  }

  /**
   * Appends the strings that the addon finds. Returns false if the caller must read the strings
   * instead: the addon does not read damaged strings and short messages.
   */
  #appendRun(input: Input, tag: number): boolean {
    const start = input.reader.pos;
    const found = input.nativeRun()?.countStrings(input.bytes, start, input.end, tag);
    if (found === undefined || found.count === 0) return false;
    const run = { start, tag, ...found };
    input.reader.pos = run.end;
    const isWhole = !input.repeats(tag);
    if (this.#length === 0) this.#run = run;
    else this.#copyRun(run);
    if (!isWhole) this.#expandRun();
    return isWhole;
  }

  /** Stores the position of each string that the addon found, because further strings follow. */
  #expandRun(): void {
    if (this.#run !== undefined) this.#copyRun(this.#run);
    this.#run = undefined;
  }

  #copyRun({ start, end, tag, count }: StringRun): void {
    const { offsets, lengths } = this.#wire!.strings(this.#bytes, start, end, tag);
    this.#reserve(this.#length + count);
    this.#offsets.set(offsets, this.#length);
    this.#lengths.set(lengths, this.#length);
    this.#length += count;
  }

  #reserve(count: number): void {
    this.#offsets = atLeast(count, this.#offsets);
    this.#lengths = atLeast(count, this.#lengths);
  }

  finish(): BytesList {
    if (this.#run !== undefined) return BytesList.ofRun(this.#bytes, this.#run, this.#wire!);
    return BytesList.at(this.#bytes, this.#offsets.subarray(0, this.#length), this.#lengths.subarray(0, this.#length));
  }
}

/** Returns the array, or a larger copy of it if it holds fewer than `count` elements. */
function atLeast(count: number, array: Uint32Array): Uint32Array {
  if (count <= array.length) return array;
  const larger = new Uint32Array(Math.max(count, 2 * array.length));
  larger.set(array);
  return larger;
}
