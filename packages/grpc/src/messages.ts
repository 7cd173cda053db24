import { type DescField, type DescMessage, fromBinary, type MessageShape, ScalarType } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { grpcError } from './errors.js';

/**
 * The largest number of fields inside one message. A field can become an object of at least 100
 * bytes, but takes only 2 bytes of the encoded message. A list of numbers is one field if the
 * client packs it, as proto3 prescribes.
 */
const MAX_PARTS = 2 ** 20;

/**
 * The largest number of integers and booleans in the lists of one message. Each of them becomes an
 * object of up to 40 bytes, but can take only 1 byte of the encoded message.
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

/** Checks the numbers of fields and integers before any of them becomes an object. */
function checkParts(type: DescMessage, bytes: Uint8Array): void {
  let [left, numbersLeft] = [MAX_PARTS, MAX_NUMBERS];
  const countNumbers = (count: number) => {
    numbersLeft -= count;
    if (numbersLeft < 0) throw new Error(`more than ${MAX_NUMBERS} integers and booleans`);
  };
  const visit = (message: DescMessage, reader: BinaryReader, end: number) => {
    while (reader.pos < end) {
      const [number, wireType] = reader.tag();
      left -= 1;
      if (left < 0) throw new Error(`more than ${MAX_PARTS} fields`);
      if (wireType !== WireType.LengthDelimited) {
        reader.skip(wireType, number);
        continue;
      }
      const field = message.fields.find((candidate) => candidate.number === number);
      const length = reader.uint32();
      const inner = field === undefined || !('message' in field) ? undefined : field.message;
      const next = reader.pos + length;
      if (inner !== undefined) visit(inner, reader, next);
      if (field !== undefined && isPacked(field)) countNumbers(varints(bytes, reader.pos, next));
      reader.pos = next;
    }
  };
  visit(type, new BinaryReader(bytes), bytes.length);
}

/** The types of scalars whose encoded values have no bytes that end an integer. */
const NOT_VARINTS: ReadonlySet<ScalarType> = new Set([
  ScalarType.STRING,
  ScalarType.BYTES,
  ScalarType.FLOAT,
  ScalarType.DOUBLE,
]);

/** Returns whether a field holds a list of integers or booleans. */
const isPacked = (field: DescField) =>
  field.fieldKind === 'list' && field.listKind === 'scalar' && !NOT_VARINTS.has(field.scalar);

/** Counts the integers in encoded bytes. Only the last byte of an integer is below 128. */
function varints(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let index = start; index < end; index++) if (bytes[index]! < 0x80) count += 1;
  return count;
}
