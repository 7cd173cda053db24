/** One resized axis. */
export interface ResizedAxis {
  readonly axis: number;
  /** Size of the axis in the source. */
  readonly from: number;
  /** Size of the axis in the result. */
  readonly to: number;
  /** The factor by which the axis is resized. */
  readonly scale: number;
  /** Size of the axis in the result before rounding. */
  readonly wanted: number;
  /**
   * The start and the end of the cropped region as fractions of the axis, for the mode
   * `tf_crop_and_resize`.
   */
  readonly start: number;
  readonly end: number;
}

const { fround } = Math;

/** Returns `(index + 0.5) / scale - 0.5`, with the result of each operation rounded to float32. */
const halfPixel = (index: number, scale: number): number => fround(fround((index + 0.5) / scale) - 0.5);

/**
 * For each mode, the function from an index of the result to a source coordinate. Coordinates are
 * float32, as in onnxruntime: 3 / fround(1/3) is 9 only after rounding.
 *
 * @see Source: ONNX Resize, coordinate_transformation_mode.
 */
export const coordinates = {
  half_pixel: (index, { scale }) => halfPixel(index, scale),
  half_pixel_symmetric: (index, { from, to, wanted, scale }) =>
    fround((from / 2) * (1 - to / wanted) + halfPixel(index, scale)),
  pytorch_half_pixel: (index, { to, scale }) => (to > 1 ? halfPixel(index, scale) : 0),
  tf_half_pixel_for_nn: (index, { scale }) => fround((index + 0.5) / scale), // version 11 only
  align_corners: (index, { from, wanted }) => (index === 0 ? 0 : fround((index * (from - 1)) / (wanted - 1))),
  asymmetric: (index, { scale }) => fround(index / scale),
  tf_crop_and_resize: (index, { from, to, start, end }) =>
    to > 1 ? start * (from - 1) + (index * (end - start) * (from - 1)) / (to - 1) : 0.5 * (start + end) * (from - 1),
} as const satisfies Record<string, (index: number, axis: ResizedAxis) => number>;

export type CoordinateMode = keyof typeof coordinates;
export const coordinateModes = Object.keys(coordinates) as readonly CoordinateMode[];

/**
 * Returns a bound on the rounding error of float32 at `x`. A point this close to the middle of two
 * entries is treated as the middle. For example, 1 / fround(2 / 7) is slightly less than 3.5 but
 * means 3.5.
 */
const ulps = (x: number): number => Math.abs(x) * 2 ** -22;

/**
 * Functions that select the nearest entry of a coordinate. In the oldest operator sets, `simple`
 * selects the next entry if the axis gets shorter, otherwise the previous one.
 */
export const nearest = {
  round_prefer_floor: (x) => Math.ceil(x - 0.5 - ulps(x)),
  round_prefer_ceil: (x) => Math.floor(x + 0.5 + ulps(x)),
  floor: Math.floor,
  ceil: Math.ceil,
  simple: (x, scale) => (scale < 1 ? Math.ceil(x) : Math.floor(x)),
} as const satisfies Record<string, (x: number, scale: number) => number>;

export const nearestModes = ['round_prefer_floor', 'round_prefer_ceil', 'floor', 'ceil'] as const;
