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
 * compiles a dozen functions here instead of hundreds. Lists are made as long as they are, here and where plans are put together: an empty one that
 * grows takes room for 17 at its first element, most of what a plan took.
 */
export class ManifestReader {
  /** The same bytes as numbers of each size: FlatBuffers align every number. Little-endian, as parameters are. */
  readonly #bytes: Buffer;
  readonly #uint16: Uint16Array;
  readonly #int32: Int32Array;
  readonly #uint32: Uint32Array;
  readonly #float64: Float64Array;

  constructor(bytes: Uint8Array) {
    const { buffer, byteOffset: start, length } = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
    this.#bytes = Buffer.from(buffer as ArrayBuffer, start, length);
    this.#uint16 = new Uint16Array(buffer, start, length >> 1);
    this.#int32 = new Int32Array(buffer, start, length >> 2);
    this.#uint32 = new Uint32Array(buffer, start, length >> 2);
    this.#float64 = new Float64Array(buffer, start, length >> 3);
  }

  /** The table that the manifest starts with. */
  get root(): number {
    return this.#uint32[0]!;
  }

  byte(table: number, field: number): number {
    const place = this.#place(table, field);
    return place === 0 ? 0 : this.#bytes[place]!;
  }

  uint(table: number, field: number): number {
    const place = this.#place(table, field);
    return place === 0 ? 0 : this.#uint32[place >> 2]!;
  }

  double(table: number, field: number): number {
    const place = this.#place(table, field);
    return place === 0 ? 0 : this.#float64[place >> 3]!;
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
    return this.countOf(this.#target(table, field));
  }

  /** A table of a list of tables. */
  tableAt(table: number, field: number, index: number): number {
    return this.tableOf(this.#target(table, field), index);
  }

  /** A list that is read again and again; 0: there is none. */
  list(table: number, field: number): number {
    return this.#target(table, field);
  }

  countOf(list: number): number {
    return list === 0 ? 0 : this.#uint32[list >> 2]!;
  }

  tableOf(list: number, index: number): number {
    return this.#follow(list + WORD * (index + 1));
  }

  /** A number of a list of uints. */
  uintAt(table: number, field: number, index: number): number {
    return this.#uint32[(this.#target(table, field) >> 2) + index + 1]!;
  }

  uints(table: number, field: number): number[] {
    const list = this.#target(table, field);
    if (list === 0) return [];
    const first = (list >> 2) + 1;
    const numbers: number[] = new Array(this.#uint32[first - 1]!);
    for (let index = 0; index < numbers.length; index++) numbers[index] = this.#uint32[first + index]!;
    return numbers;
  }

  doubles(table: number, field: number): number[] {
    const list = this.#target(table, field);
    if (list === 0) return [];
    const first = (list + WORD) >> 3;
    const numbers: number[] = new Array(this.#uint32[list >> 2]!);
    for (let index = 0; index < numbers.length; index++) numbers[index] = this.#float64[first + index]!;
    return numbers;
  }

  /** The numbers of a long list, where they lie. */
  column(table: number, field: number): Float64Array {
    const list = this.#target(table, field);
    if (list === 0) return new Float64Array();
    const first = (list + WORD) >> 3;
    return this.#float64.subarray(first, first + this.#uint32[list >> 2]!);
  }

  texts(table: number, field: number): string[] {
    const list = this.#target(table, field);
    const texts: string[] = new Array(this.count(table, field));
    for (let index = 0; index < texts.length; index++)
      texts[index] = this.#text(this.#follow(list + WORD * (index + 1)));
    return texts;
  }

  /** The bytes of a list, where they lie. */
  bytes(table: number, field: number): Uint8Array<ArrayBuffer> {
    const list = this.#target(table, field);
    if (list === 0) return new Uint8Array();
    const { buffer, byteOffset } = this.#bytes;
    return new Uint8Array(buffer as ArrayBuffer, byteOffset + list + WORD, this.#uint32[list >> 2]!);
  }

  /** Where a field lies; 0: it has its default. */
  #place(table: number, field: number): number {
    const vtable = (table - this.#int32[table >> 2]!) >> 1;
    const offset = field < this.#uint16[vtable]! ? this.#uint16[vtable + (field >> 1)]! : 0;
    return offset === 0 ? 0 : table + offset;
  }

  #target(table: number, field: number): number {
    const place = this.#place(table, field);
    return place === 0 ? 0 : this.#follow(place);
  }

  #follow(place: number): number {
    return place + this.#uint32[place >> 2]!;
  }

  #text(string: number): string {
    const start = string + WORD;
    return this.#bytes.toString(undefined, start, start + this.#uint32[string >> 2]!); // UTF-8: no name to look up
  }
}
