import { hasAttribute, intAttribute, intsAttribute } from './attributes.js';
import type { TensorCall } from './define.js';
import { takeWork } from './images.js';
import { windowNumbers } from './kernels.js';
import { countOf } from './moving.js';
import { type Shape, shown } from './shapes.js';
import { elementCount } from './tensor.js';
import { type Covered, coveredUnder, takeWindows, type Windows, windowsOf } from './windows.js';

/**
 * The products of a convolution: for each element of the result, the indices of the factors in the
 * image and in the weights.
 */
export interface Convolution {
  readonly shape: Shape;
  /** Number of positions in one channel of the result. */
  readonly positions: number;
  readonly outputs: number;
  /** Number of image channels that each channel of the result reads. */
  readonly depth: number;
  /** Number of elements in one channel of the image. */
  readonly size: number;
  /** Number of entries of the kernel for one channel. */
  readonly entries: number;
  /** For each position of the result, the entries of the kernel that are inside the image. */
  readonly inside: Covered;
  /** Returns the first channel, counted over all images, that an element of the result reads. */
  readonly firstChannel: (at: number) => number;
  visit(at: number, product: (image: number, weight: number) => void): void;
}

/**
 * Checked weights `[outputs, channels / group, ...kernel]` for an image `[batch, channels,
 * ...spatial]`.
 */
export interface FittingWeights {
  readonly outputs: number;
  readonly depth: number;
  readonly kernel: Shape;
  /** Returns the first image channel that channel `output` of the result reads. */
  readonly firstChannel: (output: number) => number;
}

/**
 * Checks weights and bias against the image and the attributes.
 *
 * @throws a fault if they do not match.
 */
export function fittingWeights(
  call: TensorCall,
  image: Shape,
  weights: Shape,
  bias: Shape | undefined,
): FittingWeights {
  const [outputs, depth, ...kernel] = weights as [number, number, ...number[]];
  const groups = intAttribute(call, 'group', 1);
  const told = hasAttribute(call, 'kernel_shape') ? intsAttribute(call, 'kernel_shape') : kernel;
  const fits = groups >= 1 && depth * groups === image[1] && outputs % groups === 0 && shown(told) === shown(kernel);
  if (!fits || (bias !== undefined && shown(bias) !== shown([outputs])))
    throw call.fault(
      `weights ${shown(weights)}, bias ${shown(bias ?? [])}, ${groups} groups for ${shown(image)}`,
      'weights [outputs, channels / groups, ...kernel] and one bias per output',
    );
  return { outputs, depth, kernel, firstChannel: (output) => Math.floor(output / (outputs / groups)) * depth };
}

/** The numbers of a convolution that a kernel needs. */
export interface ConvolutionPlan {
  readonly shape: Shape;
  readonly windows: Windows;
  /**
   * The numbers that the kernel receives: batch, channels, channels per output, outputs, axes, and
   * then six numbers per axis.
   */
  readonly numbers: readonly number[];
}

/**
 * Returns the shape and the sizes of a convolution, without the lists of entries that
 * `convolutionOf` computes. Kernels need only the sizes.
 */
export function convolutionPlan(
  call: TensorCall,
  image: Shape,
  weights: Shape,
  bias: Shape | undefined,
): ConvolutionPlan {
  const [batch, channels, ...spatial] = image as [number, number, ...number[]];
  const { outputs, depth, kernel } = fittingWeights(call, image, weights, bias);
  const windows = windowsOf(call, spatial, kernel);
  takeWindows(call, windows);
  const shape = [batch, outputs, ...windows.to];
  takeWork(call, countOf(call, shape) * depth * elementCount(kernel));
  return { shape, windows, numbers: [batch, channels, depth, outputs, spatial.length, ...windowNumbers(windows)] };
}

/** The sizes of a convolution, and the image channels that each channel of the result reads. */
interface Channels {
  readonly batch: number;
  readonly channels: number;
  readonly depth: number;
  readonly outputs: number;
  /** Returns the first image channel that channel `output` of the result reads. */
  readonly firstChannel: (output: number) => number;
}

/** Returns the products that a convolution node adds, as indices into its image and its weights. */
export function convolutionOf(call: TensorCall, image: Shape, weights: Shape, bias: Shape | undefined): Convolution {
  const [batch, channels, ...spatial] = image as [number, number, ...number[]];
  const { outputs, depth, kernel, firstChannel } = fittingWeights(call, image, weights, bias);
  const windows = windowsOf(call, spatial, kernel);
  if (!call.onlyShapes) takeWindows(call, windows);
  takeWork(call, countOf(call, [batch, outputs, ...windows.to]) * depth * elementCount(kernel));
  return convolutionUnder(windows, { batch, channels, depth, outputs, firstChannel }, call.onlyShapes);
}

/**
 * Returns the products of a convolution over the given windows. Flour calls it for the row operator
 * `conv`, with one image per row.
 *
 * @param onlyShapes skips the lists of entries, for callers that need the shape only.
 */
export function convolutionUnder(
  windows: Windows,
  { batch, channels, depth, outputs, firstChannel }: Channels,
  onlyShapes = false,
): Convolution {
  const inside = onlyShapes ? NOWHERE : withoutPadding(coveredUnder(windows));
  const [size, positions, entries] = [windows.from, windows.to, windows.kernel].map(elementCount) as [
    number,
    number,
    number,
  ];
  const shape = [batch, outputs, ...windows.to];
  const first = (at: number) =>
    Math.floor(at / positions / outputs) * channels + firstChannel(Math.floor(at / positions) % outputs);
  const visit: Convolution['visit'] = (at, product) => {
    const [output, channel] = [Math.floor(at / positions) % outputs, first(at)];
    const [from, to] = [inside.starts[at % positions]!, inside.starts[(at % positions) + 1]!];
    for (let deep = 0; deep < depth; deep++)
      for (let next = from; next < to; next++)
        product(
          (channel + deep) * size + inside.positions[next]!,
          (output * depth + deep) * entries + inside.entries[next]!,
        );
  };
  return { shape, positions, outputs, depth, size, entries, inside, firstChannel: first, visit };
}

const NOWHERE: Covered = { starts: Int32Array.of(0), entries: new Int32Array(0), positions: new Int32Array(0) };

function withoutPadding({ starts, entries, positions }: Covered): Covered {
  const kept = { starts: starts.slice(), entries: entries.slice(), positions: positions.slice() };
  let next = 0;
  for (let window = 0; window + 1 < starts.length; window++) {
    for (let at = starts[window]!; at < starts[window + 1]!; at++) {
      if (positions[at]! < 0) continue;
      kept.entries[next] = entries[at]!;
      kept.positions[next++] = positions[at]!;
    }
    kept.starts[window + 1] = next;
  }
  return kept;
}

/** The number of partial sums (lanes) of an element of the result, as in a `LaneSum`. */
const LANES = 16;

/**
 * Computes a convolution in float32. Each element is a sum in 16 lanes plus the bias, with the same
 * bits as a `LaneSum`. The array of lanes is reused for all elements. Computes the elements from
 * `from` to `to`.
 */
export function convolvedInLanes(
  { positions, outputs, depth, size, entries, inside, firstChannel }: Convolution,
  image: Float32Array,
  weights: Float32Array,
  bias: Float32Array | undefined,
  out: Float32Array,
  from = 0,
  to = out.length,
): void {
  const lanes = new Float32Array(LANES);
  for (let at = from; at < to; at++) {
    const [window, output, first] = [at % positions, Math.floor(at / positions) % outputs, firstChannel(at)];
    const [start, end] = [inside.starts[window]!, inside.starts[window + 1]!];
    lanes.fill(0);
    let term = 0;
    for (let channel = 0; channel < depth; channel++) {
      const pixels = (first + channel) * size;
      const row = (output * depth + channel) * entries;
      for (let next = start; next < end; next++) {
        const product = Math.fround(image[pixels + inside.positions[next]!]! * weights[row + inside.entries[next]!]!);
        const lane = term++ % LANES;
        lanes[lane] = lanes[lane]! + product; // the store rounds
      }
    }
    for (let step = LANES / 2; step >= 1; step /= 2)
      for (let lane = 0; lane < step; lane++) lanes[lane] = lanes[lane]! + lanes[lane + step]!;
    out[at] = bias === undefined ? lanes[0]! : lanes[0]! + bias[output]!;
  }
}
