import type { Tensor } from '@brezel/core';
import fc from 'fast-check';
import { axisOf, type Family, front, int64, listOf, nodeOf, shapes } from './random-tensor-node.js';

const TOLERANCE = 1e-5;

/** Returns numbers in [-1, 1] with a long period. */
const wave = (shape: readonly number[], phase = 1): Tensor => {
  const count = shape.reduce((all, size) => all * size, 1);
  const data = Float32Array.from({ length: count }, (_, at) => Math.sin(phase + at * at * 0.7));
  return { element: 'float32', shape, data };
};
const number = (value: number): Tensor => ({ element: 'float32', shape: [], data: Float32Array.of(value) });
const flag = (isSet: boolean) => ({ i: isSet ? 1 : 0 });

/** Random transforms. onnxruntime has no inverse of a one-sided transform. */
const transform: Family = [
  'DFT',
  fc
    .record({ lead: shapes(1, 3), parts: fc.constantFrom(1, 2), length: fc.integer({ min: 1, max: 9 }) })
    .chain(({ lead, parts, length }) =>
      fc.tuple(axisOf(lead.length), fc.boolean(), fc.boolean()).map(([axis, inverse, onesided]) => {
        const place = front(axis, lead.length);
        const kind = { inverse: flag(inverse), onesided: flag(onesided && !inverse && parts === 1) };
        const inputs = [wave([...lead, parts]), int64([length], []), int64([place], [])];
        return { ...nodeOf('DFT', inputs, kind), tolerance: TOLERANCE };
      }),
    ),
];

const shortTime: Family = [
  'STFT',
  fc
    .record({
      batch: fc.integer({ min: 1, max: 2 }),
      length: fc.integer({ min: 2, max: 9 }),
      more: fc.nat(12),
      step: fc.integer({ min: 1, max: 5 }),
      onesided: fc.boolean(),
    })
    .map(({ batch, length, more, step, onesided }) => {
      const inputs = [wave([batch, length + more, 1]), int64([step], []), wave([length], 2), int64([length], [])];
      return { ...nodeOf('STFT', inputs, { onesided: flag(onesided) }), tolerance: TOLERANCE };
    }),
];

const window = (operator: string): Family => [
  operator,
  fc.tuple(fc.integer({ min: 2, max: 40 }), fc.boolean()).map(([size, periodic]) => ({
    ...nodeOf(operator, [int64([size], [])], { periodic: flag(periodic) }),
    tolerance: TOLERANCE,
  })),
];

const mel: Family = [
  'MelWeightMatrix',
  fc
    .tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 8, max: 64 }), fc.nat(1000))
    .map(([bands, length, low]) => {
      const inputs = [int64([bands], []), int64([length], []), int64([8000], []), number(low), number(3500)];
      return { ...nodeOf('MelWeightMatrix', inputs), tolerance: TOLERANCE };
    }),
];

const loss = (operator: string, outputs: string[]): Family => [
  operator,
  fc
    .record({
      rows: fc.integer({ min: 1, max: 3 }),
      classes: fc.integer({ min: 1, max: 4 }),
      rest: shapes(0, 3),
      reduction: fc.constantFrom('none', 'sum', 'mean'),
      ignored: fc.constantFrom(undefined, -1, 1, 3),
      weighted: fc.boolean(),
    })
    .chain(({ rows, classes, rest, reduction, ignored, weighted }) => {
      const places = [rows, ...rest];
      const count = places.reduce((all, size) => all * size, 1);
      const known = fc.integer({ min: 0, max: classes - 1 });
      const one = ignored === undefined ? known : fc.oneof(known, fc.constant(ignored));
      // A list with ignored targets only has no mean.
      const lists = listOf(one, count).filter((targets) => targets.some((target) => target !== ignored));
      return lists.map((targets) => {
        const weights = weighted ? [positive(wave([classes]))] : [];
        const inputs = [wave([rows, classes, ...rest]), int64(targets, places), ...weights];
        const attributes = {
          reduction: { s: reduction },
          ...(ignored !== undefined && { ignore_index: { i: ignored } }),
        };
        return { ...nodeOf(operator, inputs, attributes, outputs), tolerance: TOLERANCE };
      });
    }),
];

const positive = (tensor: Tensor): Tensor => ({
  element: 'float32',
  shape: tensor.shape,
  data: (tensor.data as Float32Array).map((value) => 0.5 + Math.abs(value)),
});

/** Random nodes of sound models, and losses. */
export const signalNodes: readonly Family[] = [
  transform,
  shortTime,
  window('HannWindow'),
  window('HammingWindow'),
  window('BlackmanWindow'),
  mel,
  loss('NegativeLogLikelihoodLoss', ['y']),
  loss('SoftmaxCrossEntropyLoss', ['y', 'logarithms']),
];
