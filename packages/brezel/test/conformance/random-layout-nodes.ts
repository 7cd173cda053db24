import fc from 'fast-check';
import {
  axisOf,
  each,
  elements,
  type Family,
  filled,
  front,
  int64,
  ints,
  listOf,
  nodeOf,
  shapes,
  shapesWithZero,
} from './random-tensor-node.js';

const transpose: Family = [
  'Transpose',
  fc
    .tuple(shapesWithZero(1), elements)
    .chain(([shape, element]) =>
      fc
        .shuffledSubarray([...shape.keys()], { minLength: shape.length })
        .map((perm) => nodeOf('Transpose', [filled(shape, element)], { perm: ints(perm) })),
    ),
];

const flatten: Family = [
  'Flatten',
  shapesWithZero(1).chain((shape) =>
    axisOf(shape.length).map((axis) => nodeOf('Flatten', [filled(shape)], { axis: { i: axis } })),
  ),
];

const slice: Family = [
  'Slice',
  fc.tuple(shapesWithZero(1), elements).chain(([shape, element]) => {
    const place = fc.oneof(fc.integer({ min: -6, max: 6 }), fc.constantFrom(2 ** 53, -(2 ** 53)));
    const step = fc.constantFrom(-3, -2, -1, 1, 2, 5);
    return fc
      .subarray([...shape.keys()], { minLength: 1 })
      .chain((axes) =>
        fc
          .tuple(...[place, place, step].map((entry) => listOf(entry, axes.length)))
          .map(([starts, ends, steps]) =>
            nodeOf('Slice', [filled(shape, element), ...[starts!, ends!, axes, steps!].map((one) => int64(one))]),
          ),
      );
  }),
];

const pad: Family = [
  'Pad',
  fc.tuple(shapes(1, 3), fc.constantFrom('constant', 'reflect', 'edge', 'wrap')).chain(([shape, mode]) => {
    const most = (size: number) => (mode === 'reflect' || mode === 'wrap' ? size - 1 : 3);
    const one = (size: number) => fc.integer({ min: 0, max: most(size) });
    return each([...shape, ...shape], one).map((pads) =>
      nodeOf('Pad', [filled(shape), int64(pads)], { mode: { s: mode } }),
    );
  }),
];

const tile: Family = [
  'Tile',
  fc
    .tuple(shapesWithZero(1, 3), elements)
    .chain(([shape, element]) =>
      listOf(fc.integer({ min: 0, max: 3 }), shape.length).map((repeats) =>
        nodeOf('Tile', [filled(shape, element), int64(repeats)]),
      ),
    ),
];

const expand: Family = [
  'Expand',
  shapes(1).chain((shape) =>
    each(shape, (size) => fc.constantFrom(1, size)).map((from) => nodeOf('Expand', [filled(from), int64(shape)])),
  ),
];

const concat: Family = [
  'Concat',
  fc.tuple(shapes(1), elements).chain(([shape, element]) =>
    fc
      .tuple(axisOf(shape.length), fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 3 }))
      .map(([axis, sizes]) =>
        nodeOf(
          'Concat',
          sizes.map((size) => filled(shape.with(front(axis, shape.length), size), element)),
          { axis: { i: axis } },
        ),
      ),
  ),
];

const split: Family = [
  'Split',
  shapes(1).chain((shape) =>
    fc.tuple(axisOf(shape.length), fc.integer({ min: 0, max: 4 })).map(([axis, cut]) => {
      const size = shape[front(axis, shape.length)]!;
      const sizes = [Math.min(cut, size), size - Math.min(cut, size)];
      return nodeOf('Split', [filled(shape), int64(sizes)], { axis: { i: axis } }, ['y', 'z']);
    }),
  ),
];

const trilu: Family = [
  'Trilu',
  fc
    .tuple(shapesWithZero(2), fc.integer({ min: -5, max: 5 }), fc.boolean())
    .map(([shape, k, isUpper]) => nodeOf('Trilu', [filled(shape), int64([k], [])], { upper: { i: isUpper ? 1 : 0 } })),
];

const reverseSequence: Family = [
  'ReverseSequence',
  fc.tuple(shapes(2), fc.boolean()).chain(([shape, isTimeFirst]) => {
    const [times, batches] = isTimeFirst ? shape : [shape[1], shape[0]];
    return listOf(fc.integer({ min: 1, max: times! }), batches!).map((lengths) =>
      nodeOf('ReverseSequence', [filled(shape), int64(lengths)], {
        time_axis: { i: isTimeFirst ? 0 : 1 },
        batch_axis: { i: isTimeFirst ? 1 : 0 },
      }),
    );
  }),
];

const sizes = fc.integer({ min: 1, max: 3 });
const depthToSpace: Family = [
  'DepthToSpace',
  fc
    .tuple(sizes, sizes, sizes, sizes, sizes, fc.constantFrom('DCR', 'CRD'))
    .map(([batch, channels, height, width, side, mode]) =>
      nodeOf('DepthToSpace', [filled([batch, channels * side * side, height, width])], {
        blocksize: { i: side },
        mode: { s: mode },
      }),
    ),
];

const spaceToDepth: Family = [
  'SpaceToDepth',
  fc
    .tuple(sizes, sizes, sizes, sizes, sizes)
    .map(([batch, channels, height, width, side]) =>
      nodeOf('SpaceToDepth', [filled([batch, channels, height * side, width * side])], { blocksize: { i: side } }),
    ),
];

/** Random nodes that move elements by position. */
export const layoutNodes: readonly Family[] = [
  transpose,
  flatten,
  slice,
  pad,
  tile,
  expand,
  concat,
  split,
  trilu,
  reverseSequence,
  depthToSpace,
  spaceToDepth,
];
