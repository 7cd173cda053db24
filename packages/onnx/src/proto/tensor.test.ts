import { describe, expect, test } from 'vitest';
import { BytesList } from './bytes-list.js';
import { create } from './descriptor.js';
import { makeStringTensor, makeTensor } from './make.js';
import { DataType, type TensorProto, tensorProto } from './schema.js';
import { readTensor } from './tensor.js';

const tensor = (dataType: number, dims: readonly number[], fields: Partial<TensorProto>) =>
  create(tensorProto, { name: 'w', dataType, dims, ...fields });
/** The bytes of an array, at an odd offset. */
const raw = (array: NodeJS.TypedArray) => {
  const shifted = new Uint8Array(array.byteLength + 1);
  shifted.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), 1);
  return { rawData: shifted.subarray(1) };
};

test.each<[string, TensorProto, string, unknown]>([
  ['float', tensor(DataType.FLOAT, [2], { floatData: Float32Array.of(1, -2) }), 'float32', Float32Array.of(1, -2)],
  ['float raw', tensor(DataType.FLOAT, [2], raw(Float32Array.of(1, NaN))), 'float32', Float32Array.of(1, NaN)],
  ['double raw', tensor(DataType.DOUBLE, [1], raw(Float64Array.of(0.1))), 'float64', Float64Array.of(0.1)],
  ['int64 raw', tensor(DataType.INT64, [1], raw(BigInt64Array.of(-5n))), 'int64', BigInt64Array.of(-5n)],
  ['int32', tensor(DataType.INT32, [1], { int32Data: Int32Array.of(-5) }), 'int32', Int32Array.of(-5)],
  ['int16 raw', tensor(DataType.INT16, [1], raw(Int16Array.of(-5))), 'int32', Int32Array.of(-5)],
  ['int8', tensor(DataType.INT8, [1], { int32Data: Int32Array.of(-5) }), 'int32', Int32Array.of(-5)],
  ['uint8 raw', tensor(DataType.UINT8, [1], raw(Uint8Array.of(250))), 'int32', Int32Array.of(250)],
  ['uint16', tensor(DataType.UINT16, [1], { int32Data: Int32Array.of(65535) }), 'int32', Int32Array.of(65535)],
  [
    'uint32 raw',
    tensor(DataType.UINT32, [1], raw(Uint32Array.of(2 ** 32 - 1))),
    'int64',
    BigInt64Array.of(2n ** 32n - 1n),
  ],
  ['uint32', tensor(DataType.UINT32, [1], { uint64Data: BigUint64Array.of(7n) }), 'int64', BigInt64Array.of(7n)],
  ['uint64', tensor(DataType.UINT64, [1], { uint64Data: BigUint64Array.of(7n) }), 'int64', BigInt64Array.of(7n)],
  ['bool', tensor(DataType.BOOL, [2], { int32Data: Int32Array.of(0, 256) }), 'bool', Uint8Array.of(0, 1)],
  ['bool raw', tensor(DataType.BOOL, [2], raw(Uint8Array.of(0, 2))), 'bool', Uint8Array.of(0, 1)],
  ['string', makeStringTensor('w', [2], ['a', 'ß']), 'string', ['a', 'ß']],
  [
    'string not UTF-8',
    tensor(DataType.STRING, [1], { stringData: BytesList.of([Uint8Array.of(0xff)]) }),
    'string',
    ['\uFFFD'],
  ],
  [
    'float16',
    tensor(DataType.FLOAT16, [6], raw(Uint16Array.of(0x3c00, 0xc000, 0x0001, 0x7bff, 0xfc00, 0x7e00))),
    'float32',
    Float32Array.of(1, -2, 2 ** -24, 65504, -Infinity, NaN),
  ],
  ['negative zero float16', tensor(DataType.FLOAT16, [1], raw(Uint16Array.of(0x8000))), 'float32', Float32Array.of(-0)],
  [
    'bfloat16',
    tensor(DataType.BFLOAT16, [3], { int32Data: Int32Array.of(0x3f80, 0xc000, 0xff80) }),
    'float32',
    Float32Array.of(1, -2, -Infinity),
  ],
  ['a scalar', makeTensor('w', 'float32', [], Float32Array.of(3)), 'float32', Float32Array.of(3)],
  ['no elements', makeTensor('w', 'float32', [0, 5], new Float32Array(0)), 'float32', new Float32Array(0)],
])('%s', (_, proto, dtype, data) => {
  const result = readTensor(proto);
  expect(result.dtype).toBe(dtype);
  expect(result.shape).toEqual(proto.dims);
  expect(result.data).toEqual(data);
});

describe('refused', () => {
  test.each<[string, TensorProto, RegExp]>([
    [
      'too few',
      tensor(DataType.FLOAT, [3], { floatData: new Float32Array(2) }),
      /expected 3 elements for shape \[3\] of FLOAT/,
    ],
    ['too many bytes', tensor(DataType.FLOAT, [1], raw(new Float32Array(2))), /expected 4 bytes .* received 8/],
    ['no data', tensor(DataType.FLOAT, [2 ** 31], {}), /expected 2147483648 elements/],
    ['too few strings', makeStringTensor('w', [2], ['a']), /expected 2 strings/],
    ['raw strings', tensor(DataType.STRING, [1], raw(Uint8Array.of(1))), /received raw data/],
    ['a negative size', tensor(DataType.FLOAT, [-1], {}), /expected a shape/],
    ['more than 2^53 elements', tensor(DataType.FLOAT, [2 ** 40, 2 ** 40], {}), /expected a shape/],
    ['uint64 beyond int64', tensor(DataType.UINT64, [1], { uint64Data: BigUint64Array.of(2n ** 63n) }), /below 2\^63/],
    ['complex', tensor(DataType.COMPLEX64, [0], {}), /received COMPLEX64/],
    ['an unknown type', tensor(999, [0], {}), /received data type 999/],
    ['no type', tensor(0, [0], {}), /received UNDEFINED/],
    ['another file', tensor(DataType.FLOAT, [1], { dataLocation: 1 }), /its data is in another file/],
  ])('%s', (_, proto, message) => {
    expect(() => readTensor(proto)).toThrow(message);
    expect(() => readTensor(proto)).toThrow(expect.objectContaining({ code: 'ERR_ONNX_TENSOR' }));
  });
});
