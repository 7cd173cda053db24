import { scalar, type ValueType, vector } from '@brezel/core';
import { ByteReader } from './byte-reader.js';
import { damaged } from './errors.js';

/**
 * A column of an ML.NET data view. `type` is undefined if programs do not support its type.
 */
export interface SchemaColumn {
  readonly type: ValueType | undefined;
  /** The type name in ML.NET. */
  readonly typeName: string;
  /**
   * The number of keys of a key column. Rows hold a key as a number from 1, and 0 if it is missing.
   */
  readonly keys?: number;
}

export type Schema = ReadonlyMap<string, SchemaColumn>;

/**
 * The element type in programs for each element type of ML.NET. Integer types that exceed int32
 * become int64.
 */
const dtypes = {
  Single: 'float32',
  Double: 'float64',
  TextSpan: 'string',
  Text: 'string',
  Boolean: 'bool',
  SByte: 'int32',
  Byte: 'int32',
  Int16: 'int32',
  UInt16: 'int32',
  Int32: 'int32',
  UInt32: 'int64',
  Int64: 'int64',
  UInt64: 'int64',
} as const;

const DEEPEST = 4;

/**
 * Reads the names and types of the columns of a binary data view, not its rows. If two columns have
 * the same name, the last one is used.
 *
 * @throws ERR_MLNET_FORMAT for a damaged data view.
 * @see Source: ML.NET's BinaryLoader, Header and table of contents.
 */
export function readSchema(bytes: Uint8Array, at: string): Schema {
  const header = new ByteReader(bytes, at);
  if (Buffer.from(header.bytes(8)).toString('latin1') !== 'CML\0DVB\0')
    throw damaged(`${at}, byte 0`, 'the signature CML DVB', 'another one');
  header.bytes(16); // the version, and the oldest one that is compatible
  const [contents] = [header.long(), header.long(), header.long()];
  const columns = header.int();
  const toc = new ByteReader(bytes, at, columns === 0 ? 0 : Math.min(contents, bytes.length));
  const schema = new Map<string, SchemaColumn>();
  for (let column = 0; column < columns; column++) {
    const name = toc.text();
    const type = readType(toc, 0);
    toc.byte(); // compression
    toc.leb(); // rows in a group
    toc.bytes(16); // the positions of rows and annotations
    schema.set(name, type);
  }
  return schema;
}

/** Reads a type: its name, and its length-prefixed parameters. */
function readType(toc: ByteReader, depth: number): SchemaColumn {
  if (depth > DEEPEST) throw toc.fail(`at most ${DEEPEST} types inside of each other`, 'more');
  const name = toc.text();
  const end = toc.leb() + toc.position;
  const type = name === 'VBuffer' ? vectorOf(toc, depth) : name === 'Key2' ? keyOf(toc, depth) : plain(name);
  const left = end - toc.position;
  if (left < 0) throw toc.fail(`a type of ${name} that ends at byte ${end}`, 'a longer one');
  toc.bytes(left);
  return type;
}

function plain(name: string): SchemaColumn {
  const dtype = Object.hasOwn(dtypes, name) ? dtypes[name as keyof typeof dtypes] : undefined;
  return { type: dtype && scalar(dtype), typeName: name };
}

function vectorOf(toc: ByteReader, depth: number): SchemaColumn {
  const item = readType(toc, depth + 1);
  const size = toc.ints().reduce((product, length) => product * length, 1);
  const typeName = `vector of ${size} ${item.typeName}`;
  // A size of 0 means that the size depends on the row.
  if (item.type?.kind !== 'scalar' || !(size > 0) || item.keys !== undefined) return { type: undefined, typeName };
  return { type: vector(item.type.dtype, size), typeName };
}

function keyOf(toc: ByteReader, depth: number): SchemaColumn {
  const item = readType(toc, depth + 1);
  return { type: scalar('int64'), typeName: `key of ${item.typeName}`, keys: toc.long() };
}
