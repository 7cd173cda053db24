import type { ParameterMemory } from '@brezel/object-store';
import { storeError } from '@brezel/object-store';
import { tables } from './generated/tables.js';

type TableName = keyof typeof tables;
type Declared = { readonly name: string; readonly isList: boolean; readonly type: string };

/**
 * A field of a table type, with the sizes that its checks need. The list of fields is computed
 * once, because a manifest has tens of thousands of field values.
 */
interface Field {
  readonly name: string;
  readonly isList: boolean;
  /**
   * Bytes that the field takes inside its table: the size of its scalar, or of the offset to its
   * value.
   */
  readonly bytes: number;
  /** Bytes of one element of a list. If the field is not a list, the same number as `bytes`. */
  readonly elementBytes: number;
  readonly isBool: boolean;
  readonly isString: boolean;
  /** The table that the field points to, if any. */
  readonly table: TableName | undefined;
}

/**
 * Bytes of scalar types. A field of another type contains the offset of a string, a list or a
 * table.
 */
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

/** All fields of all tables, encoded as numbers for the native check. */
const described = describeTables();

/**
 * Checks that every table, list and string of a manifest is aligned and inside the manifest.
 * Readers follow offsets without checks, so call this function first.
 *
 * The check always ends, because the sizes of all visited tables, lists and strings may add up to
 * at most the size of the manifest.
 *
 * @param root type of the root table.
 * @param memory if it has a native check, that check runs first. It only accepts or rejects the
 * manifest; for a rejected manifest, this function finds the problem.
 * @throws ERR_STORE_FORMAT with the path to the problem.
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
  /**
   * Field names and indices from the root to the current position. They are joined only for an
   * error.
   */
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

  /**
   * Checks a table and everything to which its fields point. A table starts with `i32 distance to
   * its vtable`, followed by its fields. A vtable is `u16 size of the vtable, u16 size of the
   * table, u16 offsets of the fields`.
   */
  #table(name: TableName, table: number): void {
    this.#inside(table, 4);
    const vtable = table - this.#view.getInt32(table, true);
    if (vtable % 2 !== 0) this.#fail('a vtable that is not aligned');
    this.#inside(vtable, 4);
    const vtableBytes = this.#view.getUint16(vtable, true);
    const tableBytes = this.#view.getUint16(vtable + 2, true);
    if (vtableBytes < 4 || vtableBytes % 2 !== 0 || tableBytes < 4) this.#fail('a vtable of impossible sizes');
    this.#inside(vtable, vtableBytes);
    this.#inside(table, tableBytes);
    this.#spend(tableBytes);
    const known = fields[name];
    for (let index = 0; index < known.length; index++) {
      const entry = 4 + 2 * index;
      const position = entry + 2 <= vtableBytes ? this.#view.getUint16(vtable + entry, true) : 0;
      if (position === 0) continue; // an absent field has its default value
      const field = known[index]!;
      this.#path.push(field.name);
      if (position < 4 || position + field.bytes > tableBytes || (table + position) % field.bytes !== 0)
        this.#fail('a field out of range');
      this.#field(field, table + position);
      this.#path.pop();
    }
  }

  #field(field: Field, position: number): void {
    if (field.isList) this.#list(field, this.#target(position));
    else if (field.isString) this.#string(this.#target(position));
    else if (field.table !== undefined) this.#table(field.table, this.#target(position));
    else if (field.isBool && this.#view.getUint8(position) > 1) this.#fail('a bool that is neither 0 nor 1');
  }

  #list({ elementBytes, isString, table }: Field, list: number): void {
    const count = this.#count(list);
    if ((list + 4) % elementBytes !== 0) this.#fail('a list that is not aligned');
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
    if (this.#view.getUint8(string + 4 + count) !== 0) this.#fail('an unterminated string');
  }

  /**
   * Returns the position to which an offset points. Throws unless the position is aligned and after
   * the offset.
   */
  #target(position: number): number {
    const target = position + this.#view.getUint32(position, true);
    if (target === position || target % 4 !== 0) this.#fail('an offset that is not aligned');
    this.#inside(target, 4);
    return target;
  }

  #count(position: number): number {
    this.#inside(position, 4);
    return this.#view.getUint32(position, true);
  }

  #inside(from: number, bytes: number): void {
    if (from < 0 || from + bytes > this.#bytes) this.#fail('an offset out of range');
  }

  #spend(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) this.#fail('overlapping parts');
  }

  #fail(received: string): never {
    const path = this.#path.map((part, at) => (typeof part === 'number' ? `[${part}]` : at === 0 ? part : `.${part}`));
    throw storeError('ERR_STORE_FORMAT', { received, at: `${this.#file}, manifest, ${path.join('') || 'the root'}` });
  }
}
