import { WireType } from '@bufbuild/protobuf/wire';
import { BytesList } from './bytes-list.js';
import { IntList } from './int-list.js';

/**
 * Kinds of list fields that may have millions of elements. The reader returns typed arrays or views
 * of the file, because an array of objects would take too much memory.
 */
export type ListKind = 'floats' | 'doubles' | 'int32s' | 'int64s' | 'uint64s' | 'ints' | 'byteses';

/**
 * The kind of a field's value. It determines how the field is read and written, and its type in
 * TypeScript.
 *
 * A `name` must be well-formed UTF-8. A `text` is for display: invalid UTF-8 becomes U+FFFD. An
 * `int` is an int64 that must be a safe integer.
 */
export type Kind =
  | 'name'
  | 'text'
  | 'int32'
  | 'int'
  | 'int64'
  | 'float'
  | 'bytes'
  | 'message'
  | 'names'
  | 'dims'
  | 'messages'
  | ListKind;

/**
 * The protobuf wire type of one element of each kind. A list of numbers may also be packed, as one
 * field of bytes.
 */
export const wireTypes: Readonly<Record<Kind, WireType>> = {
  name: WireType.LengthDelimited,
  text: WireType.LengthDelimited,
  int32: WireType.Varint,
  int: WireType.Varint,
  int64: WireType.Varint,
  float: WireType.Bit32,
  bytes: WireType.LengthDelimited,
  message: WireType.LengthDelimited,
  names: WireType.LengthDelimited,
  dims: WireType.Varint,
  messages: WireType.LengthDelimited,
  floats: WireType.Bit32,
  doubles: WireType.Bit64,
  int32s: WireType.Varint,
  int64s: WireType.Varint,
  uint64s: WireType.Varint,
  ints: WireType.Varint,
  byteses: WireType.LengthDelimited,
};

const listKinds: readonly Kind[] = [
  'floats',
  'doubles',
  'int32s',
  'int64s',
  'uint64s',
  'ints',
  'byteses',
] satisfies ListKind[];

/**
 * Returns whether a list of this kind may be packed into one field of bytes. Only lists of numbers
 * may.
 */
export const isPackable = (kind: Kind): boolean => kind === 'dims' || listKinds.includes(kind);

/** How one field of a protobuf message is read and written. */
export interface Field<Value = unknown> {
  readonly number: number;
  readonly kind: Kind;
  /**
   * The value of the property if the file does not contain the field: usually zero or an empty
   * list. `undefined` for fields whose absence has another meaning than zero.
   */
  readonly absent: Value;
  /**
   * Whether the writer packs a list into one field of bytes. The reader accepts packed and unpacked
   * lists.
   */
  readonly packed: boolean;
  /**
   * Returns the type of the nested message. It is a function because message types refer to each
   * other.
   */
  readonly of?: () => MessageType<unknown>;
}

/** A field together with the name of its property. */
export interface NamedField extends Field {
  readonly key: string;
}

/**
 * Describes a protobuf message type. The reader, the writer, `create` and the random tests use this
 * description.
 */
export interface MessageType<T> {
  readonly name: string;
  /** The fields, ordered by field number as official writers order them. */
  readonly fields: readonly NamedField[];
  readonly byNumber: readonly (NamedField | undefined)[];
  /** The fields whose kind is a `ListKind`. */
  readonly lists: readonly NamedField[];
  /** A message in which every field is absent. */
  readonly empty: T;
}

/**
 * Returns the description of a message type from a table of its fields. TypeScript checks that the
 * table has a suitable field for each property of `T`.
 */
export function message<T extends object>(
  name: string,
  table: { readonly [K in keyof T]: Field<T[K]> },
): MessageType<T> {
  const fields = Object.entries<Field>(table)
    .map(([key, field]) => ({ ...field, key }))
    .sort((a, b) => a.number - b.number);
  const byNumber: NamedField[] = [];
  for (const field of fields) byNumber[field.number] = field;
  const empty = Object.fromEntries(fields.map((field) => [field.key, field.absent])) as T;
  const lists = fields.filter((field) => listKinds.includes(field.kind));
  return { name, fields, byNumber, lists, empty };
}

/** Returns a message with the given properties. All other fields are absent. */
export function create<T>(type: MessageType<T>, set: Partial<T>): T {
  return { ...type.empty, ...set };
}

function fieldOf<Value>(kind: Kind, absent: Value, packed = false): (number: number) => Field<Value> {
  return (number) => ({ number, kind, absent, packed });
}

export const name = fieldOf('name', '');
export const text = fieldOf('text', '');
export const int32 = fieldOf('int32', 0);
export const int = fieldOf('int', 0);
export const optionalInt = fieldOf<number | undefined>('int', undefined);
export const optionalName = fieldOf<string | undefined>('name', undefined);
export const int64 = fieldOf<bigint | undefined>('int64', undefined);
export const float = fieldOf<number | undefined>('float', undefined);
export const bytes = fieldOf<Uint8Array | undefined>('bytes', undefined);

export const names = fieldOf<readonly string[]>('names', []);
export const dims = fieldOf<readonly number[]>('dims', []);
export const floats = fieldOf('floats', new Float32Array(0));
export const ints = fieldOf('ints', IntList.of([]));
export const byteses = fieldOf('byteses', BytesList.of([]));
export const packedFloats = fieldOf('floats', new Float32Array(0), true);
export const packedDoubles = fieldOf('doubles', new Float64Array(0), true);
export const packedInt32s = fieldOf('int32s', new Int32Array(0), true);
export const packedInt64s = fieldOf('int64s', new BigInt64Array(0), true);
export const packedUint64s = fieldOf('uint64s', new BigUint64Array(0), true);

/** Describes a field that holds one nested message or nothing. */
export const one = <T>(number: number, of: () => MessageType<T>): Field<T | undefined> => ({
  number,
  kind: 'message',
  absent: undefined,
  packed: false,
  of,
});

/** Describes a field that holds a list of nested messages. */
export const many = <T>(number: number, of: () => MessageType<T>): Field<readonly T[]> => ({
  number,
  kind: 'messages',
  absent: [],
  packed: false,
  of,
});
