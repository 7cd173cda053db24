import { type Dictionary, type DictionaryEntry, type DType, dtypeOf, type InputPort, sizeOf } from '@brezel/core';
import type { Checksum } from '@brezel/object-store';
import { textAsRead } from '../../execute/input-blocks.js';
import type { Column } from '../../execute/row-schema.js';

/** What identifies a row: the whole of it as text, and 32 bits of that to find it by. */
export interface RowKey {
  readonly text: string;
  readonly fingerprint: number;
}

/**
 * Keys of admitted rows. Rows that the schema reads alike have one key: 0.1 and its float32, a text
 * and its UTF-8 bytes, a lone surrogate and U+FFFD. Whatever an engine can tell apart has keys of
 * its own: 0 and -0 of floats, and every NaN.
 */
export class RowKeys {
  /** Those that some stage reads, and which column each of them is. */
  readonly #inputs: readonly InputPort[];
  readonly #places: readonly number[];
  readonly #maxInputBytes: number;
  readonly #checksum: Checksum;
  /** Another one in each process: nobody outside can choose rows of one fingerprint. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32);
  /** The numbers of one row, of all inputs. */
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
   * Puts texts into columns as every engine reads them.
   *
   * @param first number of the first row, for errors.
   * @throws ERR_RUNTIME_INPUT for a text that is too long or no UTF-8.
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

  /** The numbers of the last key's row, as the schema reads them. */
  get numbers(): Float64Array {
    return this.#numbers;
  }

  /** The key of a row of columns that `readTexts` went over. */
  of(columns: readonly Column[], row: number): RowKey {
    const [only] = this.#inputs;
    if (this.#inputs.length === 1 && isText(only!) && sizeOf(only!.type) === 1) {
      const text = (columns[this.#places[0]!] as string[])[row]!;
      return { text, fingerprint: this.#checksum.fingerprint(text, this.#seed) };
    }
    this.#gatherNumbers(columns, row);
    let text = this.#bytes.toString('latin1');
    let fingerprint = this.#checksum.fingerprint(this.#bytes, this.#seed);
    for (let input = 0; input < this.#inputs.length; input++) {
      const column = columns[this.#places[input]!]!;
      if (!Array.isArray(column)) continue;
      const port = this.#inputs[input]!;
      const size = isDictionary(port) ? 1 : sizeOf(port.type);
      for (let at = row * size; at < (row + 1) * size; at++) {
        const value = isDictionary(port) ? dictionaryText(column[at] as Dictionary) : (column[at] as string);
        text += `${value.length}:${value}`; // without its length, one text could run into the next
        fingerprint = this.#checksum.fingerprint(value, fingerprint);
      }
    }
    return { text, fingerprint };
  }

  #gatherNumbers(columns: readonly Column[], row: number): void {
    let to = 0;
    for (let input = 0; input < this.#inputs.length; input++) {
      const column = columns[this.#places[input]!]!;
      if (Array.isArray(column)) continue;
      const { type } = this.#inputs[input]!;
      const [size, dtype] = [sizeOf(type), dtypeOf(type)];
      for (let at = row * size; at < (row + 1) * size; at++) this.#numbers[to++] = numberAsRead(column[at]!, dtype);
    }
  }
}

const isDictionary = (port: InputPort): boolean => port.type.kind === 'dictionary';
const isText = (port: InputPort): boolean => !isDictionary(port) && dtypeOf(port.type) === 'string';

/** Entries in their order: the same ones in another order are another key, and answered anew. */
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
  return dtype === 'float32' ? Math.fround(value) : value + 0; // integers have no -0
}
