import type { WireFunctions } from '@brezel/object-store';
import { WireType } from '@bufbuild/protobuf/wire';
import { BytesList, type StringRun } from './bytes-list.js';
import type { Input } from './input.js';
import { IntList, PACKED } from './int-list.js';

// Lists are filled with the file's bytes unchanged, which works on little-endian hosts only, like
// the addon (x64, arm64).

/**
 * Collects the elements of a list field. A file may contain the field several times, and each time
 * one element or packed elements.
 */
export interface ListReader {
  append(input: Input, wire: WireType, tag: number): void;
  finish(): unknown;
}

/**
 * Collects numbers in a buffer. If the reader knows how many numbers follow, it makes the buffer
 * large enough for them; otherwise the buffer doubles when it is full.
 */
abstract class NumberList implements ListReader {
  protected length = 0;
  #buffer = new ArrayBuffer(0);

  constructor(readonly width: 4 | 8) {}

  protected abstract appendPacked(input: Input): void;
  /** Appends the current number, and all directly following numbers that have the tag `tag`. */
  protected abstract appendTagged(input: Input, tag: number): void;
  /** Makes `buffer` the buffer to which the list writes numbers. */
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

  /** Replaces the buffer by one that starts with the numbers read so far. */
  protected adopt(buffer: ArrayBuffer): void {
    this.#buffer = buffer;
    this.use(buffer);
  }

  finish(): unknown {
    const size = this.length * this.width;
    return this.make(size === this.#buffer.byteLength ? this.#buffer : this.#buffer.slice(0, size));
  }
}

/** Reads a list of floats or doubles. Copies the bytes of a packed list without a loop. */
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
   * Appends the numbers that the addon has copied (at least one), and moves the reader to the byte
   * after them.
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

/**
 * Reads a list of varints. Each byte below 128 ends a varint, so counting these bytes gives the
 * number of integers.
 */
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

  /** Reads a varint and stores it as element `index` of the buffer. */
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

/** Collects where the integers of an attribute are in the file, without decoding them. */
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

/** Collects where the byte strings of a list are in the file, without copying them. */
export class BytesListReader implements ListReader {
  readonly #bytes: Uint8Array;
  readonly #wire: WireFunctions | undefined;
  /** The adjacent entries that the addon found, as long as they are the whole list. */
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
   * Lets the addon find adjacent strings, and appends them. Returns false if the caller must read
   * the next string: the message is short, or the addon stopped at a damaged string.
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

  /**
   * Converts `#run` to separate offsets and lengths, because further strings follow elsewhere in
   * the file.
   */
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

/** Returns the array if it has at least `count` elements, otherwise a larger copy. */
function atLeast(count: number, array: Uint32Array): Uint32Array {
  if (count <= array.length) return array;
  const larger = new Uint32Array(Math.max(count, 2 * array.length));
  larger.set(array);
  return larger;
}
