import { tables } from './generated/tables.js';

type Tables = typeof tables;

/** Where the fields of each table stand in its vtable, by the names of fleet.fbs. */
export const places = Object.fromEntries(
  Object.entries(tables).map(([name, list]) => [
    name,
    Object.fromEntries(list.map((field, index) => [field.name, 4 + 2 * index])),
  ]),
) as unknown as { readonly [Name in keyof Tables]: { readonly [Field in Tables[Name][number]['name']]: number } };

/** Of an offset, and of what counts a list. */
const WORD = 4;

/**
 * Reads tables of a manifest that was validated. A table is a byte offset; 0: there is none. Fields are `places`. FlatBuffers' generated accessors do
 * the same by a class a table and a method a field: a process that opens a fleet reads some ten thousand fields before V8 has compiled anything, and
 * compiles a dozen functions here instead of hundreds.
 */
export class ManifestReader {
  readonly #view: DataView;
  readonly #buffer: Buffer;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** The table that the manifest starts with. */
  get root(): number {
    return this.#view.getUint32(0, true);
  }

  byte(table: number, field: number): number {
    const place = this.#place(table, field);
    return place === 0 ? 0 : this.#view.getUint8(place);
  }

  uint(table: number, field: number): number {
    const place = this.#place(table, field);
    return place === 0 ? 0 : this.#view.getUint32(place, true);
  }

  double(table: number, field: number): number {
    const place = this.#place(table, field);
    return place === 0 ? 0 : this.#view.getFloat64(place, true);
  }

  /** A string, with its byte-order mark. */
  text(table: number, field: number): string | undefined {
    const place = this.#target(table, field);
    return place === 0 ? undefined : this.#text(place);
  }

  table(table: number, field: number): number {
    return this.#target(table, field);
  }

  /** Elements of a list. */
  count(table: number, field: number): number {
    const list = this.#target(table, field);
    return list === 0 ? 0 : this.#view.getUint32(list, true);
  }

  /** A table of a list of tables. */
  tableAt(table: number, field: number, index: number): number {
    return this.#follow(this.#target(table, field) + WORD * (index + 1));
  }

  /** A number of a list of uints. */
  uintAt(table: number, field: number, index: number): number {
    return this.#view.getUint32(this.#target(table, field) + WORD * (index + 1), true);
  }

  uints(table: number, field: number): number[] {
    const list = this.#target(table, field);
    const numbers: number[] = [];
    if (list === 0) return numbers;
    const end = list + WORD * (this.#view.getUint32(list, true) + 1);
    for (let place = list + WORD; place < end; place += WORD) numbers.push(this.#view.getUint32(place, true));
    return numbers;
  }

  /** A copy: the list need not be aligned in memory. */
  doubles(table: number, field: number): Float64Array {
    const bytes = this.bytes(table, field, Float64Array.BYTES_PER_ELEMENT);
    return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  }

  texts(table: number, field: number): string[] {
    const texts: string[] = [];
    const list = this.#target(table, field);
    for (let index = 0, count = this.count(table, field); index < count; index++)
      texts.push(this.#text(this.#follow(list + WORD * (index + 1))));
    return texts;
  }

  /** The bytes of a list, where they lie. */
  bytes(table: number, field: number, elementBytes = 1): Uint8Array<ArrayBuffer> {
    const list = this.#target(table, field);
    const length = list === 0 ? 0 : this.#view.getUint32(list, true) * elementBytes;
    const { buffer, byteOffset } = this.#view;
    return new Uint8Array(buffer as ArrayBuffer, byteOffset + list + WORD, length);
  }

  /** Where a field lies; 0: it has its default. */
  #place(table: number, field: number): number {
    const vtable = table - this.#view.getInt32(table, true);
    const offset = field < this.#view.getUint16(vtable, true) ? this.#view.getUint16(vtable + field, true) : 0;
    return offset === 0 ? 0 : table + offset;
  }

  #target(table: number, field: number): number {
    const place = this.#place(table, field);
    return place === 0 ? 0 : this.#follow(place);
  }

  #follow(place: number): number {
    return place + this.#view.getUint32(place, true);
  }

  #text(string: number): string {
    const start = string + WORD;
    return this.#buffer.toString('utf8', start, start + this.#view.getUint32(string, true));
  }
}
