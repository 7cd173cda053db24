import type { Tensor } from '@brezel/core';
import { elementCount } from '@brezel/core';
import type { AttributeValue } from '@brezel/onnx';
import fc from 'fast-check';
import { reals } from './random-quantized-nodes.js';
import { type Family, filled, int64, ints, listOf, nodeOf } from './random-tensor-node.js';

const TOLERANCE = 1e-4;
const near = (node: ReturnType<typeof nodeOf>, opset = 20) => ({ ...node, opset, tolerance: TOLERANCE });

/** Returns different numbers between `least` and `most`. */
const scattered = (shape: readonly number[], least: number, most: number): Tensor =>
  reals(
    shape,
    Array.from({ length: elementCount(shape) }, (_, at) => least + (((at + 1) * 0.618034) % 1) * (most - least)),
  );

const spatial = fc.integer({ min: 1, max: 3 }).chain((rank) => {
  const list = (least: number, most: number) => listOf(fc.integer({ min: least, max: most }), rank);
  return fc.record({
    sizes: list(3, 5),
    kernel: list(1, 3),
    strides: list(1, 2),
    dilations: list(1, 2),
    pads: list(0, 1),
    more: list(0, 1),
  });
});

const transposed: Family = [
  'ConvTranspose',
  fc
    .tuple(
      spatial,
      fc.integer({ min: 1, max: 2 }),
      fc.boolean(),
      fc.constantFrom('NOTSET', 'SAME_UPPER', 'SAME_LOWER', 'VALID'),
    )
    .map(([{ sizes, kernel, strides, dilations, pads, more }, groups, hasBias, mode]) => {
      const taps = mode === 'NOTSET' ? kernel : kernel.map((size, axis) => Math.max(size, strides[axis]!));
      const inputs = [
        filled([2, groups * 2, ...sizes]),
        filled([groups * 2, 2, ...taps]),
        ...(hasBias ? [filled([groups * 2])] : []),
      ];
      // The padding at the end must be less than the stride. If the kernel is shorter than the
      // stride, the output of onnxruntime is smaller than size times stride.
      const padding = more.map((size, axis) => Math.min(size, strides[axis]! - 1));
      const attributes: Record<string, AttributeValue> =
        mode === 'NOTSET'
          ? {
              pads: ints([...pads, ...pads].map((pad, at) => Math.min(pad, kernel[at % kernel.length]! - 1))),
              output_padding: ints(padding),
              dilations: ints(dilations),
            }
          : { auto_pad: { s: mode } };
      return near(nodeOf('ConvTranspose', inputs, { strides: ints(strides), group: { i: groups }, ...attributes }));
    }),
];

const lpPool: Family = [
  'LpPool',
  fc.tuple(spatial, fc.constantFrom(1, 2)).map(([{ sizes, kernel, strides, dilations }, p]) =>
    near(
      nodeOf('LpPool', [filled([2, 2, ...sizes.map((size) => size + 3)])], {
        kernel_shape: ints(kernel),
        strides: ints(strides),
        dilations: ints(dilations),
        p: { i: p },
      }),
    ),
  ),
];

const instance: Family = [
  'InstanceNormalization',
  spatial.map(({ sizes }) =>
    near(nodeOf('InstanceNormalization', [scattered([2, 3, ...sizes], -2, 2), filled([3]), filled([3])])),
  ),
];

const lrn: Family = [
  'LRN',
  fc
    .constantFrom(1, 3, 5)
    .map((size) => near(nodeOf('LRN', [filled([2, 6, 2, 2])], { size: { i: size }, alpha: { f: 0.5 } }))),
];

const grid: Family = [
  'GridSample',
  fc
    .tuple(
      fc.constantFrom('linear', 'nearest', 'cubic'),
      fc.constantFrom('zeros', 'border', 'reflection'),
      fc.boolean(),
      fc.boolean(),
    )
    .map(([mode, padding, isAligned, isVolume]) => {
      const sizes = isVolume && mode !== 'cubic' ? [3, 4, 5] : [4, 5];
      const points = scattered([2, ...sizes.map(() => 3), sizes.length], -1.6, 1.6);
      const attributes = { mode: { s: mode }, padding_mode: { s: padding }, align_corners: { i: isAligned ? 1 : 0 } };
      return near(nodeOf('GridSample', [filled([2, 2, ...sizes]), points], attributes));
    }),
];

const affine: Family = [
  'AffineGrid',
  fc.tuple(fc.boolean(), fc.integer({ min: 2, max: 3 })).map(([isAligned, rank]) => {
    const size = int64([2, 1, ...[4, 3, 2].slice(0, rank)]);
    return near(
      nodeOf('AffineGrid', [scattered([2, rank, rank + 1], -1, 1), size], { align_corners: { i: isAligned ? 1 : 0 } }),
    );
  }),
];

const roi: Family = [
  'RoiAlign',
  fc
    .tuple(fc.integer({ min: 0, max: 3 }), fc.constantFrom('half_pixel', 'output_half_pixel'), fc.constantFrom(0.5, 1))
    .map(([ratio, mode, scale]) => {
      const regions = reals([2, 4], [0.3, 0.2, 5.5, 4.1, 1, 2, 3.3, 7.9]);
      const attributes = {
        sampling_ratio: { i: ratio },
        coordinate_transformation_mode: { s: mode },
        spatial_scale: { f: scale },
        output_height: { i: 2 },
        output_width: { i: 3 },
      };
      return near(nodeOf('RoiAlign', [filled([2, 2, 6, 7]), regions, int64([1, 0])], attributes), 16);
    }),
];

const suppression: Family = [
  'NonMaxSuppression',
  fc
    .tuple(
      fc.integer({ min: 1, max: 6 }),
      fc.constantFrom(0, 0.2, 0.5, 0.9),
      fc.constantFrom(0, 0.3, 0.6),
      fc.boolean(),
    )
    .map(([most, overlap, score, isCentered]) => {
      const boxes = scattered([2, 9, 4], 0, 1);
      const inputs = [boxes, scattered([2, 3, 9], 0, 1), int64([most]), reals([1], [overlap]), reals([1], [score])];
      return nodeOf('NonMaxSuppression', inputs, { center_point_box: { i: isCentered ? 1 : 0 } });
    }),
];

const crop: Family = [
  'CenterCropPad',
  listOf(fc.integer({ min: 1, max: 6 }), 2).map((sizes) => nodeOf('CenterCropPad', [filled([3, 4]), int64(sizes)])),
];

/** Random nodes of image models and detectors. */
export const imageNodes: readonly Family[] = [transposed, lpPool, instance, lrn, grid, affine, roi, suppression, crop];
