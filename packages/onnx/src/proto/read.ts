import type { WireFunctions } from '@brezel/object-store';
import { WireType } from '@bufbuild/protobuf/wire';
import { OnnxError, onnxError } from '../errors.js';
import { checkedLimits, type ImportLimits } from '../limits.js';
import { isPackable, type Kind, type MessageType, type NamedField, wireTypes } from './descriptor.js';
import { foreignFormat } from './foreign.js';
import { Input } from './input.js';
import {
  BytesListReader,
  DoubleList,
  FloatList,
  Int32List,
  Int64List,
  IntListReader,
  type ListReader,
  Uint64List,
} from './lists.js';
import {
  type MapProto,
  type ModelProto,
  mapProto,
  modelProto,
  type OptionalProto,
  optionalProto,
  type SequenceProto,
  sequenceProto,
  type TensorProto,
  tensorProto,
} from './schema.js';

/**
 * Reads an ONNX file.
 *
 * Integers and strings of attributes and raw data of tensors stay in `bytes`, so do not change
 * `bytes`. Unknown fields are skipped. Names must be UTF-8. Works on little-endian hosts only.
 * Cost: O(bytes), about 0.25 s for 100 MB; memory is about 8 bytes per list element plus at most
 * `limits.items` objects.
 * @throws ERR_ONNX_FORMAT for a damaged file or another format; ERR_ONNX_LIMIT when the file
 * exceeds `limits`.
 * @param onRead called with the number of bytes read, a hundred times at most.
 * @param wire the addon's functions, `store.memory.wire`, which read long lists.
 * @example const model = readModel(await readFile('model.onnx'));
 */
export function readModel(
  bytes: Uint8Array,
  limits: Partial<ImportLimits> = {},
  onRead?: (done: number) => void,
  wire?: WireFunctions,
): ModelProto {
  if (!(bytes instanceof Uint8Array))
    throw onnxError('ERR_ONNX_FORMAT', {
      expected: 'the bytes of a file, a Uint8Array',
      received: typeof bytes === 'string' ? 'text' : bytes === null ? 'null' : typeof bytes,
      hint: "importOnnx(readFileSync('model.onnx'), flour): the bytes, not the path",
    });
  if (bytes.length === 0) throw onnxError('ERR_ONNX_FORMAT', { received: 'the file is empty' });
  try {
    const model = readMessage(modelProto, bytes, limits, onRead, wire);
    if (model.graph === undefined) throw onnxError('ERR_ONNX_FORMAT', { received: 'no graph' });
    return model;
  } catch (error) {
    throw (error instanceof OnnxError && error.code === 'ERR_ONNX_FORMAT' && foreignFormat(bytes, error)) || error;
  }
}

/**
 * Reads a file that holds one tensor, for example from ONNX test data or written with
 * `numpy_helper`. The tensor shares `bytes`. Throws the same errors as `readModel`.
 */
export function readTensorProto(bytes: Uint8Array, limits: Partial<ImportLimits> = {}): TensorProto {
  return readMessage(tensorProto, bytes, limits);
}

/**
 * Reads a sequence of tensors or maps of ONNX test data. The result shares `bytes`. Throws the same
 * errors as `readModel`.
 */
export function readSequenceProto(bytes: Uint8Array, limits: Partial<ImportLimits> = {}): SequenceProto {
  return readMessage(sequenceProto, bytes, limits);
}

/**
 * Reads a map of ONNX test data. The result shares `bytes`. Throws the same errors as `readModel`.
 */
export function readMapProto(bytes: Uint8Array, limits: Partial<ImportLimits> = {}): MapProto {
  return readMessage(mapProto, bytes, limits);
}

/**
 * Reads a value of an optional type of ONNX test data. The result shares `bytes`. Throws the same
 * errors as `readModel`.
 */
export function readOptionalProto(bytes: Uint8Array, limits: Partial<ImportLimits> = {}): OptionalProto {
  return readMessage(optionalProto, bytes, limits);
}

function readMessage<T>(
  type: MessageType<T>,
  bytes: Uint8Array,
  limits: Partial<ImportLimits>,
  onRead?: (done: number) => void,
  wire?: WireFunctions,
): T {
  // `slice` of a Uint8Array copies, `slice` of a Buffer does not. Messages need copies, so they get
  // a Uint8Array.
  const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const input = new Input(plain, checkedLimits(limits), onRead, wire);
  try {
    return readFields(input, type);
  } catch (error) {
    throw input.explain(error);
  }
}

/** Reads the fields of a message up to `input.end`, and returns the message. */
function readFields<T>(input: Input, type: MessageType<T>): T {
  const message = { ...type.empty } as Record<string, unknown>;
  const { reader } = input;
  while (reader.pos < input.end) {
    const tag = input.tag();
    const wire: WireType = tag & 7;
    const field = type.byNumber[tag >>> 3];
    input.field = field?.key ?? '';
    if (field === undefined) {
      input.skip(wire);
    } else {
      checkWire(input, field.kind, wire);
      message[field.key] = fieldReaders[field.kind](input, field, message[field.key], wire);
    }
    if (reader.pos > input.end) throw input.fail('ERR_ONNX_FORMAT', `a field that overruns its ${type.name}`);
  }
  for (const { key, absent } of type.lists) {
    if (message[key] !== absent) message[key] = (message[key] as ListReader).finish();
  }
  return message as T;
}

function checkWire(input: Input, kind: Kind, wire: WireType): void {
  if (wire === wireTypes[kind] || (wire === WireType.LengthDelimited && isPackable(kind))) return;
  throw input.fail('ERR_ONNX_FORMAT', `wire type ${WireType[wire]}, expected ${WireType[wireTypes[kind]]}`);
}

/** Reads one field. `current` is the value of the field so far; the result is its new value. */
type FieldReader = (input: Input, field: NamedField, current: unknown, wire: WireType) => unknown;

const fieldReaders: Readonly<Record<Kind, FieldReader>> = {
  name: (input) => input.name(),
  text: (input) => input.text(),
  int32: (input) => input.reader.int32(),
  int: (input) => input.safeInt(),
  int64: (input) => input.int64(),
  float: (input) => input.float(),
  bytes: (input) => input.view(),
  message: (input, field, current) => {
    // Protobuf merges a field that occurs twice. No exporter writes such files, and parsers that
    // treat them differently can be attacked.
    if (current !== undefined) throw input.fail('ERR_ONNX_FORMAT', 'a field given twice');
    return input.nested(undefined, () => readFields(input, field.of!()));
  },
  names: (input, field, current) => appended(field, current, input.name()),
  dims: (input, field, current, wire) => {
    const end = wire === WireType.LengthDelimited ? input.span() : input.reader.pos + 1;
    let list = current;
    while (input.reader.pos < end) {
      input.count();
      list = appended(field, list, input.safeInt());
    }
    return list;
  },
  messages: (input, field, current) => {
    const index = (current as readonly unknown[]).length;
    return appended(
      field,
      current,
      input.nested(index, () => readFields(input, field.of!())),
    );
  },
  floats: list(() => new FloatList()),
  doubles: list(() => new DoubleList()),
  int32s: list(() => new Int32List()),
  int64s: list(() => new Int64List()),
  uint64s: list(() => new Uint64List()),
  ints: list((input) => new IntListReader(input)),
  byteses: list((input) => new BytesListReader(input)),
};

/**
 * Returns a field reader for a field that is a list. `make` creates the list reader. While the
 * message is being read, the property holds the list reader; afterwards the list replaces it.
 */
function list(make: (input: Input) => ListReader): FieldReader {
  return (input, field, current, wire) => {
    const reader = current === field.absent ? make(input) : (current as ListReader);
    reader.append(input, wire, (field.number << 3) | wire);
    return reader;
  };
}

/**
 * Appends an entry to a list and returns the list. Creates a new list if the current one is the
 * empty list that all messages share.
 */
function appended(field: NamedField, current: unknown, entry: unknown): unknown[] {
  if (current === field.absent) return [entry];
  (current as unknown[]).push(entry);
  return current as unknown[];
}
