import { elementArray, elementCount, type Tensor } from '@brezel/core';
import fc from 'fast-check';
import { type Family, filled, ints, listOf, nodeOf, shapes } from './random-tensor-node.js';

const byte = fc.constantFrom('uint8', 'int8');
type Byte = 'uint8' | 'int8';

/** Returns bytes of the whole range. */
export function bytes(element: Byte, shape: readonly number[], start = 0): Tensor {
  const data = elementArray(element, elementCount(shape));
  for (let at = 0; at < data.length; at++) data[at] = ((at + start) * 37) % 256; // wraps around
  return { element, shape, data } as Tensor;
}

export const reals = (shape: readonly number[], values: readonly number[]): Tensor => ({
  element: 'float32',
  shape,
  data: Float32Array.from({ length: elementCount(shape) }, (_, at) => values[at % values.length]!),
});

const scale = fc.constantFrom(0.5, 0.1, 0.037, 3);
const scalesOf = (count: number) => listOf(scale, count);

/** Draws the shape of a tensor, the shape of its scales, and the attributes that relate both. */
const granular = shapes(2).chain((shape) =>
  fc.oneof(
    fc.constant({ shape, scales: [] as number[], attributes: {} }),
    fc
      .nat({ max: shape.length - 1 })
      .map((axis) => ({ shape, scales: [shape[axis]!], attributes: { axis: { i: axis } } })),
    fc.tuple(fc.nat({ max: shape.length - 1 }), fc.integer({ min: 1, max: 3 })).map(([axis, size]) => ({
      shape,
      scales: shape.with(axis, Math.ceil(shape[axis]! / size)),
      attributes: { axis: { i: axis }, block_size: { i: size } },
    })),
  ),
);

const quantize: Family = [
  'QuantizeLinear',
  fc
    .tuple(granular, byte, scalesOf(5), fc.boolean())
    .map(([{ shape, scales, attributes }, element, steps, hasZero]) => {
      const x = reals(shape, [0.3, -4, 2.5, 77, -0.05, 1e6, -19.5]);
      const zero = hasZero ? [bytes(element as Byte, scales, 3)] : [];
      return { ...nodeOf('QuantizeLinear', [x, reals(scales, steps), ...zero], attributes), opset: 21 };
    }),
];

const dequantize: Family = [
  'DequantizeLinear',
  fc
    .tuple(granular, byte, scalesOf(5), fc.boolean())
    .map(([{ shape, scales, attributes }, element, steps, hasZero]) => {
      const zero = hasZero ? [bytes(element as Byte, scales, 3)] : [];
      const inputs = [bytes(element as Byte, shape), reals(scales, steps), ...zero];
      return { ...nodeOf('DequantizeLinear', inputs, attributes), opset: 21 };
    }),
];

const dynamic: Family = [
  'DynamicQuantizeLinear',
  fc.tuple(shapes(1), listOf(fc.integer({ min: -999, max: 999 }), 7)).map(([shape, values]) =>
    nodeOf(
      'DynamicQuantizeLinear',
      [
        reals(
          shape,
          values.map((value) => value / 8),
        ),
      ],
      {},
      ['y', 'scale', 'zero'],
    ),
  ),
];

const matrices = fc.record({
  rows: fc.integer({ min: 1, max: 4 }),
  inner: fc.integer({ min: 1, max: 9 }),
  columns: fc.integer({ min: 1, max: 4 }),
  b: byte,
  isPerColumn: fc.boolean(),
  scales: scalesOf(6),
});

const matMul: Family = [
  'QLinearMatMul',
  matrices.map(({ rows, inner, columns, b, isPerColumn, scales: [aScale, yScale, ...bScales] }) => {
    const a = 'uint8';
    const own = isPerColumn ? [columns] : [];
    const left = [bytes(a, [rows, inner]), reals([], [aScale!]), bytes(a, [], 1)];
    const right = [bytes(b as Byte, [inner, columns], 5), reals(own, bScales), bytes(b as Byte, own, 2)];
    return { ...nodeOf('QLinearMatMul', [...left, ...right, reals([], [yScale! * 999]), bytes(a, [], 4)]), opset: 20 };
  }),
];

const matMulInteger: Family = [
  'MatMulInteger',
  matrices.map(({ rows, inner, columns, b, isPerColumn }) => {
    const zero = bytes(b as Byte, isPerColumn ? [columns] : [], 2);
    const inputs = [bytes('uint8', [rows, inner]), bytes(b as Byte, [inner, columns], 5), bytes('uint8', [], 1), zero];
    return nodeOf('MatMulInteger', inputs);
  }),
];

const images = fc.record({
  spatial: listOf(fc.integer({ min: 3, max: 6 }), 2),
  kernel: listOf(fc.integer({ min: 1, max: 3 }), 2),
  strides: listOf(fc.integer({ min: 1, max: 2 }), 2),
  pads: listOf(fc.integer({ min: 0, max: 1 }), 4),
  groups: fc.integer({ min: 1, max: 2 }),
  isPerOutput: fc.boolean(),
  hasBias: fc.boolean(),
  scales: scalesOf(6),
});

const moves = ({ strides, pads, groups }: { strides: number[]; pads: number[]; groups: number }) => ({
  strides: ints(strides),
  pads: ints(pads),
  group: { i: groups },
});

const conv: Family = [
  'QLinearConv',
  images.map((one) => {
    const { spatial, kernel, groups, isPerOutput, hasBias, scales } = one;
    const [xScale, yScale, ...wScales] = scales;
    const own = isPerOutput ? [groups * 2] : [];
    const image = [bytes('uint8', [2, groups * 2, ...spatial]), reals([], [xScale!]), bytes('uint8', [], 3)];
    // In onnxruntime, weights with one scale per output have the zero point 0.
    const zero = isPerOutput ? filled([groups * 2], 'int8') : bytes('int8', [], 1);
    const weights = [bytes('int8', [groups * 2, 2, ...kernel], 5), reals(own, wScales), zero];
    const bias = hasBias ? [filled([groups * 2], 'int32')] : [];
    const inputs = [...image, ...weights, reals([], [yScale! * 999]), bytes('uint8', [], 4), ...bias];
    return nodeOf('QLinearConv', inputs, moves(one));
  }),
];

const convInteger: Family = [
  'ConvInteger',
  images.map((one) => {
    const { spatial, kernel, groups } = one;
    const image = bytes('uint8', [2, groups * 2, ...spatial]);
    const inputs = [image, bytes('uint8', [groups * 2, 2, ...kernel], 5), bytes('uint8', [], 1), bytes('uint8', [], 2)];
    return nodeOf('ConvInteger', inputs, moves(one));
  }),
];

const pair = (operator: string): Family => [
  operator,
  fc.tuple(shapes(1), byte, listOf(scale, 3), fc.boolean()).map(([shape, element, [a, b, y], isRepeated]) => {
    const zero = (value: number) => bytes(element as Byte, [], value);
    const other = bytes(element as Byte, isRepeated ? [1] : shape, 5);
    const left = [bytes(element as Byte, shape), reals([], [a!]), zero(1)];
    const inputs = [...left, other, reals([], [b!]), zero(2), reals([], [y! * 9]), zero(3)];
    // onnxruntime adds and multiplies in another order, so a half may be rounded to the other side.
    return { ...nodeOf(operator, inputs, {}, ['y'], 'com.microsoft'), tolerance: 1 };
  }),
];

/** Random nodes of quantized models. */
export const quantizedNodes: readonly Family[] = [
  quantize,
  dequantize,
  dynamic,
  matMul,
  matMulInteger,
  conv,
  convInteger,
  pair('QLinearAdd'),
  pair('QLinearMul'),
];
