import { readElements, readTensorProto, writeElements, writeTensorProto } from '@brezel/onnx';
import type { Tensor } from 'brezel';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seed } from '../conformance/seed.js';

const bits = (width: 16 | 32) => fc.nat(width === 16 ? 0xffff : 0xffffffff);
/** All values of half floats and bfloat16, decoded from their bits. */
const half = bits(16).map((pattern) => decodeHalf(pattern));
const brain = bits(16).map((pattern) => new Float32Array(Uint32Array.of(pattern << 16).buffer)[0]!);

function decodeHalf(pattern: number): number {
  const [exponent, fraction] = [(pattern >> 10) & 31, pattern & 1023];
  const size = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
  const special = fraction === 0 ? Number.POSITIVE_INFINITY : Number.NaN;
  return (pattern & 0x8000 ? -1 : 1) * (exponent === 31 ? special : size);
}

const integers = (list: { from(values: number[]): unknown }, min: number, max: number) => ({
  list,
  values: fc.integer({ min, max }),
});
const kinds: Readonly<Record<string, { list: { from(values: never): unknown }; values: fc.Arbitrary<unknown> }>> = {
  float32: { list: Float32Array, values: fc.float() },
  float64: { list: Float64Array, values: fc.double() },
  float16: { list: Float32Array, values: half },
  bfloat16: { list: Float32Array, values: brain },
  int8: integers(Int8Array, -128, 127),
  int16: integers(Int16Array, -(2 ** 15), 2 ** 15 - 1),
  int32: integers(Int32Array, -(2 ** 31), 2 ** 31 - 1),
  uint8: integers(Uint8Array, 0, 255),
  uint16: integers(Uint16Array, 0, 2 ** 16 - 1),
  uint32: integers(Uint32Array, 0, 2 ** 32 - 1),
  bool: integers(Uint8Array, 0, 1),
  int64: { list: BigInt64Array, values: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) },
  uint64: { list: BigUint64Array, values: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }) },
  int4: integers(Int8Array, -8, 7),
  uint4: integers(Uint8Array, 0, 15),
  int2: integers(Int8Array, -2, 1),
  uint2: integers(Uint8Array, 0, 3),
  float8e4m3fn: { list: Float32Array, values: fc.constantFrom(0, -0, 2 ** -9, 1.125, -448, Number.NaN) },
  float8e4m3fnuz: { list: Float32Array, values: fc.constantFrom(0, 2 ** -10, 1.125, -240, Number.NaN) },
  float8e5m2: { list: Float32Array, values: fc.constantFrom(0, -0, 2 ** -16, -57344, Number.NEGATIVE_INFINITY) },
  float8e5m2fnuz: { list: Float32Array, values: fc.constantFrom(0, 2 ** -17, -57344, Number.NaN) },
  float8e8m0: { list: Float32Array, values: fc.constantFrom(2 ** -127, 1, 2 ** 127, Number.NaN) },
  float4e2m1: { list: Float32Array, values: fc.constantFrom(0, -0, 0.5, -1, 1.5, 2, -3, 4, 6) },
  string: { list: { from: (values: string[]) => values }, values: fc.string({ unit: 'binary' }) },
};

/** Draws a tensor of the shape `[2, n]`. */
const tensorOf = (element: string): fc.Arbitrary<Tensor> =>
  fc.array(kinds[element]!.values, { maxLength: 8 }).map((list) => {
    const values = [...list, ...list];
    return { element, shape: [2, list.length], data: kinds[element]!.list.from(values as never) } as Tensor;
  });

describe('tensors of files keep their element type', () => {
  test('all types are tested', () => expect(Object.keys(kinds)).toHaveLength(24));

  test.each(Object.keys(kinds))('%s', (element) => {
    fc.assert(
      fc.property(tensorOf(element), (tensor) => {
        expect(readElements(readTensorProto(writeTensorProto(writeElements('x', tensor))))).toEqual(tensor);
      }),
      { seed },
    );
  });

  test.each([
    [3, { int32Data: Int32Array.of(-5, 7) }, Int8Array.of(-5, 7)],
    [5, { int32Data: Int32Array.of(-500, 7) }, Int16Array.of(-500, 7)],
    [2, { int32Data: Int32Array.of(200, 7) }, Uint8Array.of(200, 7)],
    [4, { int32Data: Int32Array.of(60000, 7) }, Uint16Array.of(60000, 7)],
    [12, { uint64Data: BigUint64Array.of(4000000000n, 7n) }, Uint32Array.of(4000000000, 7)],
    [13, { uint64Data: BigUint64Array.of(2n ** 64n - 1n, 7n) }, BigUint64Array.of(2n ** 64n - 1n, 7n)],
    [9, { int32Data: Int32Array.of(0, 7) }, Uint8Array.of(0, 1)],
    [10, { int32Data: Int32Array.of(0x3c00, 0xc000) }, Float32Array.of(1, -2)],
    [16, { int32Data: Int32Array.of(0x3f80, 0xc000) }, Float32Array.of(1, -2)],
    [9, { rawData: Uint8Array.of(0, 7) }, Uint8Array.of(0, 1)],
    [17, { int32Data: Int32Array.of(0x7e, 0x81) }, Float32Array.of(448, -(2 ** -9))],
    [18, { int32Data: Int32Array.of(0x7f, 0x80) }, Float32Array.of(240, Number.NaN)],
    [19, { rawData: Uint8Array.of(0x7c, 0x7b) }, Float32Array.of(Number.POSITIVE_INFINITY, 57344)],
    [20, { rawData: Uint8Array.of(0xff, 1) }, Float32Array.of(-57344, 2 ** -17)],
    [21, { int32Data: Int32Array.of(0x8f) }, Uint8Array.of(15, 8)],
    [22, { rawData: Uint8Array.of(0x8f) }, Int8Array.of(-1, -8)],
    [23, { rawData: Uint8Array.of(0xb7) }, Float32Array.of(6, -1.5)],
    [24, { rawData: Uint8Array.of(0, 0xff) }, Float32Array.of(2 ** -127, Number.NaN)],
    [25, { int32Data: Int32Array.of(0x0b) }, Uint8Array.of(3, 2)],
    [26, { rawData: Uint8Array.of(0x0b) }, Int8Array.of(-1, -2)],
  ])('data type %i in the field ONNX assigns to it', (dataType, fields, data) => {
    const { rawData: _, ...blank } = writeElements('x', { element: 'bool', shape: [2], data: Uint8Array.of(0, 0) });
    expect(readElements({ ...blank, rawData: undefined, dataType, ...fields }).data).toEqual(data);
  });

  test.each([
    ['too few bytes', { rawData: new Uint8Array(7) }, /8 bytes.*received 7/],
    ['too few elements', { rawData: undefined, floatData: Float32Array.of(1) }, /2 elements.*received 1/],
    ['a negative size', { dims: [-1, -2] }, /\[-1,-2\]/],
    ['a size beyond all', { dims: [2 ** 52, 2 ** 52] }, /4503599627370496/],
    ['an unknown type', { dataType: 15 }, /COMPLEX128/],
    ['strings as raw data', { dataType: 8 }, /raw data/],
    ['data elsewhere', { dataLocation: 1 }, /another file/],
  ])('%s: an error', (_, change, message) => {
    const right = writeElements('x', { element: 'float32', shape: [2], data: Float32Array.of(1, 2) });
    expect(() => readElements({ ...right, ...change })).toThrow(message);
  });
});
