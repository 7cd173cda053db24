import type { Attributes, ValueType } from '@brezel/core';
import { decodeAttributes } from './attributes.js';
import { throwFormatError } from './format-error.js';
import { type ManifestReader, vtableOffsets } from './manifest-reader.js';
import { dictionaryKeys, dictionaryValues, dtypes, kinds } from './numbering.js';
import { MAX_COLUMNS } from './table-checks.js';

const MAX_AXES = 16;

const { ValueType: fields } = vtableOffsets;

/**
 * Decodes values in the tables of a manifest. Equal attributes become the same object, and so do
 * equal types except maps and tensors, because the programs of a family repeat them.
 */
export class ManifestValues {
  readonly reader: ManifestReader;
  /**
   * The decoded types, except maps and tensors. The key is a number computed from kind, dtype and
   * size.
   */
  readonly #types = new Map<number, ValueType>();
  readonly #attributes = new Map<string, Attributes>();

  constructor(reader: ManifestReader) {
    this.reader = reader;
  }

  /**
   * Returns the text of a field that must not be empty.
   *
   * @throws ERR_STORE_FORMAT
   */
  name(table: number, field: number, at: string): string {
    const value = this.reader.text(table, field);
    return value === undefined || value === '' ? throwFormatError(at, 'nothing', 'a name') : value;
  }

  /**
   * Returns the attributes that a field holds as JSON text.
   *
   * @throws ERR_STORE_FORMAT
   */
  attributes(table: number, field: number, at: string): Attributes {
    const text = this.name(table, field, at);
    const known = this.#attributes.get(text);
    if (known !== undefined) return known;
    const decoded = decodeAttributes(text) ?? throwFormatError(at, 'attributes that cannot be read');
    this.#attributes.set(text, decoded);
    return decoded;
  }

  /**
   * Returns the type that a field points to.
   *
   * @throws ERR_STORE_FORMAT
   */
  type(table: number, field: number, at: string): ValueType {
    const position = this.reader.table(table, field);
    return position === 0 ? throwFormatError(at, 'no type') : this.#type(position, at);
  }

  /**
   * Returns a list of types.
   *
   * @throws ERR_STORE_FORMAT
   */
  types(table: number, field: number, at: string): ValueType[] {
    const types: ValueType[] = [];
    for (let index = 0, count = this.reader.count(table, field); index < count; index++)
      types.push(this.#type(this.reader.tableAt(table, field, index), at));
    return types;
  }

  #type(table: number, at: string): ValueType {
    const { reader } = this;
    const size = reader.uint(table, fields.size);
    // `kind` and `dtype` are one byte each, so the key is unique
    const key = (size * 256 + reader.byte(table, fields.kind)) * 256 + reader.byte(table, fields.dtype);
    const known = this.#types.get(key);
    if (known !== undefined) return known;
    const decoded = decodeType(reader, table, at);
    if (decoded.kind !== 'map' && decoded.kind !== 'tensor') this.#types.set(key, decoded);
    return decoded;
  }
}

function decodeType(reader: ManifestReader, table: number, at: string): ValueType {
  const number = reader.byte(table, fields.kind);
  const kind = kinds[number] ?? throwFormatError(at, `kind ${number}`);
  if (kind === 'dictionary') return decodeDictionary(reader, table, at);
  const dtype =
    dtypes[reader.byte(table, fields.dtype)] ?? throwFormatError(at, `type ${reader.byte(table, fields.dtype)}`);
  switch (kind) {
    case 'scalar':
      return { kind, dtype };
    case 'vector':
      return { kind, dtype, size: columns(reader.uint(table, fields.size), at) };
    case 'sparse':
      return { kind, size: columns(reader.uint(table, fields.size), at) };
    case 'tokens':
      return { kind };
    case 'map': {
      const keys = reader.texts(table, fields.keys);
      return { kind, keys: keys.length > 0 ? keys : throwFormatError(at, 'a map without keys') };
    }
    case 'tensor':
      return { kind, dtype, shape: axes(reader.uints(table, fields.shape), at) };
  }
}

const columns = (size: number, at: string): number =>
  size >= 1 && size <= MAX_COLUMNS ? size : throwFormatError(at, `${size} columns`, `1 to ${MAX_COLUMNS}`);

function decodeDictionary(reader: ManifestReader, table: number, at: string): ValueType {
  const [dtype, size] = [reader.byte(table, fields.dtype), reader.uint(table, fields.size)];
  const values = dictionaryValues[dtype] ?? throwFormatError(at, `a dictionary of type ${dtype}`);
  const keys = dictionaryKeys[size] ?? throwFormatError(at, `keys of type ${size}`);
  return { kind: 'dictionary', keys, values };
}

/**
 * Returns the shape of a tensor if the numbers of its axes and elements are within the limits;
 * throws otherwise.
 */
function axes(shape: readonly number[], at: string): readonly number[] {
  const size = shape.reduce((product, axis) => product * axis, 1);
  if (shape.length >= 2 && shape.length <= MAX_AXES && size >= 1 && size <= MAX_COLUMNS) return shape;
  return throwFormatError(
    at,
    `a tensor of shape [${shape}]`,
    `2 to ${MAX_AXES} axes, and 1 to ${MAX_COLUMNS} elements`,
  );
}
