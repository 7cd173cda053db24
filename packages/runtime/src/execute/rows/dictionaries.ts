import type { Dictionary, DictionaryEntry, DictionaryType, DictionaryValue } from '@brezel/core';
import { runtimeError } from '../../errors.js';
import { describe, numberElement } from './elements.js';
import type { PlaceOf, RowPlace } from './row-place.js';

/** `dictionaryBytes` counts each number as 8 bytes, the size of a float64. */
const NUMBER_BYTES = 8;
const INTEGER_KEY = /^-?[0-9]{1,19}$/;

/**
 * Converts an object or a Map in a row to a dictionary, and checks its entries.
 *
 * @throws ERR_RUNTIME_INPUT with the invalid key.
 */
export function dictionaryOf(type: DictionaryType, value: unknown, place: PlaceOf): Dictionary {
  const entries = value instanceof Map ? [...value] : isPlainObject(value) ? Object.entries(value) : undefined;
  if (entries === undefined)
    throw runtimeError('ERR_RUNTIME_INPUT', {
      expected: 'an object or a Map of keys and values',
      received: describe(value),
      ...place(),
    });
  const found = new Map<string, DictionaryEntry>();
  for (const [rawKey, entry] of entries) {
    const key = keyOf(type.keys, rawKey, place);
    if (found.has(key)) throw runtimeError('ERR_RUNTIME_INPUT', { received: `the key "${key}" twice`, ...place() });
    found.set(
      key,
      entryOf(type.values, entry, () => keyPlace(place(), key)),
    );
  }
  return found;
}

/** Returns the location of a dictionary entry for an error message. */
const keyPlace = (place: RowPlace, key: string): RowPlace => ({
  ...place,
  at: `${place.at}, key ${JSON.stringify(key.slice(0, 40))}`,
});

/** Returns the number of bytes of all keys and values. A text has the bytes of its UTF-8 form. */
export function dictionaryBytes(entries: Dictionary): number {
  let bytes = 0;
  for (const [key, entry] of entries) bytes += Buffer.byteLength(key) + entryBytes(entry);
  return bytes;
}

const entryBytes = (entry: DictionaryEntry): number => {
  if (typeof entry === 'string') return Buffer.byteLength(entry);
  return typeof entry === 'object' ? entry.reduce((sum, text) => sum + Buffer.byteLength(text), 0) : NUMBER_BYTES;
};

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);

/**
 * Converts a key to a text. Integer keys become decimal numbers without leading zeros, so that
 * "007" and 7 are the same key.
 */
function keyOf(type: DictionaryType['keys'], key: unknown, place: PlaceOf): string {
  if (type === 'string' && typeof key === 'string') return key.toWellFormed();
  const text = typeof key === 'number' || typeof key === 'bigint' || typeof key === 'string' ? String(key) : '';
  if (type === 'int64' && INTEGER_KEY.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text))
    return String(BigInt(text));
  const received = typeof key === 'string' ? JSON.stringify(key.slice(0, 40)) : describe(key);
  throw runtimeError('ERR_RUNTIME_INPUT', { expected: `keys of ${type}`, received, ...place() });
}

function entryOf(type: DictionaryValue, value: unknown, place: PlaceOf): DictionaryEntry {
  if (type === 'mixed') return mixedEntry(value, place);
  if (type !== 'string') {
    const number = numberElement(value, type, place);
    return type === 'int64' ? BigInt(number) : type === 'float32' ? Math.fround(number) : number;
  }
  if (typeof value === 'string') return value.toWellFormed();
  throw runtimeError('ERR_RUNTIME_INPUT', { expected: 'text', received: describe(value), ...place() });
}

/**
 * Checks an entry of a mixed dictionary: a number or bool, a text, a list of texts, or null for a
 * missing number. Returns the entry.
 */
function mixedEntry(value: unknown, place: PlaceOf): DictionaryEntry {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === null) return Number.NaN;
  if (Array.isArray(value) && value.every((element) => typeof element === 'string'))
    return value.map((element) => element.toWellFormed());
  const expected = 'a number, a text, a list of texts, or null';
  throw runtimeError('ERR_RUNTIME_INPUT', { expected, received: describe(value), ...place() });
}
