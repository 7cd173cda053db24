import fc from 'fast-check';
import { BytesList } from '../../src/proto/bytes-list.js';
import type { Kind, MessageType, NamedField } from '../../src/proto/descriptor.js';
import { IntList } from '../../src/proto/int-list.js';

/**
 * Draws random messages of a type, from the table of its fields. At `depth` 0, messages contain no
 * nested messages.
 */
export function messageOf<T>(type: MessageType<T>, depth: number): fc.Arbitrary<T> {
  const fields = type.fields.map((field) => [field.key, fieldOf(field, depth)] as const);
  return fc.record(Object.fromEntries(fields)) as fc.Arbitrary<T>;
}

function fieldOf(field: NamedField, depth: number): fc.Arbitrary<unknown> {
  if (field.of !== undefined && depth === 0) return fc.constant(field.absent);
  return fc.oneof({ arbitrary: fc.constant(field.absent), weight: 2 }, kinds[field.kind](field, depth - 1));
}

const list = (element: fc.Arbitrary<unknown>) => fc.array(element, { maxLength: 3 });
const text = fc.string({ unit: 'binary', maxLength: 6 });
const safeInt = fc.maxSafeInteger();
const int64 = fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.bigInt({ min: -300n, max: 300n }));
const float = fc.float({ noNaN: false });
const bytes = fc.uint8Array({ maxLength: 5 });

const kinds: Record<Kind, (field: NamedField, depth: number) => fc.Arbitrary<unknown>> = {
  name: () => text,
  text: () => text,
  int32: () => fc.integer(),
  int: () => safeInt,
  int64: () => int64,
  float: () => float,
  bytes: () => bytes,
  message: (field, depth) => messageOf(field.of!(), depth),
  names: () => list(text),
  dims: () => list(safeInt),
  messages: (field, depth) => list(messageOf(field.of!(), depth)),
  floats: () => fc.float32Array({ maxLength: 9 }),
  doubles: () => fc.float64Array({ maxLength: 9 }),
  int32s: () => fc.int32Array({ maxLength: 9 }),
  int64s: () => fc.array(int64, { maxLength: 9 }).map((values) => BigInt64Array.from(values)),
  ints: () => fc.array(int64, { maxLength: 9 }).map((values) => IntList.of(values)),
  uint64s: () => fc.bigUint64Array({ maxLength: 9 }),
  byteses: () => fc.array(bytes, { maxLength: 9 }).map((values) => BytesList.of(values)),
};

/**
 * Returns the message with an array for each list of byte strings or integers, so that lists over
 * different buffers can be compared.
 */
export function plain(value: unknown): unknown {
  if (value instanceof BytesList) return Array.from({ length: value.length }, (_, index) => [...value.at(index)]);
  if (value instanceof IntList) return [...value];
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Uint8Array) return [...value];
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, plain(entry)]));
}
