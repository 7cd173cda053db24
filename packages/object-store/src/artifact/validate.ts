import { storeError } from '../errors.js';
import { tables } from './generated/tables.js';

type TableName = keyof typeof tables;
type Field = { readonly name: string; readonly isList: boolean; readonly type: string };

/** Bytes of a scalar; everything else is an offset to a string, a list or a table. */
const scalarBytes: Readonly<Record<string, number>> = { ubyte: 1, bool: 1, uint: 4, ulong: 8, double: 8 };
const OFFSET_BYTES = 4;

/**
 * Checks that every table, list and string of a manifest lies inside it, aligned, before a generated accessor, which checks nothing, may follow
 * an offset. Ends: no part of a manifest that we wrote is reached twice, so all parts together have at most as many bytes as the manifest.
 *
 * @throws ERR_STORE_FORMAT with the path to what is wrong.
 */
export function validateManifest(manifest: Uint8Array, at: string): void {
  new Validator(manifest, at).run();
}

class Validator {
  readonly #view: DataView;
  readonly #bytes: number;
  readonly #file: string;
  #left: number;

  constructor(manifest: Uint8Array, file: string) {
    this.#view = new DataView(manifest.buffer, manifest.byteOffset, manifest.byteLength);
    this.#bytes = manifest.byteLength;
    this.#left = manifest.byteLength;
    this.#file = file;
  }

  run(): void {
    this.#inside(0, OFFSET_BYTES, 'the root');
    this.#table('Fleet', this.#target(0, 'the root'), 'fleet');
  }

  /** A table is `i32 distance to its vtable`, then its fields; a vtable is `u16 own bytes, u16 bytes of the table, u16 places of the fields`. */
  #table(name: TableName, table: number, path: string): void {
    this.#inside(table, 4, path);
    const vtable = table - this.#view.getInt32(table, true);
    if (vtable % 2 !== 0) this.#fault(path, 'a vtable that is not aligned');
    this.#inside(vtable, 4, path);
    const vtableBytes = this.#view.getUint16(vtable, true);
    const tableBytes = this.#view.getUint16(vtable + 2, true);
    if (vtableBytes < 4 || vtableBytes % 2 !== 0 || tableBytes < 4) this.#fault(path, 'a vtable of impossible sizes');
    this.#inside(vtable, vtableBytes, path);
    this.#inside(table, tableBytes, path);
    this.#spend(tableBytes, path);
    tables[name].forEach((field: Field, index) => {
      const entry = 4 + 2 * index;
      const place = entry + 2 <= vtableBytes ? this.#view.getUint16(vtable + entry, true) : 0;
      if (place === 0) return; // not there: its default
      const bytes = field.isList ? OFFSET_BYTES : (scalarBytes[field.type] ?? OFFSET_BYTES);
      const where = `${path}.${field.name}`;
      if (place < 4 || place + bytes > tableBytes || (table + place) % bytes !== 0)
        this.#fault(where, 'a field out of range');
      this.#field(field, table + place, where);
    });
  }

  #field({ isList, type }: Field, place: number, path: string): void {
    if (isList) this.#list(type, this.#target(place, path), path);
    else if (type === 'string') this.#string(this.#target(place, path), path);
    else if (type === 'bool' && this.#view.getUint8(place) > 1) this.#fault(path, 'a bool that is neither 0 nor 1');
    else if (!(type in scalarBytes)) this.#table(type as TableName, this.#target(place, path), path);
  }

  #list(type: string, list: number, path: string): void {
    const count = this.#count(list, path);
    const bytes = scalarBytes[type] ?? OFFSET_BYTES;
    if ((list + 4) % bytes !== 0) this.#fault(path, 'a list that is not aligned');
    this.#inside(list + 4, count * bytes, path);
    this.#spend(4 + count * bytes, path);
    if (type in scalarBytes) return;
    for (let index = 0; index < count; index++) {
      const where = `${path}[${index}]`;
      const target = this.#target(list + 4 + index * OFFSET_BYTES, where);
      if (type === 'string') this.#string(target, where);
      else this.#table(type as TableName, target, where);
    }
  }

  #string(string: number, path: string): void {
    const count = this.#count(string, path);
    this.#inside(string + 4, count + 1, path);
    this.#spend(4 + count + 1, path);
    if (this.#view.getUint8(string + 4 + count) !== 0) this.#fault(path, 'a string without its end');
  }

  /** Where an offset points: forwards, aligned. */
  #target(place: number, path: string): number {
    const target = place + this.#view.getUint32(place, true);
    if (target === place || target % 4 !== 0) this.#fault(path, 'an offset that is not aligned');
    this.#inside(target, 4, path);
    return target;
  }

  #count(place: number, path: string): number {
    this.#inside(place, 4, path);
    return this.#view.getUint32(place, true);
  }

  #inside(from: number, bytes: number, path: string): void {
    if (from < 0 || from + bytes > this.#bytes) this.#fault(path, `an offset out of range`);
  }

  #spend(bytes: number, path: string): void {
    this.#left -= bytes;
    if (this.#left < 0) this.#fault(path, 'parts that share their bytes');
  }

  #fault(path: string, received: string): never {
    throw storeError('ERR_STORE_FORMAT', { received, at: `${this.#file}, manifest, ${path}` });
  }
}
