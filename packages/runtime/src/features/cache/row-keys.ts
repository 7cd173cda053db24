import { type Dictionary, type DictionaryEntry, type DType, dtypeOf, type InputPort, sizeOf } from '@brezel/core';
import type { Checksum } from '@brezel/object-store';
import { textAsRead } from '../../execute/rows/input-blocks.js';
import type { Column } from '../../execute/rows/row-schema.js';

/** The key of a row: the whole row as text, and a 32-bit fingerprint of this text for lookups. */
export interface RowKey {
  readonly text: string;
  readonly fingerprint: number;
}

/**
 * Computes the keys of checked rows. Rows have the same key if the engines read the same values
 * from them. For a float32 input, 0.1 and its nearest float32 have the same key. A text and its
 * UTF-8 bytes also have the same key, and so do a lone surrogate and U+FFFD. Values that an engine
 * can distinguish have different keys, for example 0 and -0 of a float input.
 */
export class RowKeys {
  /** The inputs that at least one stage reads. */
  readonly #inputs: readonly InputPort[];
  /** For each input of `#inputs`, the index of its column in the columns of a row. */
  readonly #places: readonly number[];
  readonly #maxInputBytes: number;
  readonly #checksum: Checksum;
  /**
   * A random start value of the fingerprint. An attacker who does not know the value cannot choose
   * rows with the same fingerprint.
   */
  readonly #seed = Math.floor(Math.random() * 2 ** 32);
  /** Scratch memory for the numbers of one row. */
  readonly #numbers: Float64Array;
  readonly #bytes: Buffer;

  constructor(inputs: readonly InputPort[], maxInputBytes: number, checksum: Checksum) {
    this.#inputs = inputs.filter((port) => !port.unused);
    this.#places = inputs.flatMap((port, at) => (port.unused ? [] : [at]));
    this.#maxInputBytes = maxInputBytes;
    this.#checksum = checksum;
    const numbers = this.#inputs.reduce(
      (sum, port) => sum + (isText(port) || isDictionary(port) ? 0 : sizeOf(port.type)),
      0,
    );
    this.#numbers = new Float64Array(numbers);
    this.#bytes = Buffer.from(this.#numbers.buffer);
  }

  /**
   * Replaces the texts in columns by the texts that engines read: well-formed strings instead of
   * bytes or lone surrogates.
   *
   * @param first index of the first row in the request, for error messages
   * @throws ERR_RUNTIME_INPUT for a text that is too long or not UTF-8.
   */
  readTexts(columns: readonly Column[], first: number): void {
    for (let input = 0; input < this.#inputs.length; input++) {
      const column = columns[this.#places[input]!]!;
      if (!Array.isArray(column) || isDictionary(this.#inputs[input]!)) continue;
      const size = sizeOf(this.#inputs[input]!.type);
      const texts = column as (string | Uint8Array)[];
      for (let at = 0; at < texts.length; at++)
        texts[at] = textAsRead(texts[at]!, this.#maxInputBytes, first + Math.floor(at / size));
    }
  }

  /** The numbers of the row of the last call of `of`, rounded to the types of the inputs. */
  get numbers(): Float64Array {
    return this.#numbers;
  }

  /** Returns the key of a row. Call `readTexts` for the columns first. */
  of(columns: readonly Column[], row: number): RowKey {
    const [only] = this.#inputs;
    if (this.#inputs.length === 1 && isText(only!) && sizeOf(only!.type) === 1) {
      const text = (columns[this.#places[0]!] as string[])[row]!;
      return { text, fingerprint: this.#checksum.fingerprint(text, this.#seed) };
    }
    const integers = this.#gatherNumbers(columns, row);
    let text = this.#bytes.toString('latin1');
    let fingerprint = this.#checksum.fingerprint(this.#bytes, this.#seed);
    if (integers !== '') {
      text += integers;
      fingerprint = this.#checksum.fingerprint(integers, fingerprint);
    }
    for (let input = 0; input < this.#inputs.length; input++) {
      const column = columns[this.#places[input]!]!;
      if (!Array.isArray(column)) continue;
      const port = this.#inputs[input]!;
      const size = isDictionary(port) ? 1 : sizeOf(port.type);
      for (let at = row * size; at < (row + 1) * size; at++) {
        const value = isDictionary(port) ? dictionaryText(column[at] as Dictionary) : (column[at] as string);
        text += `${value.length}:${value}`; // the length separates it from the next text
        fingerprint = this.#checksum.fingerprint(value, fingerprint);
      }
    }
    return { text, fingerprint };
  }

  /**
   * Writes the numbers of a row to `#numbers`. If float64 cannot hold an integer exactly, writes
   * NaN, and adds the integer and its index to the returned text.
   */
  #gatherNumbers(columns: readonly Column[], row: number): string {
    let to = 0;
    let integers = '';
    for (let input = 0; input < this.#inputs.length; input++) {
      const column = columns[this.#places[input]!]!;
      if (Array.isArray(column)) continue;
      const { type } = this.#inputs[input]!;
      const [size, dtype] = [sizeOf(type), dtypeOf(type)];
      for (let at = row * size; at < (row + 1) * size; at++, to++) {
        const value = column[at]!;
        const number = Number(value);
        const isHeld = typeof value === 'number' || BigInt(number) === value;
        this.#numbers[to] = isHeld ? numberAsRead(number, dtype) : Number.NaN;
        if (!isHeld) integers += `${to}:${value};`;
      }
    }
    return integers;
  }
}

const isDictionary = (port: InputPort): boolean => port.type.kind === 'dictionary';
const isText = (port: InputPort): boolean => !isDictionary(port) && dtypeOf(port.type) === 'string';

/**
 * Returns a text that identifies a dictionary. The text depends on the order of the entries.
 */
export function dictionaryText(entries: Dictionary): string {
  let text = '';
  for (const [key, entry] of entries) text += `${key.length}:${key}${entryText(entry)}`;
  return text;
}

function entryText(entry: DictionaryEntry): string {
  if (typeof entry === 'object') return `l${entry.length}:${entry.map(entryText).join('')}`;
  if (typeof entry === 'string') return `s${entry.length}:${entry}`;
  return `${typeof entry === 'bigint' ? 'i' : 'n'}${Object.is(entry, -0) ? '-0' : entry};`;
}

function numberAsRead(value: number, dtype: DType): number {
  if (dtype === 'float64') return value;
  // adding 0 removes -0, which integers do not have
  return dtype === 'float32' ? Math.fround(value) : value + 0;
}
