import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { grpcError } from './errors.js';

/**
 * The largest number of messages, texts and byte strings inside one message. Each of them becomes
 * an object of at least 100 bytes, but takes only 2 bytes of the encoded message.
 */
const MAX_PARTS = 2 ** 20;

/**
 * Decodes a message.
 * @throws ERR_GRPC_MESSAGE for bytes that are not a message of this type, and for a message with
 * too many parts.
 */
export function decoded<Type extends DescMessage>(type: Type, bytes: Uint8Array): MessageShape<Type> {
  try {
    checkParts(type, bytes);
    return fromBinary(type, bytes);
  } catch (cause) {
    const received = (cause as Error).message;
    throw grpcError('ERR_GRPC_MESSAGE', { expected: `a ${type.name}`, received, cause });
  }
}

/** Checks the number of parts before any of them becomes an object. */
function checkParts(type: DescMessage, bytes: Uint8Array): void {
  let left = MAX_PARTS;
  const visit = (message: DescMessage, reader: BinaryReader, end: number) => {
    while (reader.pos < end) {
      const [number, wireType] = reader.tag();
      if (wireType !== WireType.LengthDelimited) {
        reader.skip(wireType, number);
        continue;
      }
      left -= 1;
      if (left < 0) throw new Error(`more than ${MAX_PARTS} messages, texts and byte strings`);
      const field = message.fields.find((candidate) => candidate.number === number);
      const length = reader.uint32();
      const inner = field === undefined || !('message' in field) ? undefined : field.message;
      const next = reader.pos + length;
      if (inner !== undefined) visit(inner, reader, next);
      reader.pos = next;
    }
  };
  visit(type, new BinaryReader(bytes), bytes.length);
}
