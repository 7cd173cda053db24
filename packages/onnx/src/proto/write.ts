import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { BytesList } from './bytes-list.js';
import { type Kind, type MessageType, type NamedField, wireTypes } from './descriptor.js';
import type { IntList } from './int-list.js';
import {
  type MapProto,
  type ModelProto,
  mapProto,
  modelProto,
  type SequenceProto,
  sequenceProto,
  type TensorProto,
  tensorProto,
} from './schema.js';

/**
 * Returns the bytes of an ONNX file, with fields in the order and form of the official writers.
 * `readModel` reads such a file.
 *
 * @example await writeFile('model.onnx', writeModel(makeModel(graph)));
 */
export function writeModel(model: ModelProto): Uint8Array {
  return writeMessage(modelProto, model);
}

/** Returns the bytes of a file with one tensor, which `readTensorProto` reads. */
export function writeTensorProto(tensor: TensorProto): Uint8Array {
  return writeMessage(tensorProto, tensor);
}

/**
 * Returns the bytes of a file with a sequence of tensors or maps, which `readSequenceProto` reads.
 */
export function writeSequenceProto(sequence: SequenceProto): Uint8Array {
  return writeMessage(sequenceProto, sequence);
}

/** Returns the bytes of a file with a map, which `readMapProto` reads. */
export function writeMapProto(map: MapProto): Uint8Array {
  return writeMessage(mapProto, map);
}

function writeMessage<T>(type: MessageType<T>, message: T): Uint8Array {
  const writer = new BinaryWriter();
  writeFields(writer, type, message);
  return writer.finish();
}

function writeFields<T>(writer: BinaryWriter, type: MessageType<T>, message: T): void {
  for (const field of type.fields) {
    const value = (message as Record<string, unknown>)[field.key];
    if (value !== field.absent) fieldWriters[field.kind](writer, field, value as never);
  }
}

type ElementWriter<Element> = (writer: BinaryWriter, element: Element) => unknown;
type FieldWriter = (writer: BinaryWriter, field: NamedField, value: never) => void;

function single<Value>(write: ElementWriter<Value>): FieldWriter {
  return (writer, field, value: Value) => write(writer.tag(field.number, wireTypes[field.kind]), value);
}

function repeated<Element>(write: ElementWriter<Element>): FieldWriter {
  return (writer, field, values: ArrayLike<Element>) => {
    if (values.length === 0) return;
    if (field.packed) writer.tag(field.number, WireType.LengthDelimited).fork();
    for (let index = 0; index < values.length; index++) {
      if (!field.packed) writer.tag(field.number, wireTypes[field.kind]);
      write(writer, values[index]!);
    }
    if (field.packed) writer.join();
  };
}

function nested(writer: BinaryWriter, field: NamedField, message: unknown): void {
  writer.tag(field.number, WireType.LengthDelimited).fork();
  writeFields(writer, field.of!(), message);
  writer.join();
}

const fieldWriters: Readonly<Record<Kind, FieldWriter>> = {
  name: single<string>((writer, value) => writer.string(value)),
  text: single<string>((writer, value) => writer.string(value)),
  int32: single<number>((writer, value) => writer.int32(value)),
  int: single<number>((writer, value) => writer.int64(value)),
  int64: single<bigint>((writer, value) => writer.int64(value)),
  float: single<number>((writer, value) => writer.float(value)),
  bytes: single<Uint8Array>((writer, value) => writer.bytes(value)),
  message: nested,
  names: repeated<string>((writer, value) => writer.string(value)),
  dims: repeated<number>((writer, value) => writer.int64(value)),
  messages: (writer, field, messages: readonly unknown[]) => {
    for (const message of messages) nested(writer, field, message);
  },
  floats: repeated<number>((writer, value) => writer.float(value)),
  doubles: repeated<number>((writer, value) => writer.double(value)),
  int32s: repeated<number>((writer, value) => writer.int32(value)),
  int64s: repeated<bigint>((writer, value) => writer.int64(value)),
  uint64s: repeated<bigint>((writer, value) => writer.uint64(value)),
  ints: (writer, field, list: IntList) => {
    for (const value of list) writer.tag(field.number, WireType.Varint).int64(value);
  },
  byteses: (writer, field, list: BytesList) => {
    for (let index = 0; index < list.length; index++) {
      writer.tag(field.number, WireType.LengthDelimited).bytes(list.at(index));
    }
  },
};
