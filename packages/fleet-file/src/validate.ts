import type { ParameterMemory } from '@brezel/object-store';
import { storeError } from '@brezel/object-store';
import { tables } from './generated/tables.js';

type TableName = keyof typeof tables;
type Declared = { readonly name: string; readonly isList: boolean; readonly type: string };

/** A field of a table, and how it is checked: looked up once, because a manifest has tens of thousands of them. */
interface Field {
  readonly name: string;
  readonly isList: boolean;
  /** Of the field itself: an offset, where it is no scalar. */
  readonly bytes: number;
  /** Of an element of a list. */
  readonly elementBytes: number;
  readonly isBool: boolean;
  readonly isString: boolean;
  /** The table it points to. */
  readonly table: TableName | undefined;
}

/** Bytes of a scalar; everything else is an offset to a string, a list or a table. */
const scalarBytes: Readonly<Record<string, number>> = { ubyte: 1, bool: 1, uint: 4, ulong: 8, double: 8 };
const OFFSET_BYTES = 4;

const fields = Object.fromEntries(
  Object.entries(tables).map(([name, list]) => [
    name,
    list.map(({ name, isList, type }: Declared): Field => {
      const elementBytes = scalarBytes[type] ?? OFFSET_BYTES;
      const bytes = isList ? OFFSET_BYTES : elementBytes;
      const isTable = !(type in scalarBytes) && type !== 'string';
      const table = isTable ? (type as TableName) : undefined;
      return { name, isList, bytes, elementBytes, isBool: type === 'bool', isString: type === 'string', table };
    }),
  ]),
) as unknown as Readonly<Record<TableName, readonly Field[]>>;

const tableNames = Object.keys(tables) as TableName[];
function describeTables(): Int32Array {
  const numbers: number[] = [];
  for (const name of tableNames) {
    numbers.push(fields[name].length);
    for (const { bytes, elementBytes, isList, isBool, isString, table } of fields[name]) {
      const flags = (isList ? 1 : 0) + (isBool ? 2 : 0) + (isString ? 4 : 0);
      numbers.push(bytes, elementBytes, flags, table === undefined ? -1 : tableNames.indexOf(table));
    }
  }
  return Int32Array.from(numbers);
}

/** The same as numbers, for who checks at the speed of the machine. */
const described = describeTables();

/**
 * Checks that every table, list and string of a manifest lies inside it, aligned, before a generated accessor, which checks nothing, may follow
 * an offset. Ends: no part of a manifest that we wrote is reached twice, so all parts together have at most as many bytes as the manifest.
 *
 * @param root the table that it starts with.
 * @param memory whose check goes first, where it has one: it says yes or no, and what is wrong is found here.
 * @throws ERR_STORE_FORMAT with the path to what is wrong.
 */
export function validateManifest(
  manifest: Uint8Array,
  at: string,
  root: TableName = 'Fleet',
  memory?: Pick<ParameterMemory, 'isSound'>,
): void {
  if (memory?.isSound?.(manifest, described, tableNames.indexOf(root))) return;
  new Validator(manifest, at).run(root);
}

class Validator {
  readonly #view: DataView;
  readonly #bytes: number;
  readonly #file: string;
  /** Names and numbers from the root to what is being checked: joined when that is wrong, and only then. */
  readonly #path: (string | number)[] = [];
  #left: number;

  constructor(manifest: Uint8Array, file: string) {
    this.#view = new DataView(manifest.buffer, manifest.byteOffset, manifest.byteLength);
    this.#bytes = manifest.byteLength;
    this.#left = manifest.byteLength;
    this.#file = file;
  }

  run(name: TableName): void {
    this.#inside(0, OFFSET_BYTES);
    const root = this.#target(0);
    this.#path.push(name.toLowerCase());
    this.#table(name, root);
  }

  /** A table is `i32 distance to its vtable`, then its fields; a vtable is `u16 own bytes, u16 bytes of the table, u16 places of the fields`. */
  #table(name: TableName, table: number): void {
    this.#inside(table, 4);
    const vtable = table - this.#view.getInt32(table, true);
    if (vtable % 2 !== 0) this.#fault('a vtable that is not aligned');
    this.#inside(vtable, 4);
    const vtableBytes = this.#view.getUint16(vtable, true);
    const tableBytes = this.#view.getUint16(vtable + 2, true);
    if (vtableBytes < 4 || vtableBytes % 2 !== 0 || tableBytes < 4) this.#fault('a vtable of impossible sizes');
    this.#inside(vtable, vtableBytes);
    this.#inside(table, tableBytes);
    this.#spend(tableBytes);
    const known = fields[name];
    for (let index = 0; index < known.length; index++) {
      const entry = 4 + 2 * index;
      const place = entry + 2 <= vtableBytes ? this.#view.getUint16(vtable + entry, true) : 0;
      if (place === 0) continue; // not there: its default
      const field = known[index]!;
      this.#path.push(field.name);
      if (place < 4 || place + field.bytes > tableBytes || (table + place) % field.bytes !== 0)
        this.#fault('a field out of range');
      this.#field(field, table + place);
      this.#path.pop();
    }
  }

  #field(field: Field, place: number): void {
    if (field.isList) this.#list(field, this.#target(place));
    else if (field.isString) this.#string(this.#target(place));
    else if (field.table !== undefined) this.#table(field.table, this.#target(place));
    else if (field.isBool && this.#view.getUint8(place) > 1) this.#fault('a bool that is neither 0 nor 1');
  }

  #list({ elementBytes, isString, table }: Field, list: number): void {
    const count = this.#count(list);
    if ((list + 4) % elementBytes !== 0) this.#fault('a list that is not aligned');
    this.#inside(list + 4, count * elementBytes);
    this.#spend(4 + count * elementBytes);
    if (!isString && table === undefined) return;
    for (let index = 0; index < count; index++) {
      this.#path.push(index);
      const target = this.#target(list + 4 + index * OFFSET_BYTES);
      if (table === undefined) this.#string(target);
      else this.#table(table, target);
      this.#path.pop();
    }
  }

  #string(string: number): void {
    const count = this.#count(string);
    this.#inside(string + 4, count + 1);
    this.#spend(4 + count + 1);
    if (this.#view.getUint8(string + 4 + count) !== 0) this.#fault('a string without its end');
  }

  /** Where an offset points: forwards, aligned. */
  #target(place: number): number {
    const target = place + this.#view.getUint32(place, true);
    if (target === place || target % 4 !== 0) this.#fault('an offset that is not aligned');
    this.#inside(target, 4);
    return target;
  }

  #count(place: number): number {
    this.#inside(place, 4);
    return this.#view.getUint32(place, true);
  }

  #inside(from: number, bytes: number): void {
    if (from < 0 || from + bytes > this.#bytes) this.#fault('an offset out of range');
  }

  #spend(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) this.#fault('parts that share their bytes');
  }

  #fault(received: string): never {
    const path = this.#path.map((part, at) => (typeof part === 'number' ? `[${part}]` : at === 0 ? part : `.${part}`));
    throw storeError('ERR_STORE_FORMAT', { received, at: `${this.#file}, manifest, ${path.join('') || 'the root'}` });
  }
}
