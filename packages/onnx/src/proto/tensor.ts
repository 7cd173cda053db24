import { fromBfloat16, fromFloat16, type NumericArrays, type NumericDType } from '@brezel/core';
import { onnxError } from '../errors.js';
import { DataType, dataTypeName, type TensorProto } from './schema.js';

/** A numeric tensor, row-major. */
export interface NumericTensor<D extends NumericDType = NumericDType> {
  readonly dtype: D;
  readonly shape: readonly number[];
  readonly data: NumericArrays[D];
}

/** A tensor of strings, row-major. Bytes that are not UTF-8 are replaced by U+FFFD. */
export interface StringTensor {
  readonly dtype: 'string';
  readonly shape: readonly number[];
  readonly data: readonly string[];
}

/**
 * A tensor in one of Brezel's element types. With an empty shape, the tensor is a scalar with one
 * element.
 */
export type Tensor = { [D in NumericDType]: NumericTensor<D> }[NumericDType] | StringTensor;

/**
 * Decodes a tensor of an ONNX file.
 *
 * 16-bit floats become float32, small integers int32, unsigned 32-bit and 64-bit integers int64.
 * The result may share data with `proto`. Cost: O(elements). Checks the number of elements before
 * it allocates.
 * @throws ERR_ONNX_TENSOR if the number of elements does not match the shape, the data is in
 * another file, or the element type is unsupported.
 */
export function readTensor(proto: TensorProto): Tensor {
  const at = `tensor '${proto.name}'`;
  if (proto.dataLocation !== 0 || proto.externalData.length > 0) {
    throw onnxError('ERR_ONNX_TENSOR', {
      received: 'its data is in another file',
      at,
      hint: 'save the model in one file: onnx.save(model, path, save_as_external_data=False)',
    });
  }
  const format = formats[proto.dataType];
  if (format === undefined) {
    throw onnxError('ERR_ONNX_TENSOR', {
      expected: 'a number, bool or string type',
      received: dataTypeName(proto.dataType),
      at,
      hint: 'cast the tensor to a type that Brezel knows, e.g. FLOAT',
    });
  }
  return format(proto, elementCount(proto.dims, at), at);
}

/**
 * Returns the number of elements of a shape. Throws if a size is negative, or if the number exceeds
 * 2^53, because no file can contain so many elements.
 */
function elementCount(dims: readonly number[], at: string): number {
  const count = dims.reduce((product, dim) => product * dim, 1);
  if (dims.some((dim) => dim < 0) || !Number.isSafeInteger(count)) {
    throw onnxError('ERR_ONNX_TENSOR', { expected: 'a shape', received: `[${dims.slice(0, 16)}]`, at });
  }
  return count;
}

type Format = (proto: TensorProto, count: number, at: string) => Tensor;

/** The typed array for the elements of one element type in `rawData`. */
interface RawArray<Raw> {
  new (buffer: ArrayBuffer): Raw;
  readonly BYTES_PER_ELEMENT: number;
}

/**
 * Returns a function that decodes tensors of one numeric element type. `raw` is the typed array of
 * the elements in `rawData`. `typed` returns the elements of a tensor that has them in another
 * field, such as `int32Data`. `widen` converts elements to the type `dtype` of Brezel.
 */
function numeric<D extends NumericDType, Raw extends { readonly length: number }>(
  dtype: D,
  raw: RawArray<Raw>,
  typed: (proto: TensorProto) => Raw,
  widen: (elements: Raw, at: string) => NumericArrays[D],
): Format {
  return (proto, count, at) => {
    const bytes = proto.rawData;
    if (bytes !== undefined && bytes.length !== count * raw.BYTES_PER_ELEMENT) {
      throw miscounted(proto, at, `${count * raw.BYTES_PER_ELEMENT} bytes`, `${bytes.length}`);
    }
    // Copied, because raw data may be unaligned.
    const elements = bytes === undefined ? typed(proto) : new raw(new Uint8Array(bytes).buffer);
    if (elements.length !== count) throw miscounted(proto, at, `${count} elements`, `${elements.length}`);
    return { dtype, shape: proto.dims, data: widen(elements, at) } as NumericTensor<D> as Tensor;
  };
}

function miscounted(proto: TensorProto, at: string, wanted: string, received: string) {
  const expected = `${wanted} for shape [${proto.dims}] of ${dataTypeName(proto.dataType)}`;
  return onnxError('ERR_ONNX_TENSOR', { expected, received, at });
}

const string: Format = (proto, count, at) => {
  if (proto.rawData !== undefined) throw miscounted(proto, at, `${count} strings`, 'raw data');
  if (proto.stringData.length !== count) throw miscounted(proto, at, `${count} strings`, `${proto.stringData.length}`);
  return { dtype: 'string', shape: proto.dims, data: proto.stringData.texts() };
};

const same = <T>(elements: T): T => elements;
const widenInt = (elements: ArrayLike<number>): Int32Array => Int32Array.from(elements);

function signed(elements: BigUint64Array, at: string): BigInt64Array {
  const large = elements.find((element) => element >= 2n ** 63n);
  if (large === undefined) return new BigInt64Array(elements);
  throw onnxError('ERR_ONNX_TENSOR', { expected: 'integers below 2^63', received: `${large}`, at });
}

const formats: Readonly<Record<number, Format>> = {
  [DataType.FLOAT]: numeric('float32', Float32Array, (proto) => proto.floatData, same),
  [DataType.DOUBLE]: numeric('float64', Float64Array, (proto) => proto.doubleData, same),
  [DataType.INT64]: numeric('int64', BigInt64Array, (proto) => proto.int64Data, same),
  [DataType.INT32]: numeric('int32', Int32Array, (proto) => proto.int32Data, same),
  [DataType.INT16]: numeric('int32', Int16Array, (proto) => new Int16Array(proto.int32Data), widenInt),
  [DataType.INT8]: numeric('int32', Int8Array, (proto) => new Int8Array(proto.int32Data), widenInt),
  [DataType.UINT16]: numeric('int32', Uint16Array, (proto) => new Uint16Array(proto.int32Data), widenInt),
  [DataType.UINT8]: numeric('int32', Uint8Array, (proto) => new Uint8Array(proto.int32Data), widenInt),
  [DataType.UINT32]: numeric(
    'int64',
    Uint32Array,
    (proto) => Uint32Array.from(proto.uint64Data, (value) => Number(BigInt.asUintN(32, value))),
    (elements) => BigInt64Array.from(elements as Iterable<number>, BigInt),
  ),
  [DataType.UINT64]: numeric('int64', BigUint64Array, (proto) => proto.uint64Data, signed),
  [DataType.BOOL]: numeric(
    'bool',
    Uint8Array,
    (proto) => Uint8Array.from(proto.int32Data, (value) => (value === 0 ? 0 : 1)),
    (elements) => elements.map((value) => (value === 0 ? 0 : 1)),
  ),
  [DataType.FLOAT16]: numeric('float32', Uint16Array, (proto) => new Uint16Array(proto.int32Data), fromFloat16),
  [DataType.BFLOAT16]: numeric('float32', Uint16Array, (proto) => new Uint16Array(proto.int32Data), fromBfloat16),
  [DataType.STRING]: string,
};
