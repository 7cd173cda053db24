import { elementCount, type Tensor } from '@brezel/core';
import type { AttributeValue } from '@brezel/onnx';
import fc from 'fast-check';
import { reals } from './random-quantized-nodes.js';
import { type Attributes, type Family, nodeOf, type TensorNode } from './random-tensor-node.js';

const domain = 'com.microsoft';
const TOLERANCE = 1e-4;
const flag = (value: boolean): AttributeValue => ({ i: value ? 1 : 0 });

const spread = (shape: readonly number[], start: number): Tensor =>
  reals(
    shape,
    Array.from({ length: elementCount(shape) }, (_, at) => (((at + start) * 13) % 23) / 11 - 1),
  );

/** Returns small integers in a scrambled order. */
function whole(element: 'int8' | 'uint8' | 'int32', shape: readonly number[], range: number, start = 0): Tensor {
  const values = Array.from({ length: elementCount(shape) }, (_, at) => ((at + start) * 7) % range);
  const data = new { int8: Int8Array, uint8: Uint8Array, int32: Int32Array }[element](values);
  return { element, shape, data } as Tensor;
}

const given = (isGiven: boolean, tensor: Tensor) => (isGiven ? tensor : undefined);

function node(
  operator: string,
  inputs: readonly (Tensor | undefined)[],
  attributes: Attributes,
  outputs: string[] = ['y'],
): TensorNode {
  const used = inputs.slice(0, inputs.findLastIndex((input) => input !== undefined) + 1);
  return { ...nodeOf(operator, used, attributes, outputs, domain), tolerance: TOLERANCE };
}

const fusedMatMul: Family = [
  'FusedMatMul',
  fc
    .record({ a: fc.boolean(), b: fc.boolean(), batch: fc.boolean(), alpha: fc.constantFrom(1, 0.5) })
    .map(({ a, b, batch, alpha }) => {
      const [lead, rows, inner, columns] = [2, 3, 4, 5];
      const laid = (isTurned: boolean, one: number, two: number) => {
        const [first, second] = isTurned ? [two, one] : [one, two];
        return batch ? [first, lead, second] : [lead, first, second];
      };
      const attributes = {
        transA: flag(a),
        transB: flag(b),
        transBatchA: flag(batch),
        transBatchB: flag(batch),
        alpha: { f: alpha },
      };
      return node('FusedMatMul', [spread(laid(a, rows, inner), 1), spread(laid(b, inner, columns), 2)], attributes);
    }),
];

const fusedGemm: Family = [
  'FusedGemm',
  fc
    .record({ activation: fc.constantFrom('Relu', 'LeakyRelu', 'Tanh', 'Sigmoid'), hasBias: fc.boolean() })
    .map(({ activation, hasBias }) =>
      node('FusedGemm', [spread([2, 3], 1), spread([3, 4], 2), given(hasBias, spread([4], 3))], {
        activation: { s: activation },
        ...(activation === 'LeakyRelu' && { activation_alpha: { f: 0.25 } }),
      }),
    ),
];

const integers: Family = [
  'MatMulIntegerToFloat',
  fc
    .record({
      b: fc.constantFrom('int8' as const, 'uint8' as const),
      isPerColumn: fc.boolean(),
      hasZeros: fc.boolean(),
      hasBias: fc.boolean(),
    })
    .map(({ b, isPerColumn, hasZeros, hasBias }) => {
      const columns = isPerColumn ? [5] : [1];
      const scales = reals(
        columns,
        Array.from({ length: columns[0]! }, (_, at) => (at + 1) / 8),
      );
      const zeros = [given(hasZeros, whole('uint8', [1], 9, 3)), given(hasZeros, whole(b, columns, 9, 2))];
      const inputs = [whole('uint8', [3, 4], 200), whole(b, [4, 5], 100), reals([1], [0.125]), scales, ...zeros];
      return node('MatMulIntegerToFloat', [...inputs, given(hasBias, spread([5], 3))], {});
    }),
];

const dynamic: Family = [
  'DynamicQuantizeMatMul',
  fc
    .record({ b: fc.constantFrom('int8' as const, 'uint8' as const), hasZero: fc.boolean(), hasBias: fc.boolean() })
    .map(({ b, hasZero, hasBias }) => {
      const inputs = [
        spread([2, 3, 4], 1),
        whole(b, [4, 5], 100),
        reals([1], [0.125]),
        given(hasZero, whole(b, [1], 9, 3)),
      ];
      return node('DynamicQuantizeMatMul', [...inputs, given(hasBias, spread([5], 3))], {});
    }),
];

const packed: Family = [
  'MatMulNBits',
  fc
    .record({
      depth: fc.constantFrom(16, 20, 64),
      columns: fc.integer({ min: 1, max: 5 }),
      size: fc.constantFrom(16, 32),
      bits: fc.constantFrom(4, 8),
      zeros: fc.boolean(),
      hasBias: fc.boolean(),
    })
    .map(({ depth, columns, size, bits, zeros, hasBias }) => {
      const blocks = Math.ceil(depth / size);
      const inputs = [
        spread([2, 3, depth], 1),
        whole('uint8', [columns, blocks, (size * bits) / 8], 256),
        spread([columns * blocks], 2),
        given(zeros, whole('uint8', [columns * Math.ceil((blocks * bits) / 8)], 200, 5)),
        undefined,
        given(hasBias, spread([columns], 3)),
      ];
      const sizes = { K: { i: depth }, N: { i: columns }, block_size: { i: size }, bits: { i: bits } };
      return node('MatMulNBits', inputs, sizes);
    }),
];

const skipped: Family = [
  'SkipLayerNormalization',
  fc
    .record({
      isSimple: fc.boolean(),
      hasBeta: fc.boolean(),
      hasBias: fc.boolean(),
      epsilon: fc.constantFrom(1e-12, 0.1),
    })
    .map(({ isSimple, hasBeta, hasBias, epsilon }) => {
      const [x, skip, gamma] = [spread([2, 3, 4], 1), spread([2, 3, 4], 5), spread([4], 2)];
      const [beta, bias] = [given(hasBeta, spread([4], 3)), given(hasBias, spread([4], 4))];
      const inputs = isSimple ? [x, skip, gamma, bias] : [x, skip, gamma, beta, bias];
      const operator = isSimple ? 'SkipSimplifiedLayerNormalization' : 'SkipLayerNormalization';
      return node(operator, inputs, { epsilon: { f: epsilon } }, ['y', '', '', 'sum']);
    }),
];

const older: Family = [
  'LayerNormalization before ONNX had it',
  fc.constantFrom('LayerNormalization', 'SimplifiedLayerNormalization').map((operator) => ({
    ...nodeOf(operator, [spread([2, 3, 4], 1), spread([4], 2)], { axis: { i: -1 } }),
    opset: 12,
    tolerance: TOLERANCE,
  })),
];

const STEPS = 3;

/** Draws masks of every form for 2 samples. */
const masks = (past: number) => {
  const keys = past + STEPS;
  const int32 = (shape: number[], ...values: number[]): Tensor => ({
    element: 'int32',
    shape,
    data: Int32Array.from(values),
  });
  return {
    none: undefined,
    ends: int32([2], keys - 1, keys),
    raw: whole('int32', [2, keys], 2, 1),
    rows: whole('int32', [2, STEPS, keys], 2, 1),
    'ends and starts': int32([4], keys - 1, keys, 1, 0),
  } as const;
};

const attention: Family = [
  'Attention of onnxruntime',
  fc
    .record({
      mask: fc.constantFrom('none', 'ends', 'raw', 'rows', 'ends and starts' as const),
      past: fc.constantFrom(0, 2),
      looksBack: fc.boolean(),
      hasScores: fc.boolean(),
    })
    .map(({ mask, past, looksBack, hasScores }) => {
      const [heads, size, width] = [2, 2, 5];
      const inputs = [
        spread([2, STEPS, width], 1),
        spread([width, 3 * heads * size], 2),
        spread([3 * heads * size], 3),
        masks(past)[mask as 'none'],
        given(past > 0, spread([2, 2, heads, past, size], 4)),
        // onnxruntime rejects a node with past keys and scores.
        given(hasScores && past === 0, spread([2, heads, STEPS, STEPS], 5)),
      ];
      const attributes = { num_heads: { i: heads }, unidirectional: flag(looksBack) };
      return node('Attention', inputs, attributes, past > 0 ? ['y', 'present'] : ['y']);
    }),
];

const multiHead: Family = [
  'MultiHeadAttention',
  fc
    .record({ hasBias: fc.boolean(), hasMask: fc.boolean(), hasScores: fc.boolean(), isHeads: fc.boolean() })
    .map(({ hasBias, hasMask, hasScores, isHeads }) => {
      const [heads, size, keys] = [2, 2, 4];
      const other = isHeads ? [2, heads, keys, size] : [2, keys, heads * size];
      const inputs = [
        spread([2, STEPS, heads * size], 1),
        spread(other, 2),
        spread(other, 3),
        given(hasBias && !isHeads, spread([3 * heads * size], 4)),
        given(hasMask, whole('int32', [2, keys], 2, 1)),
        given(hasScores, spread([1, heads, STEPS, keys], 5)),
      ];
      return node('MultiHeadAttention', inputs, { num_heads: { i: heads } });
    }),
];

const embedded: Family = [
  'EmbedLayerNormalization',
  fc
    .record({ hasSegments: fc.boolean(), hasMask: fc.boolean(), hasPlaces: fc.boolean() })
    .map(({ hasSegments, hasMask, hasPlaces }) => {
      const ids = (range: number) => whole('int32', [2, STEPS], range, 1);
      const inputs = [
        ids(6),
        given(hasSegments, ids(2)),
        spread([6, 4], 1),
        spread([5, 4], 2),
        given(hasSegments, spread([2, 4], 3)),
        spread([4], 4),
        spread([4], 5),
        given(hasMask, ids(2)),
        given(hasPlaces, ids(5)),
      ];
      return node('EmbedLayerNormalization', inputs, {}, ['y', 'counts']);
    }),
];

const triangle: Family = [
  'Trilu',
  fc.tuple(fc.integer({ min: -4, max: 4 }), fc.boolean()).map(([k, isUpper]) => {
    const diagonal: Tensor = { element: 'int64', shape: [], data: BigInt64Array.of(BigInt(k)) };
    return node('Trilu', [spread([2, 3, 4], 1), diagonal], { upper: flag(isUpper) });
  }),
];

/** Random nodes that the optimizer of onnxruntime writes. */
export const microsoftNodes: readonly Family[] = [
  fusedMatMul,
  fusedGemm,
  integers,
  dynamic,
  packed,
  skipped,
  older,
  attention,
  multiHead,
  embedded,
  triangle,
];
