import type { BytesList } from './bytes-list.js';
import {
  bytes,
  byteses,
  dims,
  float,
  floats,
  int,
  int32,
  int64,
  ints,
  type MessageType,
  many,
  message,
  name,
  names,
  one,
  optionalInt,
  optionalName,
  packedDoubles,
  packedFloats,
  packedInt32s,
  packedInt64s,
  packedUint64s,
  text,
} from './descriptor.js';
import type { IntList } from './int-list.js';

// Source: onnx/onnx.proto of ONNX IR 14. Fields for training, quantization and device notes are
// omitted here and skipped when a file is read.

/** The numbers of ONNX's element types (TensorProto.DataType). */
export const DataType = {
  UNDEFINED: 0,
  FLOAT: 1,
  UINT8: 2,
  INT8: 3,
  UINT16: 4,
  INT16: 5,
  INT32: 6,
  INT64: 7,
  STRING: 8,
  BOOL: 9,
  FLOAT16: 10,
  DOUBLE: 11,
  UINT32: 12,
  UINT64: 13,
  COMPLEX64: 14,
  COMPLEX128: 15,
  BFLOAT16: 16,
  FLOAT8E4M3FN: 17,
  FLOAT8E4M3FNUZ: 18,
  FLOAT8E5M2: 19,
  FLOAT8E5M2FNUZ: 20,
  UINT4: 21,
  INT4: 22,
  FLOAT4E2M1: 23,
  FLOAT8E8M0: 24,
  UINT2: 25,
  INT2: 26,
} as const;

/**
 * Returns the name of a data type, for example `FLOAT` for 1. Returns the number if ONNX does not
 * list it.
 */
export function dataTypeName(dataType: number): string {
  return Object.entries(DataType).find(([, value]) => value === dataType)?.[0] ?? `data type ${dataType}`;
}

/**
 * The numbers of AttributeProto.AttributeType. In files of IR version 1 every attribute has the
 * type UNDEFINED, and the field with a value determines the type.
 */
export const AttributeType = {
  UNDEFINED: 0,
  FLOAT: 1,
  INT: 2,
  STRING: 3,
  TENSOR: 4,
  GRAPH: 5,
  FLOATS: 6,
  INTS: 7,
  STRINGS: 8,
  TENSORS: 9,
  GRAPHS: 10,
  SPARSE_TENSOR: 11,
  SPARSE_TENSORS: 12,
  TYPE_PROTO: 13,
  TYPE_PROTOS: 14,
} as const;

/** Returns the name of an attribute type, or its number if ONNX does not list it. */
export function attributeTypeName(type: number): string {
  return Object.entries(AttributeType).find(([, value]) => value === type)?.[0] ?? `${type}`;
}

export interface StringStringEntryProto {
  readonly key: string;
  readonly value: string;
}
export const stringStringEntryProto: MessageType<StringStringEntryProto> = message('StringStringEntryProto', {
  key: text(1),
  value: text(2),
});

export interface OperatorSetIdProto {
  /** The operator's domain. Standard operators have an empty domain, the same as `ai.onnx`. */
  readonly domain: string;
  readonly version: number;
}
export const operatorSetIdProto: MessageType<OperatorSetIdProto> = message('OperatorSetIdProto', {
  domain: name(1),
  version: int(2),
});

export interface DimensionProto {
  readonly dimValue: number | undefined;
  readonly dimParam: string | undefined;
  readonly denotation: string;
}
const dimensionProto: MessageType<DimensionProto> = message('Dimension', {
  dimValue: optionalInt(1),
  dimParam: optionalName(2),
  denotation: text(3),
});

export interface TensorShapeProto {
  readonly dim: readonly DimensionProto[];
}
const tensorShapeProto: MessageType<TensorShapeProto> = message('TensorShapeProto', {
  dim: many(1, () => dimensionProto),
});

export interface TensorTypeProto {
  readonly elemType: number;
  /** The shape; undefined if even the rank is unknown. */
  readonly shape: TensorShapeProto | undefined;
}
const tensorTypeProto: MessageType<TensorTypeProto> = message('TypeProto.Tensor', {
  elemType: int32(1),
  shape: one(2, () => tensorShapeProto),
});

/** A type that contains the type of its elements: `TypeProto.Sequence` or `TypeProto.Optional`. */
export interface ElementTypeProto {
  readonly elemType: TypeProto | undefined;
}
const elementTypeProto: MessageType<ElementTypeProto> = message('TypeProto.Sequence', {
  elemType: one(1, () => typeProto),
});

export interface MapTypeProto {
  readonly keyType: number;
  readonly valueType: TypeProto | undefined;
}
const mapTypeProto: MessageType<MapTypeProto> = message('TypeProto.Map', {
  keyType: int32(1),
  valueType: one(2, () => typeProto),
});

/**
 * The type of a value. One of the four types is set; none is set for sparse tensors and opaque
 * values.
 */
export interface TypeProto {
  readonly tensorType: TensorTypeProto | undefined;
  readonly sequenceType: ElementTypeProto | undefined;
  readonly mapType: MapTypeProto | undefined;
  readonly optionalType: ElementTypeProto | undefined;
  readonly denotation: string;
}
export const typeProto: MessageType<TypeProto> = message('TypeProto', {
  tensorType: one(1, () => tensorTypeProto),
  sequenceType: one(4, () => elementTypeProto),
  mapType: one(5, () => mapTypeProto),
  optionalType: one(9, () => elementTypeProto),
  denotation: text(6),
});

export interface ValueInfoProto {
  readonly name: string;
  readonly type: TypeProto | undefined;
  readonly docString: string;
}
export const valueInfoProto: MessageType<ValueInfoProto> = message('ValueInfoProto', {
  name: name(1),
  type: one(2, () => typeProto),
  docString: text(3),
});

/** A tensor as the file stores it; `readTensor` decodes it. */
export interface TensorProto {
  readonly dims: readonly number[];
  readonly dataType: number;
  readonly floatData: Float32Array;
  /** Elements of int32, smaller integers and bool, and the bits of 16-bit floats. */
  readonly int32Data: Int32Array;
  readonly stringData: BytesList;
  readonly int64Data: BigInt64Array;
  readonly name: string;
  /** The elements as little-endian bytes. They may start at any offset of the file. */
  readonly rawData: Uint8Array | undefined;
  readonly doubleData: Float64Array;
  readonly uint64Data: BigUint64Array;
  readonly docString: string;
  readonly externalData: readonly StringStringEntryProto[];
  /** Where the elements are stored: 0 in this file, 1 in another file. */
  readonly dataLocation: number;
}
export const tensorProto: MessageType<TensorProto> = message('TensorProto', {
  dims: dims(1),
  dataType: int32(2),
  floatData: packedFloats(4),
  int32Data: packedInt32s(5),
  stringData: byteses(6),
  int64Data: packedInt64s(7),
  name: name(8),
  rawData: bytes(9),
  doubleData: packedDoubles(10),
  uint64Data: packedUint64s(11),
  docString: text(12),
  externalData: many(13, () => stringStringEntryProto),
  dataLocation: int32(14),
});

/** A tensor in which most elements are zero. `dense-constants.ts` converts it to a dense tensor. */
export interface SparseTensorProto {
  /** The nonzero elements as a tensor with one axis. Its name is the name of the sparse tensor. */
  readonly values: TensorProto | undefined;
  /**
   * Where each value is in the dense tensor: its offset, or its index along every axis (`[values,
   * axes]`). int64, in ascending order.
   */
  readonly indices: TensorProto | undefined;
  readonly dims: readonly number[];
}
export const sparseTensorProto: MessageType<SparseTensorProto> = message('SparseTensorProto', {
  values: one(1, () => tensorProto),
  indices: one(2, () => tensorProto),
  dims: dims(3),
});

/**
 * `SequenceProto` of onnx-data.proto, for tensors and maps only: test data of an input or output
 * that is a sequence.
 */
export interface SequenceProto {
  readonly name: string;
  /**
   * The type of the elements: 1 for tensors, 4 for maps. The reader skips elements of other types,
   * such as sequences.
   */
  readonly elemType: number;
  readonly tensorValues: readonly TensorProto[];
  readonly mapValues: readonly MapProto[];
}
export const sequenceProto: MessageType<SequenceProto> = message('SequenceProto', {
  name: name(1),
  elemType: int32(2),
  tensorValues: many(3, () => tensorProto),
  mapValues: many(6, () => mapProto),
});

/**
 * `MapProto` of onnx-data.proto: test data of an input or output that is a map. `readMap` converts
 * such a map to a `Map`.
 */
export interface MapProto {
  readonly name: string;
  /** The element type of the keys, a number of `DataType`: an integer type or STRING. */
  readonly keyType: number;
  readonly keys: BigInt64Array;
  readonly stringKeys: BytesList;
  /** The values in the order of the keys: one tensor for each key, or one tensor for all keys. */
  readonly values: SequenceProto | undefined;
}
export const mapProto: MessageType<MapProto> = message('MapProto', {
  name: name(1),
  keyType: int32(2),
  keys: packedInt64s(3),
  stringKeys: byteses(4),
  values: one(5, () => sequenceProto),
});

/**
 * `OptionalProto` of onnx-data.proto: test data of an input or output of an optional type. No value
 * is set if the test data stands for an absent value.
 */
export interface OptionalProto {
  readonly name: string;
  readonly elemType: number;
  readonly tensorValue: TensorProto | undefined;
  readonly sequenceValue: SequenceProto | undefined;
}
export const optionalProto: MessageType<OptionalProto> = message('OptionalProto', {
  name: name(1),
  elemType: int32(2),
  tensorValue: one(3, () => tensorProto),
  sequenceValue: one(5, () => sequenceProto),
});

/** An attribute of a node. `type` says which of the other properties contains its value. */
export interface AttributeProto {
  readonly name: string;
  readonly type: number;
  readonly f: number | undefined;
  readonly i: bigint | undefined;
  /**
   * A string. By convention it is UTF-8, but a file may contain any bytes; `decodeText` converts
   * the bytes to text.
   */
  readonly s: Uint8Array | undefined;
  readonly t: TensorProto | undefined;
  readonly g: GraphProto | undefined;
  readonly tp: TypeProto | undefined;
  readonly sparseTensor: SparseTensorProto | undefined;
  readonly floats: Float32Array;
  readonly ints: IntList;
  readonly strings: BytesList;
  readonly tensors: readonly TensorProto[];
  readonly graphs: readonly GraphProto[];
  readonly typeProtos: readonly TypeProto[];
  /**
   * Inside the body of a function: the name of the function's attribute that supplies the value.
   */
  readonly refAttrName: string;
  readonly docString: string;
}
export const attributeProto: MessageType<AttributeProto> = message('AttributeProto', {
  name: name(1),
  f: float(2),
  i: int64(3),
  s: bytes(4),
  t: one(5, () => tensorProto),
  g: one(6, () => graphProto),
  floats: floats(7),
  ints: ints(8),
  strings: byteses(9),
  tensors: many(10, () => tensorProto),
  graphs: many(11, () => graphProto),
  docString: text(13),
  tp: one(14, () => typeProto),
  typeProtos: many(15, () => typeProto),
  type: int32(20),
  refAttrName: name(21),
  sparseTensor: one(22, () => sparseTensorProto),
});

export interface NodeProto {
  /** Names of the inputs. An empty name means that the node omits an optional input. */
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly name: string;
  readonly opType: string;
  readonly domain: string;
  /** Distinguishes functions with the same domain and name. */
  readonly overload: string;
  readonly attribute: readonly AttributeProto[];
  readonly docString: string;
}
export const nodeProto: MessageType<NodeProto> = message('NodeProto', {
  input: names(1),
  output: names(2),
  name: name(3),
  opType: name(4),
  attribute: many(5, () => attributeProto),
  docString: text(6),
  domain: name(7),
  overload: name(8),
});

export interface GraphProto {
  readonly node: readonly NodeProto[];
  readonly name: string;
  readonly initializer: readonly TensorProto[];
  readonly sparseInitializer: readonly SparseTensorProto[];
  readonly docString: string;
  readonly input: readonly ValueInfoProto[];
  readonly output: readonly ValueInfoProto[];
  readonly valueInfo: readonly ValueInfoProto[];
}
export const graphProto: MessageType<GraphProto> = message('GraphProto', {
  node: many(1, () => nodeProto),
  name: name(2),
  initializer: many(5, () => tensorProto),
  docString: text(10),
  input: many(11, () => valueInfoProto),
  output: many(12, () => valueInfoProto),
  valueInfo: many(13, () => valueInfoProto),
  sparseInitializer: many(15, () => sparseTensorProto),
});

export interface FunctionProto {
  readonly name: string;
  readonly domain: string;
  readonly overload: string;
  readonly input: readonly string[];
  readonly output: readonly string[];
  /**
   * Names of the attributes that a caller of the function must set, because they have no default.
   */
  readonly attribute: readonly string[];
  readonly attributeProto: readonly AttributeProto[];
  readonly node: readonly NodeProto[];
  readonly docString: string;
  readonly opsetImport: readonly OperatorSetIdProto[];
  readonly valueInfo: readonly ValueInfoProto[];
}
export const functionProto: MessageType<FunctionProto> = message('FunctionProto', {
  name: name(1),
  input: names(4),
  output: names(5),
  attribute: names(6),
  node: many(7, () => nodeProto),
  docString: text(8),
  opsetImport: many(9, () => operatorSetIdProto),
  domain: name(10),
  attributeProto: many(11, () => attributeProto),
  valueInfo: many(12, () => valueInfoProto),
  overload: name(13),
});

export interface ModelProto {
  readonly irVersion: number;
  readonly producerName: string;
  readonly producerVersion: string;
  readonly domain: string;
  readonly modelVersion: bigint | undefined;
  readonly docString: string;
  readonly graph: GraphProto | undefined;
  readonly opsetImport: readonly OperatorSetIdProto[];
  readonly metadataProps: readonly StringStringEntryProto[];
  readonly functions: readonly FunctionProto[];
}
export const modelProto: MessageType<ModelProto> = message('ModelProto', {
  irVersion: int(1),
  producerName: text(2),
  producerVersion: text(3),
  domain: text(4),
  modelVersion: int64(5),
  docString: text(6),
  graph: one(7, () => graphProto),
  opsetImport: many(8, () => operatorSetIdProto),
  metadataProps: many(14, () => stringStringEntryProto),
  functions: many(25, () => functionProto),
});
