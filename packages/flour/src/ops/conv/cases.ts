import { convolve, type Flow, type ImageWindows } from '@brezel/flour';
import fc from 'fast-check';
import { anyFloat, denseCase, listOf, type OperatorCase, type OperatorCases, rowsOf, shown } from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

const floats = (values: readonly number[], shape: readonly number[]) => ({
  dtype: 'float32' as const,
  shape,
  data: Float32Array.from(values),
});

const plain: ImageWindows = {
  size: [3, 3],
  kernel: [2, 2],
  strides: [1, 1],
  dilations: [1, 1],
  before: [0, 0],
  places: [2, 2],
};

const use =
  (weights: readonly number[], bias: readonly number[], windows: ImageWindows, groups = 1) =>
  (x: Flow<'vector'>) =>
    convolve(
      x,
      floats(weights, [bias.length, weights.length / bias.length]),
      floats(bias, [bias.length]),
      windows,
      groups,
    );

const square = [1, 2, 3, 4, 5, 6, 7, 8, 9];

interface Axis {
  readonly size: number;
  readonly kernel: number;
  readonly stride: number;
  readonly dilation: number;
  readonly before: number;
  readonly places: number;
}

/** Random windows along one axis. Every window overlaps the image. */
const axis = (most: number): fc.Arbitrary<Axis> =>
  fc
    .record({
      size: fc.integer({ min: 1, max: most }),
      kernel: fc.integer({ min: 1, max: 4 }),
      stride: fc.integer({ min: 1, max: 3 }),
      dilation: fc.integer({ min: 1, max: 3 }),
      padding: fc.nat(2),
    })
    .map(({ padding, ...given }) => {
      // Limits the padding so that the first window reads at least one entry of the image, for any
      // dilation.
      const before = given.size >= given.dilation ? Math.min(padding, (given.kernel - 1) * given.dilation) : 0;
      return { ...given, before, places: Math.floor((given.size - 1 + before) / given.stride) + 1 };
    });

/** Random windows that move over small images. */
export const anyWindows: fc.Arbitrary<ImageWindows> = fc.tuple(axis(9), axis(20)).map(([down, across]) => ({
  size: [down.size, across.size],
  kernel: [down.kernel, across.kernel],
  strides: [down.stride, across.stride],
  dilations: [down.dilation, across.dilation],
  before: [down.before, across.before],
  places: [down.places, across.places],
}));

const random: fc.Arbitrary<OperatorCase> = fc
  .tuple(anyWindows, fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 3 }))
  .chain(([windows, groups, depth, together]) => {
    const [outputs, pixels] = [groups * together, windows.size[0] * windows.size[1]];
    const weights = outputs * depth * windows.kernel[0] * windows.kernel[1];
    return fc
      .tuple(rowsOf(anyFloat, groups * depth * pixels, 3), listOf(anyFloat, weights), listOf(anyFloat, outputs))
      .map(([rows, by, bias]) =>
        denseCase(`${groups} groups of ${depth}, ${shown(windows)}`, rows, use(by, bias, windows, groups)),
      );
  });

export const cases: OperatorCases = {
  operators: ['conv'],
  named: [
    denseCase('a square', [square], use([1, 0, 0, 10], [0.5], plain), [[51.5, 62.5, 84.5, 95.5]], { engine: 'native' }),
    denseCase(
      'padding is no term',
      [[nan, 1, 1, 1, 2, 1, 1, 1, inf]],
      use([1], [0], { ...plain, kernel: [1, 1], before: [1, 1], places: [5, 5] }),
      [[0, 0, 0, 0, 0, 0, nan, 1, 1, 0, 0, 1, 2, 1, 0, 0, 1, 1, inf, 0, 0, 0, 0, 0, 0]],
    ),
    denseCase(
      'strides and dilations',
      [square],
      use([1, 10, 100, 1000], [0], { ...plain, strides: [2, 2], dilations: [2, 2], places: [1, 1] }),
      [[9731]],
    ),
    denseCase(
      'groups',
      [[1, 2, 3, 4]],
      use([1, 10, 100, 1000], [0, 0], { ...plain, size: [1, 2], kernel: [1, 2], places: [1, 1] }, 2),
      [[21, 4300]],
    ),
    denseCase(
      'a wide line',
      [Array.from({ length: 40 }, (_, at) => at)],
      use([1, -1, 1], [0], { ...plain, size: [1, 40], kernel: [1, 3], before: [0, 1], places: [1, 40] }),
      [[1, ...Array.from({ length: 38 }, (_, at) => at + 1), -1]],
    ),
  ],
  random,
};
