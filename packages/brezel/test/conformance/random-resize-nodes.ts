import type { Tensor } from '@brezel/core';
import type { AttributeValue } from '@brezel/onnx';
import fc from 'fast-check';
import { reals } from './random-quantized-nodes.js';
import { type Family, filled, int64, listOf, nodeOf, type TensorNode } from './random-tensor-node.js';

const TOLERANCE = 1e-4;
const coordinates = ['half_pixel', 'pytorch_half_pixel', 'align_corners', 'asymmetric', 'half_pixel_symmetric'];
const nearestModes = ['round_prefer_floor', 'round_prefer_ceil', 'floor', 'ceil'];

const images = fc.record({
  spatial: listOf(fc.integer({ min: 1, max: 7 }), 2),
  scales: listOf(fc.constantFrom(0.5, 0.75, 1, 1.5, 2, 3), 2),
  sizes: listOf(fc.integer({ min: 1, max: 9 }), 2),
  coordinate: fc.constantFrom(...coordinates),
  hasSizes: fc.boolean(),
});

type Image = typeof images extends fc.Arbitrary<infer One> ? One : never;

function resized(one: Image, attributes: Record<string, AttributeValue>, image: Tensor): TensorNode {
  const { scales, sizes, coordinate } = one;
  // onnxruntime and ONNX treat a fractional scaled size differently in some modes. Neither resizes
  // an empty tensor.
  const isWhole = one.spatial.every((size, at) => Number.isInteger(size * scales[at]!));
  const target: (Tensor | undefined)[] =
    one.hasSizes || !isWhole
      ? [undefined, undefined, int64([1, 2, ...sizes])]
      : [undefined, reals([4], [1, 1, ...scales])];
  const all = { coordinate_transformation_mode: { s: coordinate }, ...attributes };
  return { ...nodeOf('Resize', [image, ...target], all), opset: 19, tolerance: TOLERANCE };
}

const nearest: Family = [
  'Resize nearest',
  fc
    .tuple(images, fc.constantFrom(...nearestModes))
    // If a point is exactly between two entries, onnxruntime and ONNX choose different entries in
    // this mode.
    .filter(([{ coordinate }]) => coordinate !== 'half_pixel_symmetric')
    .map(([one, mode]) =>
      resized(one, { mode: { s: 'nearest' }, nearest_mode: { s: mode } }, filled([1, 2, ...one.spatial])),
    ),
];

const linear: Family = [
  'Resize linear',
  images.map((one) => resized(one, { mode: { s: 'linear' } }, filled([1, 2, ...one.spatial]))),
];

const cubic: Family = [
  'Resize cubic',
  fc.tuple(images, fc.boolean(), fc.constantFrom(-0.75, -0.5)).map(([one, excludes, a]) => {
    const attributes = { mode: { s: 'cubic' }, exclude_outside: { i: excludes ? 1 : 0 }, cubic_coeff_a: { f: a } };
    return resized(one, attributes, filled([1, 2, ...one.spatial]));
  }),
];

/** Random nodes that resize images. */
export const resizeNodes: readonly Family[] = [nearest, linear, cubic];
