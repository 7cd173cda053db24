import { natsError } from '../errors.js';
import { Reader } from './reader.js';
import { MAX_DEPTH, Tag, typedArrays } from './tags.js';

/**
 * Decodes the values in a message, one after the other.
 *
 * @param count the expected number of values
 * @throws ERR_NATS_MESSAGE for bytes that `encodeValue` does not write. The memory of the result is
 * proportional to the number of bytes.
 */
export function decodeValues(bytes: Uint8Array, count: number): unknown[] {
  const reader = new Reader(bytes);
  const values = Array.from({ length: count }, () => readValue(reader, 0));
  if (reader.left > 0) throw invalid('the end of the message', `${reader.left} more bytes`);
  return values;
}

function readValue(from: Reader, depth: number): unknown {
  if (depth > MAX_DEPTH) throw invalid(`at most ${MAX_DEPTH} nested levels`, 'more levels');
  const tag = from.byte();
  switch (tag) {
    case Tag.undefined:
      return undefined;
    case Tag.null:
      return null;
    case Tag.false:
      return false;
    case Tag.true:
      return true;
    case Tag.float64:
      return from.float64();
    case Tag.bigint:
      return readBigInt(from);
    case Tag.text:
    case Tag.text16:
      return from.text(tag === Tag.text ? 'utf8' : 'utf16le');
    case Tag.float64s:
      return from.float64s();
    case Tag.float32s:
      return from.float32s();
    case Tag.typedArray:
      return readTypedArray(from);
    default:
      return readNested(tag, from, depth + 1);
  }
}

function readNested(tag: number, from: Reader, depth: number): unknown {
  switch (tag) {
    case Tag.list: {
      // Each of several nested lists can claim all bytes that are left, so reserve nothing.
      const list: unknown[] = [];
      for (let left = from.count(1); left > 0; left--) list.push(readValue(from, depth));
      return list;
    }
    case Tag.object: {
      const object = {};
      for (let left = from.count(2); left > 0; left--) setField(object, readName(from), readValue(from, depth));
      return object;
    }
    case Tag.map: {
      const map = new Map<unknown, unknown>();
      for (let left = from.count(2); left > 0; left--) {
        const key = readValue(from, depth);
        map.set(key, readValue(from, depth));
      }
      return map;
    }
    case Tag.table:
      return readTable(from, depth);
    default:
      throw invalid('the type of a value', `byte ${tag}`);
  }
}

function readTable(from: Reader, depth: number): object[] {
  const count = from.count(1);
  const fields = from.count(2);
  if (fields === 0) throw invalid('a table with fields', 'no fields');
  const rows: object[] = [];
  for (let field = 0; field < fields; field++) {
    const name = readName(from);
    const column = readValue(from, depth);
    if (!Array.isArray(column) || column.length !== count) throw invalid(`a list of ${count} values`, 'another column');
    for (let row = 0; row < count; row++) {
      rows[row] ??= {};
      setField(rows[row]!, name, column[row]);
    }
  }
  return rows;
}

function readName(from: Reader): string {
  const name = readValue(from, MAX_DEPTH);
  if (typeof name === 'string') return name;
  throw invalid('the name of a field', `a ${typeof name}`);
}

/** The name of an element of an array. */
const ELEMENT = /^\d{1,10}$/;

/**
 * Sets a field of the object itself, also if its name is `__proto__`. If a field has the name of an
 * element, such as "1023", V8 would reserve memory for all elements before it. A field that was
 * once not writable makes V8 store the elements of the object in a hash table instead.
 */
function setField(object: object, name: string, value: unknown): void {
  const isElement = ELEMENT.test(name);
  if (isElement || name === '__proto__') {
    const attributes = { value, enumerable: true, configurable: true };
    if (isElement) Object.defineProperty(object, name, { ...attributes, writable: false });
    Object.defineProperty(object, name, { ...attributes, writable: true });
  } else (object as Record<string, unknown>)[name] = value;
}

function readBigInt(from: Reader): bigint {
  const isNegative = from.byte() === 1;
  const digits = Buffer.from(from.block()).reverse().toString('hex');
  const magnitude = digits === '' ? 0n : BigInt(`0x${digits}`);
  return isNegative ? -magnitude : magnitude;
}

function readTypedArray(from: Reader): ArrayBufferView {
  const kind = from.byte();
  const type = typedArrays[kind];
  if (type === undefined) throw invalid('the kind of a typed array', `byte ${kind}`);
  const bytes = from.block();
  if (bytes.length % type.BYTES_PER_ELEMENT !== 0)
    throw invalid(`a multiple of ${type.BYTES_PER_ELEMENT} bytes`, `${bytes.length} bytes`);
  // A copy, because the elements of a typed array must be aligned.
  return new type(new Uint8Array(bytes).buffer);
}

const invalid = (expected: string, received: string) => natsError('ERR_NATS_MESSAGE', { expected, received });
