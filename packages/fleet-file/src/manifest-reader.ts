import { tables } from './generated/tables.js';

type Tables = typeof tables;

/**
 * For each table and field of `fleet.fbs`, the offset of the field's entry in the vtable of the
 * table, in bytes.
 */
export const vtableOffsets = Object.fromEntries(
  Object.entries(tables).map(([name, list]) => [
    name,
    Object.fromEntries(list.map((field, index) => [field.name, 4 + 2 * index])),
  ]),
) as unknown as { readonly [Name in keyof Tables]: { readonly [Field in Tables[Name][number]['name']]: number } };

/** The size of an offset in bytes. The length of a list has the same size. */
const WORD = 4;

/**
 * Reads tables of a validated manifest. A table is given by its byte offset, which is 0 if the
 * table is absent. A field is given by its entry in `vtableOffsets`.
 *
 * The accessors that FlatBuffers generates have a class for each table and a method for each field.
 * A process that opens a fleet reads about ten thousand fields before V8 has compiled any code.
 * With this class, V8 compiles a dozen functions instead of hundreds.
 *
 * Lists are allocated with their final length. V8 reserves room for 17 elements when an empty list
 * grows, and this room was most of the memory of a plan.
 */
export class ManifestReader {
  /**
   * The bytes of the manifest. The next fields are views of the same bytes for numbers of each
   * size. FlatBuffers align every number and store it in little endian.
   */
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

  /** Offset of the root table. */
  get root(): number {
    return this.#uint32[0]!;
  }

  byte(table: number, field: number): number {
    const offset = this.#fieldOffset(table, field);
    return offset === 0 ? 0 : this.#bytes[offset]!;
  }

  uint(table: number, field: number): number {
    const offset = this.#fieldOffset(table, field);
    return offset === 0 ? 0 : this.#uint32[offset >> 2]!;
  }

  double(table: number, field: number): number {
    const offset = this.#fieldOffset(table, field);
    return offset === 0 ? 0 : this.#float64[offset >> 3]!;
  }

  /** Returns a string. A byte-order mark stays in the string. */
  text(table: number, field: number): string | undefined {
    const offset = this.#target(table, field);
    return offset === 0 ? undefined : this.#text(offset);
  }

  table(table: number, field: number): number {
    return this.#target(table, field);
  }

  /** Returns the number of elements of a list. */
  count(table: number, field: number): number {
    return this.countOf(this.#target(table, field));
  }

  /** Returns the offset of one table in a list of tables. */
  tableAt(table: number, field: number, index: number): number {
    return this.tableOf(this.#target(table, field), index);
  }

  /**
   * Returns the offset of a list, or 0 if the list is absent. `countOf` and `tableOf` accept this
   * offset, so that the caller looks up the field only once.
   */
  list(table: number, field: number): number {
    return this.#target(table, field);
  }

  countOf(list: number): number {
    return list === 0 ? 0 : this.#uint32[list >> 2]!;
  }

  tableOf(list: number, index: number): number {
    return this.#follow(list + WORD * (index + 1));
  }

  /** Returns one element of a list of unsigned integers. */
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

  /**
   * Returns a list of doubles as a view of the manifest. Use it for long lists, because `doubles`
   * copies them.
   */
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

  /** Returns a list of bytes as a view of the manifest. */
  bytes(table: number, field: number): Uint8Array<ArrayBuffer> {
    const list = this.#target(table, field);
    if (list === 0) return new Uint8Array();
    const { buffer, byteOffset } = this.#bytes;
    return new Uint8Array(buffer as ArrayBuffer, byteOffset + list + WORD, this.#uint32[list >> 2]!);
  }

  /** Returns the offset of a field, or 0 if the field has its default value. */
  #fieldOffset(table: number, field: number): number {
    const vtable = (table - this.#int32[table >> 2]!) >> 1;
    const offset = field < this.#uint16[vtable]! ? this.#uint16[vtable + (field >> 1)]! : 0;
    return offset === 0 ? 0 : table + offset;
  }

  #target(table: number, field: number): number {
    const offset = this.#fieldOffset(table, field);
    return offset === 0 ? 0 : this.#follow(offset);
  }

  #follow(offset: number): number {
    return offset + this.#uint32[offset >> 2]!;
  }

  #text(string: number): string {
    const start = string + WORD;
    // decodes UTF-8; without an encoding argument, Node does not look up its name
    return this.#bytes.toString(undefined, start, start + this.#uint32[string >> 2]!);
  }
}
