import { WireType } from '@bufbuild/protobuf/wire';
import { BytesList } from './bytes-list.js';
import type { Input } from './input.js';

// Lists are filled with bytes as they lie in the file: little-endian hosts only, like the addon (x64, arm64).

/** Collects a repeated field, which a file may spread over any number of fields, packed or not. */
export interface ListReader {
  append(input: Input, wire: WireType, tag: number): void;
  finish(): unknown;
}

/** Numbers in a buffer that grows by doubling, and is exact where the count is known at once. */
abstract class NumberList implements ListReader {
  protected length = 0;
  #buffer = new ArrayBuffer(0);

  constructor(readonly width: 4 | 8) {}

  protected abstract appendOne(input: Input): void;
  protected abstract appendPacked(input: Input): void;
  /** Gives the buffer to write to from now on. */
  protected abstract use(buffer: ArrayBuffer): void;
  protected abstract make(buffer: ArrayBuffer): unknown;

  append(input: Input, wire: WireType, tag: number): void {
    if (wire === WireType.LengthDelimited) {
      this.appendPacked(input);
      return;
    }
    do this.appendOne(input);
    while (input.repeats(tag));
  }

  protected reserve(count: number): void {
    const size = (this.length + count) * this.width;
    if (size <= this.#buffer.byteLength) return;
    const grown = new Uint8Array(Math.max(size, 2 * this.#buffer.byteLength));
    grown.set(new Uint8Array(this.#buffer, 0, this.length * this.width));
    this.#buffer = grown.buffer;
    this.use(this.#buffer);
  }

  finish(): unknown {
    const size = this.length * this.width;
    return this.make(size === this.#buffer.byteLength ? this.#buffer : this.#buffer.slice(0, size));
  }
}

/** Floats and doubles: packed ones are one copy. */
abstract class FixedList extends NumberList {
  #target = new Uint8Array(0);

  protected override use(buffer: ArrayBuffer): void {
    this.#target = new Uint8Array(buffer);
  }

  protected override appendPacked(input: Input): void {
    const chunk = input.view();
    const count = chunk.length / this.width;
    if (!Number.isInteger(count)) throw input.fail('ERR_ONNX_FORMAT', 'a packed list that ends inside a number');
    this.reserve(count);
    this.#target.set(chunk, this.length * this.width);
    this.length += count;
  }

  protected override appendOne(input: Input): void {
    input.need(this.width);
    this.reserve(1);
    const from = input.reader.pos;
    const to = this.length++ * this.width;
    for (let byte = 0; byte < this.width; byte++) this.#target[to + byte] = input.bytes[from + byte]!;
    input.reader.pos = from + this.width;
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

/** Integers: as many as there are bytes that end a varint. */
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

  protected override appendOne(input: Input): void {
    this.reserve(1);
    this.store(input, this.length++);
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
    // A varint of at most four bytes, as most ids are, needs no bigint in between.
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

/** Byte strings: only their places are noted. */
export class BytesListReader implements ListReader {
  readonly #bytes: Uint8Array;
  #offsets: Uint32Array = new Uint32Array(16);
  #lengths: Uint32Array = new Uint32Array(16);
  #length = 0;

  constructor(input: Input) {
    this.#bytes = input.bytes;
  }

  append(input: Input, _wire: WireType, tag: number): void {
    do this.#appendOne(input);
    while (input.repeats(tag));
  }

  #appendOne(input: Input): void {
    if (this.#length === this.#offsets.length) this.#grow();
    const end = input.span();
    this.#offsets[this.#length] = input.reader.pos;
    this.#lengths[this.#length++] = end - input.reader.pos;
    input.reader.pos = end;
  }

  #grow(): void {
    this.#offsets = doubled(this.#offsets);
    this.#lengths = doubled(this.#lengths);
  }

  finish(): BytesList {
    return new BytesList(this.#bytes, this.#offsets.slice(0, this.#length), this.#lengths.slice(0, this.#length));
  }
}

function doubled(array: Uint32Array): Uint32Array {
  const larger = new Uint32Array(2 * array.length);
  larger.set(array);
  return larger;
}
