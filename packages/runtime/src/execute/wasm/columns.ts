import type { NativeColumn } from '../native/native-kernels.js';
import { type Address, kernelError, type WasmInstance } from './instance.js';

/** The slot kinds and element types of the addon (native/include/kernel.hpp). */
export const kinds = { text: 0, sparse: 1, dense: 2, dictionary: 3 } as const;
const dtypes = { float32: 0, float64: 1, int64: 2, int32: 3, bool: 4, label: 5 } as const;

/** Bytes of an element, by the number of its type. */
const elementBytes = [4, 8, 8, 4, 1, 4] as const;

/** The parts of a column that `input_room` allocates. */
const parts = { offsets: 0, ids: 1, values: 2 } as const;

/** The type of a slot: its kind and dtype as numbers, and the elements of a row. */
export interface SlotType {
  readonly kind: number;
  readonly dtype: number;
  /** 0 for an input that no stage reads. */
  readonly size: number;
}

/** A plan in the module, with the types of its inputs and outputs. */
export interface WasmPlan {
  readonly address: Address;
  readonly inputs: readonly SlotType[];
  readonly outputs: readonly SlotType[];
  readonly width: number;
  readonly blockRows: number;
  readonly maxInputBytes: number;
  readonly stages: number;
}

/** The rows of a call that one run of the module reads. */
export interface RowRange {
  readonly first: number;
  readonly rows: number;
  /** The number of rows of the call. */
  readonly total: number;
}

export const isBytes = ({ kind }: SlotType): boolean => kind === kinds.text || kind === kinds.dictionary;

/** A UTF-16 unit takes at most this many bytes in UTF-8. */
const BYTES_PER_UNIT = 3;
/**
 * Texts of a block are read until they reach this many bytes (kBlockBytes in native/src/stage.hpp).
 */
const BLOCK_BYTES = 2 ** 20;
/** A text of up to this many units is first copied as ASCII, which is faster than `encodeInto`. */
const SHORT_TEXT = 24;

const encoder = new TextEncoder();

/**
 * Writes a text to the memory of the module and returns its number of bytes. There is room for it.
 *
 * @throws ERR_NATIVE_INPUT for a text that is too long or is not UTF-8.
 */
export function writeText(instance: WasmInstance, text: string | Uint8Array, at: Address, most: number): number {
  if (typeof text === 'string') {
    const length = text.length <= SHORT_TEXT ? writeAscii(instance.bytes, text, at) : -1;
    const written = length >= 0 ? length : encoder.encodeInto(text, instance.bytes.subarray(at)).written;
    return written <= most ? written : tooLong();
  }
  if (text.length > most) tooLong();
  instance.bytes.set(text, at);
  if (instance.exports.is_utf8(at, text.length) === 0) throw kernelError('INPUT', 'text is not valid UTF-8');
  return text.length;
}

/** Writes a text of ASCII and returns its length. Returns -1 for another text. */
function writeAscii(bytes: Uint8Array, text: string, at: Address): number {
  for (let unit = 0; unit < text.length; unit++) {
    const code = text.charCodeAt(unit);
    if (code >= 0x80) return -1;
    bytes[at + unit] = code;
  }
  return text.length;
}

/** Returns the largest number of bytes that a text can need. */
export function roomOf(text: unknown, most: number): number {
  if (typeof text === 'string') return text.length > most ? tooLong() : text.length * BYTES_PER_UNIT;
  if (text instanceof Uint8Array) return text.length;
  throw kernelError('INPUT', 'text is neither a string nor a Uint8Array');
}

function tooLong(): never {
  throw kernelError('INPUT', 'text is longer than maxInputBytes');
}

type TextColumn = readonly (string | Uint8Array)[];

/** Returns how many rows of a block fit, so that the texts of a block stay in the cache. */
export function rowsOfBlock(plan: WasmPlan, columns: readonly NativeColumn[], first: number, most: number): number {
  if (!plan.inputs.some((type) => type.size > 0 && isBytes(type))) return most;
  let bytes = 0;
  let rows = 0;
  for (; rows < most && bytes < BLOCK_BYTES; rows++)
    for (let input = 0; input < columns.length; input++) {
      const type = plan.inputs[input]!;
      if (type.size === 0 || !isBytes(type)) continue;
      const from = (first + rows) * type.size;
      for (let at = 0; at < type.size; at++) bytes += (columns[input] as TextColumn)[from + at]?.length ?? 0;
    }
  return rows;
}

/** Writes the rows of a range into the input of a plan. */
export function writeColumn(
  instance: WasmInstance,
  plan: WasmPlan,
  input: number,
  column: NativeColumn,
  range: RowRange,
): void {
  const type = plan.inputs[input]!;
  if (type.size === 0) return;
  if (isBytes(type)) return writeTexts(instance, plan, input, column as TextColumn, range);
  if (type.kind === kinds.sparse) return writeSparse(instance, plan, input, column as SparseColumn, range);
  writeNumbers(instance, plan, input, column as Float64Array, range);
}

function writeTexts(
  instance: WasmInstance,
  plan: WasmPlan,
  input: number,
  column: TextColumn,
  { first, rows }: RowRange,
): void {
  const { kind, size } = plan.inputs[input]!;
  const isText = kind === kinds.text;
  const most = isText ? plan.maxInputBytes : MOST_BYTES;
  const [from, count] = [first * size, rows * size];
  let room = 0;
  for (let at = 0; at < count; at++) room += roomOf(column[from + at], most);
  if (room > MOST_BYTES * BYTES_PER_UNIT) throw kernelError('INPUT', 'the texts of a row are too long together');
  const offsets = inputRoom(instance, plan, input, parts.offsets, 4 * (count + 1)) / 4;
  const values = inputRoom(instance, plan, input, parts.values, room);
  let end = 0;
  for (let at = 0; at < count; at++) {
    instance.words[offsets + at] = end;
    const value = column[from + at]!;
    end += isText
      ? writeText(instance, value, values + end, most)
      : writeDictionary(instance, value as Uint8Array, values + end);
  }
  instance.words[offsets + count] = end;
  instance.exports.input_set(plan.address, input);
}

/** The largest number of bytes of a text (kMaxInputBytes in native/src/stage.hpp). */
const MOST_BYTES = 2 ** 28;

function writeDictionary({ bytes, exports }: WasmInstance, packed: Uint8Array, at: Address): number {
  bytes.set(packed, at);
  if (exports.is_dictionary(at, packed.length) === 0) throw kernelError('INPUT', 'a dictionary is packed wrongly');
  return packed.length;
}

type SparseColumn = { readonly offsets: Uint32Array; readonly ids: Uint32Array; readonly values: Float32Array };

function writeSparse(
  instance: WasmInstance,
  plan: WasmPlan,
  input: number,
  { offsets, ids, values }: SparseColumn,
  { first, rows }: RowRange,
): void {
  const { size } = plan.inputs[input]!;
  const [start, end] = [offsets[first]!, offsets[first + rows]!];
  const wrong = () => kernelError('ARGUMENT', 'a sparse column is not offsets, ids and values that fit together');
  if (ids.length !== values.length || !(end <= ids.length)) throw wrong();
  const own = Uint32Array.from(offsets.subarray(first, first + rows + 1), (offset) => offset - start);
  for (let row = 0; row < rows; row++)
    if (!(own[row]! <= own[row + 1]! && own[row + 1]! - own[row]! <= size)) throw wrong();
  for (let at = start; at < end; at++) if (!(ids[at]! < size)) throw wrong();
  const room = (part: number, bytes: number) => inputRoom(instance, plan, input, part, bytes) / 4;
  const places = [room(parts.offsets, 4 * own.length), room(parts.ids, 4 * (end - start))] as const;
  const numbers = room(parts.values, 4 * (end - start));
  instance.words.set(own, places[0]);
  instance.words.set(ids.subarray(start, end), places[1]);
  instance.words.set(new Uint32Array(values.slice(start, end).buffer), numbers);
  instance.exports.input_set(plan.address, input);
}

function writeNumbers(
  instance: WasmInstance,
  plan: WasmPlan,
  input: number,
  column: NativeColumn,
  { first, rows, total }: RowRange,
): void {
  const { size, dtype } = plan.inputs[input]!;
  const [from, count] = [first * size, rows * size];
  if (!ArrayBuffer.isView(column) || column.length !== total * size)
    throw kernelError('ARGUMENT', 'a column is not a typed array of rows * size numbers');
  const own = (column as Float64Array).subarray(from, from + count);
  if (own instanceof Float64Array && dtype !== dtypes.float64) {
    const address = instance.guard(({ number_room }) => number_room(count)) >>> 0;
    instance.numbers.set(own, address / 8);
    instance.guard(({ input_numbers }) => input_numbers(plan.address, input, count));
    return;
  }
  if (own.BYTES_PER_ELEMENT !== elementBytes[dtype])
    throw kernelError('ARGUMENT', 'a column is not a typed array of its element type');
  const address = inputRoom(instance, plan, input, parts.values, count * own.BYTES_PER_ELEMENT);
  instance.bytes.set(new Uint8Array(own.buffer, own.byteOffset, own.byteLength), address);
  if (dtype === dtypes.bool)
    for (let at = 0; at < count; at++) instance.bytes[address + at] = instance.bytes[address + at] === 0 ? 0 : 1;
  instance.exports.input_set(plan.address, input);
}

export function inputRoom(instance: WasmInstance, plan: WasmPlan, input: number, part: number, bytes: number): Address {
  return instance.guard(({ input_room }) => input_room(plan.address, input, part, bytes)) >>> 0;
}

/** The values of one output. Each block of rows appends its values. */
export class OutputColumn {
  readonly #type: SlotType;
  readonly #texts: string[] = [];
  readonly #values: Uint8Array[] = [];
  readonly #ids: Uint8Array[] = [];
  readonly #offsets: number[] = [0];

  constructor(type: SlotType) {
    this.#type = type;
  }

  /**
   * Copies the output of the last run. `address` points to the three addresses that the module
   * wrote.
   */
  add(instance: WasmInstance, address: Address, rows: number): void {
    const { kind, size, dtype } = this.#type;
    const { words } = instance;
    const [offsets, ids, values] = [0, 1, 2].map((part) => words[address / 4 + part]!) as [number, number, number];
    const copy = (from: Address, bytes: number) => instance.bytes.slice(from, from + bytes);
    if (kind === kinds.dense) {
      this.#values.push(copy(values, rows * size * elementBytes[dtype]!));
      return;
    }
    const ends = words.subarray(offsets / 4, offsets / 4 + (kind === kinds.text ? rows * size : rows) + 1);
    if (kind === kinds.text) {
      for (let at = 0; at + 1 < ends.length; at++)
        this.#texts.push(decoder.decode(instance.bytes.subarray(values + ends[at]!, values + ends[at + 1]!)));
      return;
    }
    const before = this.#offsets.at(-1)!;
    for (let row = 1; row <= rows; row++) this.#offsets.push(before + ends[row]!);
    this.#ids.push(copy(ids, 4 * ends[rows]!));
    this.#values.push(copy(values, 4 * ends[rows]!));
  }

  /** Returns the values of all rows, in the form that `runColumns` of the addon returns. */
  finish(): NativeColumn {
    const { kind, dtype } = this.#type;
    if (kind === kinds.text) return this.#texts;
    const values = joined(this.#values);
    if (kind === kinds.dense) return arrayOf(dtype, values);
    const ids = new Uint32Array(joined(this.#ids));
    return { offsets: Uint32Array.from(this.#offsets), ids, values: new Float32Array(values) };
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function joined(pieces: readonly Uint8Array[]): ArrayBuffer {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all.buffer;
}

function arrayOf(dtype: number, values: ArrayBuffer): NativeColumn {
  switch (dtype) {
    case dtypes.float32:
      return new Float32Array(values);
    case dtypes.float64:
      return new Float64Array(values);
    case dtypes.int64:
      return new BigInt64Array(values);
    case dtypes.bool:
      return new Uint8Array(values);
    default:
      return new Int32Array(values);
  }
}
