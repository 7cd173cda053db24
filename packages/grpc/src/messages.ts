import { type DescField, type DescMessage, fromBinary, type MessageShape, ScalarType } from '@bufbuild/protobuf';
import { WireType } from '@bufbuild/protobuf/wire';
import { grpcError } from './errors.js';

/**
 * The largest number of fields in one message, including the fields of the messages inside it. A
 * field can take only 2 bytes of the encoded message, but becomes an object of at least 100 bytes.
 * A list of numbers is one field if the client packs it, as proto3 prescribes.
 */
const MAX_PARTS = 2 ** 20;

/**
 * The largest number of integers and booleans in the lists of one message. A number can take only 1
 * byte of the encoded message, but becomes an object of up to 40 bytes.
 */
const MAX_NUMBERS = 2 ** 22;

/**
 * Decodes a message.
 * @throws ERR_GRPC_MESSAGE for bytes that are not a message of this type, and for a message with
 * too many parts.
 */
export function decoded<Type extends DescMessage>(type: Type, bytes: Uint8Array): MessageShape<Type> {
  try {
    checkParts(type, bytes);
    return fromBinary(type, bytes, { readUnknownFields: false });
  } catch (cause) {
    const received = (cause as Error).message;
    throw grpcError('ERR_GRPC_MESSAGE', { expected: `a ${type.name}`, received, cause });
  }
}

/** Checks how many fields and integers the message has, before any of them becomes an object. */
function checkParts(type: DescMessage, bytes: Uint8Array): void {
  new PartCounter(bytes).visit(fieldsOf(type), bytes.length);
}

/**
 * Counts the parts of an encoded message. Reads only tags and lengths, because reading values would
 * create objects.
 *
 * It is stricter than the decoder of @bufbuild/protobuf: each field must have the wire type of the
 * definition and end inside its message. Otherwise the decoder could read fields that were not
 * counted here.
 */
class PartCounter {
  readonly #bytes: Uint8Array;
  #position = 0;
  #fieldsLeft = MAX_PARTS;
  #numbersLeft = MAX_NUMBERS;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Counts the parts of a message that ends at `end`. */
  visit(fields: Fields, end: number): void {
    while (this.#position < end) {
      const tag = this.#integer();
      this.#fieldsLeft -= 1;
      if (this.#fieldsLeft < 0) throw new Error(`more than ${MAX_PARTS} fields`);
      const wireType = tag % 8;
      const field = fields.get(Math.floor(tag / 8));
      const isPacked = wireType === WireType.LengthDelimited && field?.packed !== undefined;
      if (field !== undefined && wireType !== field.wireType && !isPacked)
        throw new Error(`wire type ${wireType} for a field of wire type ${field.wireType}`);
      if (wireType === WireType.LengthDelimited) this.#visitContent(field, this.#integer(), end);
      else this.#skip(wireType);
    }
    if (this.#position !== end) throw new Error(LONG_FIELD);
  }

  #visitContent(field: Field | undefined, length: number, end: number): void {
    const next = this.#position + length;
    if (next > end) throw new Error(LONG_FIELD);
    if (field?.fields !== undefined) this.visit(field.fields(), next);
    else if (field?.packed === 'varint') this.#countVarints(next);
    else if (field?.packed !== undefined && length % field.packed !== 0) throw new Error(LONG_FIELD);
    this.#position = next;
  }

  /** Reads a tag or a length, which is an integer of 32 bits. */
  #integer(): number {
    let [integer, factor] = [0, 1];
    for (let count = 0; count < MAX_TAG_BYTES; count++) {
      const byte = this.#bytes[this.#position++];
      if (byte === undefined) throw new Error(LONG_FIELD);
      integer += (byte & LOW_BITS) * factor;
      if (byte <= LOW_BITS) return integer;
      factor *= LOW_BITS + 1;
    }
    throw new Error('a tag or a length of too many bytes');
  }

  #skip(wireType: number): void {
    if (wireType === WireType.Bit64) this.#position += 8;
    else if (wireType === WireType.Bit32) this.#position += 4;
    else if (wireType === WireType.Varint) {
      // The decoder checks the length of the integer.
      while (this.#bytes[this.#position]! > LOW_BITS) this.#position += 1;
      this.#position += 1;
    } else throw new Error(`wire type ${wireType}, which the protocol does not use`);
  }

  /**
   * Counts the integers before the position `end`. The last byte of each integer is below 128, and
   * no other byte is.
   */
  #countVarints(end: number): void {
    for (let index = this.#position; index < end; index++) if (this.#bytes[index]! <= LOW_BITS) this.#numbersLeft -= 1;
    if (this.#numbersLeft < 0) throw new Error(`more than ${MAX_NUMBERS} integers and booleans`);
    if (end > this.#position && this.#bytes[end - 1]! > LOW_BITS) throw new Error(LONG_FIELD);
  }
}

const LONG_FIELD = 'a field does not end inside its message';
/**
 * The bits of an encoded byte that belong to the integer. The high bit is set if more bytes of the
 * integer follow.
 */
const LOW_BITS = 0x7f;
/**
 * The largest number of bytes of a tag or a length: 5 bytes of 7 bits hold an integer of 32 bits.
 */
const MAX_TAG_BYTES = 5;

/** The fields of a message by their numbers. */
type Fields = ReadonlyMap<number, Field>;

/** How a field is encoded. */
interface Field {
  readonly wireType: WireType;
  /**
   * In a packed list, the number of bytes of each number, or `varint` if it varies. Undefined for
   * other fields.
   */
  readonly packed?: 4 | 8 | 'varint';
  /** Returns the fields of the message inside the field. */
  readonly fields?: () => Fields;
}

const cached = new WeakMap<DescMessage, Fields>();

function fieldsOf(type: DescMessage): Fields {
  const found = cached.get(type);
  if (found !== undefined) return found;
  const fields = new Map(type.fields.map((field) => [field.number, fieldOf(field)]));
  cached.set(type, fields);
  return fields;
}

const MAP_KEY = 1;
const MAP_VALUE = 2;

function fieldOf(field: DescField): Field {
  const { fieldKind, scalar, message } = field;
  const inner: Field = message === undefined ? scalarField(scalar) : messageField(() => fieldsOf(message));
  if (fieldKind === 'map') {
    const entry = new Map([
      [MAP_KEY, scalarField(field.mapKey)],
      [MAP_VALUE, inner],
    ]);
    return messageField(() => entry);
  }
  if (fieldKind !== 'list' || inner.wireType === WireType.LengthDelimited) return inner;
  return { ...inner, packed: PACKED.get(inner.wireType) ?? 'varint' };
}

const PACKED: ReadonlyMap<WireType, 4 | 8> = new Map([
  [WireType.Bit32, 4],
  [WireType.Bit64, 8],
]);

const messageField = (fields: () => Fields): Field => ({ wireType: WireType.LengthDelimited, fields });

/** The wire types of scalars that are not encoded as varints. */
const WIRE_TYPES: ReadonlyMap<ScalarType | undefined, WireType> = new Map([
  [ScalarType.STRING, WireType.LengthDelimited],
  [ScalarType.BYTES, WireType.LengthDelimited],
  [ScalarType.FLOAT, WireType.Bit32],
  [ScalarType.FIXED32, WireType.Bit32],
  [ScalarType.SFIXED32, WireType.Bit32],
  [ScalarType.DOUBLE, WireType.Bit64],
  [ScalarType.FIXED64, WireType.Bit64],
  [ScalarType.SFIXED64, WireType.Bit64],
]);

const scalarField = (scalar: ScalarType | undefined): Field => ({
  wireType: WIRE_TYPES.get(scalar) ?? WireType.Varint,
});
