import type { AttributeValue } from '@brezel/onnx';
import fc from 'fast-check';
import { type Family, filled, ints, listOf, nodeOf } from './random-tensor-node.js';

const TOLERANCE = 1e-6;

/** Draws how a window moves over one to three axes that are large enough for the window. */
const windows = fc.integer({ min: 1, max: 3 }).chain((rank) => {
  const list = (least: number, most: number) => listOf(fc.integer({ min: least, max: most }), rank);
  const free = fc.record({
    spatial: list(5, 7),
    kernel: list(1, 3),
    strides: list(1, 3),
    dilations: list(1, 2),
    padding: fc.oneof(
      fc.tuple(list(0, 1), list(0, 1)).map(([before, after]) => ({ pads: ints([...before, ...after]) })),
      fc.constantFrom('SAME_UPPER', 'SAME_LOWER', 'VALID').map((mode) => ({ auto_pad: { s: mode } })),
    ) as fc.Arbitrary<Record<string, AttributeValue>>,
    isCeiled: fc.boolean(),
  });
  // onnxruntime rejects dilations together with auto_pad.
  return free.map((moves) =>
    'auto_pad' in moves.padding ? { ...moves, dilations: moves.spatial.map(() => 1) } : moves,
  );
});

const convolution: Family = [
  'Conv',
  fc
    .tuple(windows, fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 2 }), fc.boolean())
    .map(([{ spatial, kernel, strides, dilations, padding }, groups, depth, hasBias]) => {
      const image = filled([2, groups * depth, ...spatial]);
      const weights = filled([groups * 2, depth, ...kernel]);
      const inputs = [image, weights, ...(hasBias ? [filled([groups * 2])] : [])];
      const moves = { strides: ints(strides), dilations: ints(dilations), group: { i: groups } };
      return { ...nodeOf('Conv', inputs, { ...moves, ...padding }), tolerance: TOLERANCE };
    }),
];

const pool = (operator: string, outputs: string[], more: fc.Arbitrary<Record<string, AttributeValue>>): Family => [
  operator,
  fc.tuple(windows, more).map(([{ spatial, kernel, strides, dilations, padding, isCeiled }, attributes]) => {
    // A window of one entry must not read only padding.
    const sizes = kernel.map((size) => Math.max(size, 2));
    const moves = { kernel_shape: ints(sizes), strides: ints(strides), dilations: ints(dilations) };
    const ceiled = { ceil_mode: { i: isCeiled && !('auto_pad' in padding) ? 1 : 0 } };
    return {
      ...nodeOf(operator, [filled([2, 2, ...spatial])], { ...moves, ...padding, ...ceiled, ...attributes }, outputs),
      tolerance: TOLERANCE,
    };
  }),
];

const global = (operator: string): Family => [
  operator,
  windows.map(({ spatial }) => ({ ...nodeOf(operator, [filled([2, 2, ...spatial])]), tolerance: TOLERANCE })),
];

const flag = (name: string) => fc.boolean().map((isSet) => ({ [name]: { i: isSet ? 1 : 0 } }));

/** Random nodes of small image models. */
export const neuralNodes: readonly Family[] = [
  convolution,
  pool('MaxPool', ['y', 'places'], flag('storage_order')),
  pool('AveragePool', ['y'], flag('count_include_pad')),
  global('GlobalMaxPool'),
  global('GlobalAveragePool'),
];
