import { elementCount, type Tensor } from '@brezel/core';
import type { AttributeValue } from '@brezel/onnx';
import fc from 'fast-check';
import { reals } from './random-quantized-nodes.js';
import { type Family, int64, nodeOf } from './random-tensor-node.js';

const TOLERANCE = 1e-4;

const spread = (shape: readonly number[], start: number): Tensor =>
  reals(
    shape,
    Array.from({ length: elementCount(shape) }, (_, at) => (((at + start) * 13) % 23) / 11 - 1),
  );

const attention: Family = [
  'Attention',
  fc
    .record({
      heads: fc.constantFrom([1, 1], [2, 2], [4, 2], [2, 1]),
      queries: fc.integer({ min: 1, max: 3 }),
      keys: fc.integer({ min: 1, max: 4 }),
      past: fc.integer({ min: 0, max: 2 }),
      hasMask: fc.boolean(),
      isCausal: fc.boolean(),
      isFlat: fc.boolean(),
      softcap: fc.constantFrom(0, 1.5),
    })
    .map(({ heads: [heads, shared], queries, keys, past, hasMask, isCausal, isFlat, softcap }) => {
      const size = 2;
      const shape = (count: number, steps: number) => (isFlat ? [2, steps, count * size] : [2, count, steps, size]);
      // onnxruntime's causal mask begins at the first key. With as many queries as keys, ONNX and
      // onnxruntime agree.
      const causal = isCausal && past === 0;
      const kept = past === 0 ? [] : [spread([2, shared!, past, size], 4), spread([2, shared!, past, size], 5)];
      const mask = hasMask ? spread([queries, past + keys], 6) : undefined;
      const inputs = [
        spread(shape(heads!, queries), 1),
        spread(shape(shared!, keys), 2),
        spread(shape(shared!, keys), 3),
        mask,
        ...kept,
      ];
      const attributes: Record<string, AttributeValue> = {
        is_causal: { i: causal ? 1 : 0 },
        softcap: { f: softcap },
        ...(isFlat && { q_num_heads: { i: heads! }, kv_num_heads: { i: shared! } }),
      };
      const outputs = past === 0 ? ['y'] : ['y', 'k', 'v'];
      const used = inputs.at(-1) === undefined ? inputs.slice(0, -1) : inputs;
      return { ...nodeOf('Attention', used, attributes, outputs), opset: 23, tolerance: TOLERANCE };
    }),
];

const rotary: Family = [
  'RotaryEmbedding',
  fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()).map(([isInterleaved, isFlat, hasPositions]) => {
    const x = spread(isFlat ? [2, 3, 8] : [2, 2, 3, 4], 1);
    const tables = hasPositions ? [5, 2] : [2, 3, 2];
    const inputs = [
      x,
      spread(tables, 2),
      spread(tables, 3),
      ...(hasPositions ? [int64([0, 1, 2, 4, 3, 2], [2, 3])] : []),
    ];
    const attributes = { interleaved: { i: isInterleaved ? 1 : 0 }, ...(isFlat && { num_heads: { i: 2 } }) };
    return { ...nodeOf('RotaryEmbedding', inputs, attributes), opset: 23, tolerance: TOLERANCE };
  }),
];

/** Random nodes of transformers. */
export const attentionNodes: readonly Family[] = [attention, rotary];
