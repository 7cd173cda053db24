import {
  type ElementType,
  elementArray,
  elementCount,
  fromBfloat16,
  fromFloat16,
  fromSmallFloat,
  isSmallFloat,
  type NumericElement,
  type NumericTensor,
  packBits,
  type SmallFloat,
  type Tensor,
  toBfloat16,
  toFloat16,
  toSmallFloat,
  unpackBits,
} from '@brezel/core';
import { onnxError } from '../errors.js';
import { BytesList } from './bytes-list.js';
import { create } from './descriptor.js';
import { DataType, dataTypeName, type TensorProto, tensorProto } from './schema.js';

// Tensors with their true element types, as tensor programs hold them. `tensor.ts` converts them to
// the wider types that rows use.

const dataTypes: Readonly<Record<ElementType, number>> = {
  float32: DataType.FLOAT,
  float64: DataType.DOUBLE,
  float16: DataType.FLOAT16,
  bfloat16: DataType.BFLOAT16,
  int8: DataType.INT8,
  int16: DataType.INT16,
  int32: DataType.INT32,
  int64: DataType.INT64,
  uint8: DataType.UINT8,
  uint16: DataType.UINT16,
  uint32: DataType.UINT32,
  uint64: DataType.UINT64,
  bool: DataType.BOOL,
  string: DataType.STRING,
  int4: DataType.INT4,
  uint4: DataType.UINT4,
  int2: DataType.INT2,
  uint2: DataType.UINT2,
  float8e4m3fn: DataType.FLOAT8E4M3FN,
  float8e4m3fnuz: DataType.FLOAT8E4M3FNUZ,
  float8e5m2: DataType.FLOAT8E5M2,
  float8e5m2fnuz: DataType.FLOAT8E5M2FNUZ,
  float8e8m0: DataType.FLOAT8E8M0,
  float4e2m1: DataType.FLOAT4E2M1,
};
const elements = new Map(Object.entries(dataTypes).map(([element, type]) => [type, element as ElementType]));

/**
 * Returns the element type of an ONNX data type, or undefined for types that tensor programs do not
 * support (complex numbers).
 */
export const elementOf = (dataType: number): ElementType | undefined => elements.get(dataType);

/**
 * Returns the element type of an ONNX data type, if black boxes can read and return it. Returns
 * undefined for floats of 8 or 4 bits and integers of 4 or 2 bits, which other runtimes do not
 * accept.
 */
export function sharedElementOf(dataType: number): ElementType | undefined {
  const element = elementOf(dataType);
  return element === undefined || isSmallFloat(element) || Object.hasOwn(smallIntegers, element) ? undefined : element;
}

/** Returns the ONNX data type of an element type. */
export const dataTypeOf = (element: ElementType): number => dataTypes[element];

/**
 * Decodes a tensor of an ONNX file without changing its element type.
 *
 * The result may share data with `proto`. Cost: O(elements). Checks the number of elements before
 * it allocates.
 * @throws ERR_ONNX_TENSOR if the number of elements does not match the shape, the data is in
 * another file, or the element type is unsupported.
 * @example const { element, shape, data } = readElements(readTensorProto(await readFile('input_0.pb')));
 */
export function readElements(proto: TensorProto): Tensor {
  const at = `tensor '${proto.name}'`;
  if (proto.dataLocation !== 0 || proto.externalData.length > 0) {
    throw onnxError('ERR_ONNX_TENSOR', {
      received: 'its data is in another file',
      at,
      hint: 'give the importer `externalData`, or save the model in one file',
    });
  }
  const element = elementOf(proto.dataType);
  if (element === undefined) {
    throw onnxError('ERR_ONNX_TENSOR', {
      expected: 'a number, bool or string type',
      received: dataTypeName(proto.dataType),
      at,
      hint: 'cast the tensor to a type that Brezel knows, e.g. FLOAT',
    });
  }
  const count = checkedCount(proto.dims, at);
  const data = element === 'string' ? readStrings(proto, count, at) : readNumbers(proto, element, count, at);
  return { element, shape: proto.dims, data } as Tensor;
}

/**
 * Returns the number of elements of a tensor with these dimensions.
 * @throws ERR_ONNX_TENSOR for a negative dimension, or for more than 2^53 elements.
 */
function checkedCount(dims: readonly number[], at: string): number {
  const count = elementCount(dims);
  if (dims.every((dim) => dim >= 0) && Number.isSafeInteger(count)) return count;
  throw onnxError('ERR_ONNX_TENSOR', { expected: 'a shape', received: `[${dims.slice(0, 16)}]`, at });
}

function readStrings(proto: TensorProto, count: number, at: string): readonly string[] {
  if (proto.rawData !== undefined) throw miscounted(proto, at, `${count} strings`, 'raw data');
  if (proto.stringData.length !== count) throw miscounted(proto, at, `${count} strings`, `${proto.stringData.length}`);
  return proto.stringData.texts();
}

type Numbers = ReturnType<typeof elementArray<NumericElement>>;

function readNumbers(proto: TensorProto, element: NumericElement, count: number, at: string): Numbers {
  const { bytes, typed, decode } = formats[element] as Format;
  const raw = proto.rawData;
  if (raw === undefined) {
    const list = typed(proto);
    const wanted = Math.ceil(count * Math.min(bytes, 1));
    if (list.length !== wanted) throw miscounted(proto, at, `${wanted} elements`, `${list.length}`);
    return decode(list, count);
  }
  const wanted = Math.ceil(count * bytes);
  if (raw.length !== wanted) throw miscounted(proto, at, `${wanted} bytes`, `${raw.length}`);
  return decode(rawList(element, raw), count);
}

function miscounted(proto: TensorProto, at: string, wanted: string, received: string) {
  const expected = `${wanted} for shape [${proto.dims.slice(0, 16)}] of ${dataTypeName(proto.dataType)}`;
  return onnxError('ERR_ONNX_TENSOR', { expected, received, at });
}

/**
 * Returns a typed array with a copy of raw data, which may be unaligned in the file. Floats of at
 * most 16 bits stay bit patterns, and elements of less than a byte stay packed.
 */
function rawList(element: NumericElement, raw: Uint8Array): Numbers {
  const { buffer } = new Uint8Array(raw);
  if (element === 'float16' || element === 'bfloat16') return new Uint16Array(buffer);
  if (isSmallFloat(element) || Object.hasOwn(smallIntegers, element)) return new Uint8Array(buffer);
  const List = arrayOf(element);
  return new List(buffer);
}

/** The typed array of an element type. */
const arrayOf = (element: NumericElement) =>
  elementArray(element, 0).constructor as new (
    from: ArrayBuffer | Int32Array,
  ) => Numbers;

/** Describes how a file stores the elements of one type. */
interface Format {
  /** Bytes of one element in the file. Less than 1 if several elements share a byte. */
  readonly bytes: number;
  /**
   * Returns the numbers from the protobuf field that ONNX prescribes for this type, such as
   * `int32Data`.
   */
  readonly typed: (proto: TensorProto) => Numbers;
  /** Converts numbers from their form in the file to their form in a `Tensor`. */
  readonly decode: (list: Numbers, count: number) => Numbers;
}

/** Integer types with several elements in one byte. */
const smallIntegers = {
  int4: { bits: 4, signed: true },
  uint4: { bits: 4, signed: false },
  int2: { bits: 2, signed: true },
  uint2: { bits: 2, signed: false },
} as const;

const byteList = (proto: TensorProto) => new Uint8Array(proto.int32Data);
const smallInteger = (element: keyof typeof smallIntegers): Format => {
  const { bits, signed } = smallIntegers[element];
  const List = arrayOf(element);
  const decode = (list: Numbers, count: number) => new List(unpackBits(list as Uint8Array, bits, count, signed).buffer);
  return { bytes: bits / 8, typed: byteList, decode };
};
const smallFloat = (element: SmallFloat): Format => ({
  bytes: element === 'float4e2m1' ? 1 / 2 : 1,
  typed: byteList,
  decode: (list, count) => {
    const bits = list as Uint8Array;
    return fromSmallFloat(element, element === 'float4e2m1' ? unpackBits(bits, 4, count, false) : bits);
  },
});

const asItIs = (list: Numbers) => list;
const small = (element: NumericElement, bytes: number): Format => {
  const List = arrayOf(element);
  return { bytes, typed: (proto) => new List(proto.int32Data), decode: asItIs };
};
const half = (decode: (bits: Uint16Array) => Float32Array): Format => ({
  bytes: 2,
  typed: (proto) => new Uint16Array(proto.int32Data),
  decode: (list) => decode(list as Uint16Array) as Numbers,
});

const formats: { readonly [E in NumericElement]: Format } = {
  float32: { bytes: 4, typed: (proto) => proto.floatData as Numbers, decode: asItIs },
  float64: { bytes: 8, typed: (proto) => proto.doubleData as Numbers, decode: asItIs },
  int32: { bytes: 4, typed: (proto) => proto.int32Data as Numbers, decode: asItIs },
  int64: { bytes: 8, typed: (proto) => proto.int64Data as Numbers, decode: asItIs },
  uint64: { bytes: 8, typed: (proto) => proto.uint64Data as Numbers, decode: asItIs },
  uint32: {
    bytes: 4,
    typed: (proto) => Uint32Array.from(proto.uint64Data, (value) => Number(BigInt.asUintN(32, value))),
    decode: asItIs,
  },
  int8: small('int8', 1),
  int16: small('int16', 2),
  uint8: small('uint8', 1),
  uint16: small('uint16', 2),
  bool: {
    bytes: 1,
    typed: (proto) => Uint8Array.from(proto.int32Data, (value) => (value === 0 ? 0 : 1)),
    decode: (list) => Uint8Array.from(list as Uint8Array, (value) => (value === 0 ? 0 : 1)),
  },
  float16: half(fromFloat16),
  bfloat16: half(fromBfloat16),
  int4: smallInteger('int4'),
  uint4: smallInteger('uint4'),
  int2: smallInteger('int2'),
  uint2: smallInteger('uint2'),
  float8e4m3fn: smallFloat('float8e4m3fn'),
  float8e4m3fnuz: smallFloat('float8e4m3fnuz'),
  float8e5m2: smallFloat('float8e5m2'),
  float8e5m2fnuz: smallFloat('float8e5m2fnuz'),
  float8e8m0: smallFloat('float8e8m0'),
  float4e2m1: smallFloat('float4e2m1'),
};

/**
 * Converts a tensor to its form in a file: numbers become raw data, strings stay strings.
 *
 * @example await writeFile('input_0.pb', writeTensorProto(writeElements('x', { element: 'uint8', shape: [2], data: Uint8Array.of(1, 2) })));
 */
export function writeElements(name: string, tensor: Tensor): TensorProto {
  const fields = { name, dims: tensor.shape, dataType: dataTypes[tensor.element] };
  if (tensor.element === 'string') return create(tensorProto, { ...fields, stringData: BytesList.of(tensor.data) });
  const list = fileForm(tensor);
  const rawData = new Uint8Array(list.buffer, list.byteOffset, list.byteLength).slice();
  return create(tensorProto, { ...fields, rawData });
}

/** Converts the numbers of a tensor to the bytes that ONNX prescribes for `rawData`. */
function fileForm(tensor: NumericTensor): ArrayBufferView {
  const { element, data } = tensor;
  if (element === 'float16') return toFloat16(data as Float32Array);
  if (element === 'bfloat16') return toBfloat16(data as Float32Array);
  if (Object.hasOwn(smallIntegers, element))
    return packBits(data as Int8Array, smallIntegers[element as keyof typeof smallIntegers].bits);
  if (!isSmallFloat(element)) return data;
  const patterns = toSmallFloat(element, data as Float32Array);
  return element === 'float4e2m1' ? packBits(patterns, 4) : patterns;
}
