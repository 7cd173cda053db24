import type { Attributes } from '@brezel/core';
import { type TensorAttributes, type Windows, windowsOf } from '@brezel/tensors';
import { shown } from '../../custom/row-values.js';
import { flourError } from '../../errors.js';

type Pair = readonly [height: number, width: number];

/**
 * The positions of the windows of a convolution or pooling in an image. Pixels outside the image
 * are skipped.
 */
export interface ImageWindows {
  readonly size: Pair;
  readonly kernel: Pair;
  readonly strides: Pair;
  readonly dilations: Pair;
  /** The number of padding pixels before the first pixel of each axis. */
  readonly before: Pair;
  /** Number of windows along each axis. */
  readonly places: Pair;
}

const names = ['size', 'kernel', 'strides', 'dilations', 'before', 'places'] as const;
const MOST = 2 ** 20;

/**
 * Reads the positions of the windows from the attributes of an operator.
 *
 * @throws ERR_FLOUR_PARAM for invalid windows.
 */
export function readWindows(at: string, attributes: Attributes): ImageWindows {
  const pairs = names.map((name) => {
    const pair = attributes[name];
    const least = name === 'before' ? 0 : 1;
    const isSound = (one: unknown) => Number.isInteger(one) && (one as number) >= least && (one as number) <= MOST;
    if (Array.isArray(pair) && pair.length === 2 && pair.every(isSound)) return [name, pair] as const;
    throw flourError('ERR_FLOUR_PARAM', { expected: `two integers as ${name}`, received: shown(pair), at });
  });
  return Object.fromEntries(pairs) as unknown as ImageWindows;
}

/** Returns the numbers that describe the windows, in the order of the kernels' attributes. */
export const windowNumbers = (windows: ImageWindows): number[] => names.flatMap((name) => [...windows[name]]);

/**
 * Returns the entries of the convolution kernel that are inside the image along an axis, for the
 * window with index `place`. `at` is the index of the pixel that the entry reads.
 */
export function entriesInside(windows: ImageWindows, axis: 0 | 1, place: number): { entry: number; at: number }[] {
  const start = place * windows.strides[axis] - windows.before[axis];
  return Array.from({ length: windows.kernel[axis] }, (_, entry) => ({
    entry,
    at: start + entry * windows.dilations[axis],
  })).filter(({ at }) => at >= 0 && at < windows.size[axis]);
}

/**
 * Converts windows to the form that the functions of tensor programs take. The padding after the
 * image is set to 0, because `places` already determines the last window.
 */
export const tensorWindows = ({ size, places, kernel, strides, dilations, before }: ImageWindows): Windows => ({
  from: size,
  to: places,
  kernel,
  steps: strides,
  dilations,
  before,
  after: [0, 0],
});

/**
 * Returns the windows that the attributes of an ONNX node describe. For an image with one axis,
 * adds an axis of height 1. Returns undefined unless the image and the kernel both have one axis,
 * or both have two.
 *
 * @param fault creates an error that names the node.
 */
export function onnxWindows(
  attributes: TensorAttributes,
  size: readonly number[],
  kernel: readonly number[],
  fault: (received: string, hint?: string) => Error,
): ImageWindows | undefined {
  if ((size.length !== 1 && size.length !== 2) || kernel.length !== size.length) return undefined;
  const call = { inputs: [], attributes, opset: 1, outputs: 1, budget: { take: () => {} }, fault };
  const found = windowsOf(call, size, kernel);
  const pair = (sizes: readonly number[], one: number) => (sizes.length === 1 ? [one, sizes[0]!] : sizes) as Pair;
  return {
    size: pair(size, 1),
    kernel: pair(kernel, 1),
    strides: pair(found.steps, 1),
    dilations: pair(found.dilations, 1),
    before: pair(found.before, 0),
    places: pair(found.to, 1),
  };
}
