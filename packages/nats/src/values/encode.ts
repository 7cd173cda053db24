import { natsError } from '../errors.js';
import { MAX_DEPTH, Tag, typedArrays } from './tags.js';
import { Writer } from './writer.js';

/**
 * Encodes a value without loss: NaN, infinities, -0, bigints, texts with any UTF-16 units, typed
 * arrays and Maps. For an object, encodes its own enumerable fields.
 *
 * @param limit the largest number of bytes
 * @throws ERR_NATS_VALUE for a function, a symbol, an instance of another built-in class, or a
 * value that is nested deeper than 64 levels; ERR_NATS_TOO_LARGE.
 */
export function encodeValue(value: unknown, limit: number): Uint8Array {
  const writer = new Writer(limit);
  writeValue(value, writer, 0);
  return writer.bytes;
}

function writeValue(value: unknown, to: Writer, depth: number): void {
  checkDepth(depth);
  switch (typeof value) {
    case 'number':
      to.byte(Tag.float64);
      return to.float64(value);
    case 'string':
      return writeText(value, to);
    case 'boolean':
      return to.byte(value ? Tag.true : Tag.false);
    case 'undefined':
      return to.byte(Tag.undefined);
    case 'bigint':
      return writeBigInt(value, to);
    case 'object':
      return value === null ? to.byte(Tag.null) : writeObject(value, to, depth);
    default:
      throw unsupported(`a ${typeof value}`);
  }
}

function checkDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw natsError('ERR_NATS_VALUE', { expected: `at most ${MAX_DEPTH} nested levels` });
}

function writeText(value: string, to: Writer): void {
  const isUtf8 = value.isWellFormed();
  to.byte(isUtf8 ? Tag.text : Tag.text16);
  to.text(value, isUtf8 ? 'utf8' : 'utf16le');
}

function writeBigInt(value: bigint, to: Writer): void {
  const digits = (value < 0n ? -value : value).toString(16);
  to.byte(Tag.bigint);
  to.byte(value < 0n ? 1 : 0);
  to.block(Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex').reverse());
}

function writeObject(value: object, to: Writer, depth: number): void {
  if (Array.isArray(value)) return writeList(value, to, depth);
  if (ArrayBuffer.isView(value)) return writeTypedArray(value, to);
  if (value instanceof Map) {
    to.byte(Tag.map);
    to.count(value.size);
    for (const [key, entry] of value) {
      writeValue(key, to, depth + 1);
      writeValue(entry, to, depth + 1);
    }
    return;
  }
  const kind = Object.prototype.toString.call(value);
  if (kind !== '[object Object]') throw unsupported(kind.slice(8, -1));
  const names = Object.keys(value);
  to.byte(Tag.object);
  to.count(names.length);
  for (const name of names) {
    writeText(name, to);
    writeValue((value as Readonly<Record<string, unknown>>)[name], to, depth + 1);
  }
}

function writeTypedArray(value: ArrayBufferView, to: Writer): void {
  const kind = typedArrays.findIndex((type) => value instanceof type);
  if (kind < 0) throw unsupported(Object.prototype.toString.call(value).slice(8, -1));
  to.byte(Tag.typedArray);
  to.byte(kind);
  to.block(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
}

function writeList(given: readonly unknown[], to: Writer, depth: number): void {
  // A copy: a hole becomes undefined, and a getter of an element cannot change the list later.
  const list = Array.from(given);
  if (isNumbers(list)) return writeNumbers(list, to);
  const names = sharedFields(list);
  if (names !== undefined) return writeTable(list as readonly Readonly<Record<string, unknown>>[], names, to, depth);
  to.byte(Tag.list);
  to.count(list.length);
  for (const element of list) writeValue(element, to, depth + 1);
}

const isNumbers = (list: readonly unknown[]): list is readonly number[] =>
  list.length > 0 && list.every((element) => typeof element === 'number');

function writeNumbers(list: readonly number[], to: Writer): void {
  const isFloat32 = list.every((value) => Object.is(Math.fround(value), value));
  to.byte(isFloat32 ? Tag.float32s : Tag.float64s);
  to.count(list.length);
  if (isFloat32) to.float32s(list);
  else to.float64s(list);
}

/**
 * Returns the names of the fields if the list contains two or more plain objects that have the same
 * fields in the same order.
 */
function sharedFields(list: readonly unknown[]): readonly string[] | undefined {
  if (list.length < 2 || !list.every(isPlainObject)) return undefined;
  const names = Object.keys(list[0] as object);
  if (names.length === 0) return undefined;
  const isSame = (object: unknown) => {
    const others = Object.keys(object as object);
    return others.length === names.length && others.every((name, index) => name === names[index]);
  };
  return list.every(isSame) ? names : undefined;
}

function isPlainObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function writeTable(
  rows: readonly Readonly<Record<string, unknown>>[],
  names: readonly string[],
  to: Writer,
  depth: number,
): void {
  checkDepth(depth + 1); // the level of the columns
  to.byte(Tag.table);
  to.count(rows.length);
  to.count(names.length);
  for (const name of names) {
    writeText(name, to);
    const column = rows.map((row) => row[name]);
    writeList(column, to, depth + 1);
  }
}

const unsupported = (received: string) => natsError('ERR_NATS_VALUE', { received });
