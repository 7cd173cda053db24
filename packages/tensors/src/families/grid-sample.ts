import { choiceAttribute, flagAttribute } from '../attributes.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { floats, rounding } from '../elements.js';
import { imageInput, takeWork } from '../images.js';
import { computed, type NumberData, newData, tensorInput, tensorOf } from '../inputs.js';
import { countOf, requiredInts } from '../moving.js';
import { blockOf, inBlocks, interruptible } from '../pauses.js';
import { cubicFilter, type Filter, linearFilter } from '../resize/taps.js';
import { roundHalfEven } from '../round.js';
import { type Padding, sampled, samplesAround, zeros } from '../sampling.js';
import { type Shape, shown } from '../shapes.js';
import { elementCount, type Tensor } from '../tensor.js';

/** Operators that sample images at points between entries. */
export const gridSamples = tensorOperators(
  interruptible({ domain: '', operator: 'GridSample', versions: [16, 25], steps: gridSample }),
  { domain: '', operator: 'AffineGrid', versions: [20, 25], run: (call) => [affineGrid(call)] },
);

const linear = { filter: linearFilter, reach: 2 };
const cubic = { filter: cubicFilter(-0.75), reach: 4 };
/**
 * Interpolation modes: the filter, the number of entries that it reads along an axis, and whether
 * each point is first moved to the nearest entry.
 */
const modes: Readonly<
  Record<string, { readonly filter: Filter; readonly reach: number; readonly isNearest?: boolean }>
> = {
  bilinear: linear,
  linear,
  nearest: { filter: linearFilter, reach: 1, isNearest: true },
  bicubic: cubic,
  cubic,
};

const modulo = (index: number, size: number) => ((index % size) + size) % size;

function paddingOf(call: TensorCall, isAligned: boolean): Padding {
  const name = choiceAttribute(call, 'padding_mode', ['zeros', 'border', 'reflection'], 'zeros');
  if (name === 'zeros') return zeros;
  if (name === 'border') return (entry, size) => Math.min(Math.max(entry, 0), size - 1);
  // Reflects at the first and last entry, or at their outer edges.
  return (entry, size) => {
    const period = Math.max(2 * (isAligned ? size - 1 : size), 1);
    const turned = modulo(entry, period);
    return turned < size ? turned : period - turned - (isAligned ? 0 : 1);
  };
}

/**
 * Samples an image at the points of a grid. Coordinates range from -1 to 1 over the whole image.
 * The first coordinate of a point belongs to the last axis.
 */
function* gridSample(call: TensorCall): OperatorSteps {
  const { image, batch, channels, spatial } = imageInput(call, floats);
  const { element } = image;
  const grid = tensorInput(call, 1, floats);
  const rank = spatial.length;
  const to = grid.shape.slice(1, -1);
  if (to.length !== rank || grid.shape[0] !== batch || grid.shape.at(-1) !== rank)
    throw call.fault(
      `a grid ${shown(grid.shape)} for ${shown(image.shape)}`,
      `a grid [${batch}, ...${rank} sizes, ${rank}]`,
    );
  const mode = modes[choiceAttribute(call, 'mode', Object.keys(modes), 'linear')]!;
  const isAligned = flagAttribute(call, 'align_corners', false);
  const padding = paddingOf(call, isAligned);
  const [size, points] = [elementCount(spatial), elementCount(to)];
  const shape = [batch, channels, ...to];
  countOf(call, shape);
  const products = (channels + 16) * mode.reach ** rank;
  takeWork(call, batch * points * products);
  const out = newData(call, element, shape) as NumberData;
  const [round, roundGrid] = [rounding(element), rounding(grid.element)];
  const coordinate = (x: number, entries: number) => {
    const at = isAligned
      ? roundGrid(roundGrid(roundGrid(x + 1) / 2) * (entries - 1))
      : roundGrid(roundGrid(roundGrid(roundGrid(x + 1) * entries) - 1) / 2);
    return mode.isNearest ? roundHalfEven(at) : at;
  };
  const sampleAt = (at: number) => {
    const point = spatial.map((entries, axis) => coordinate(grid.data[at * rank + rank - 1 - axis]!, entries));
    const samples = samplesAround(point, spatial, mode.filter, padding);
    const row = Math.floor(at / points);
    for (let channel = 0; channel < channels; channel++) {
      const from = row * channels + channel;
      out[from * points + (at % points)] = round(sampled(image.data, from * size, samples));
    }
  };
  const sampleAll = (from: number, until: number) => {
    for (let at = from; at < until; at++) sampleAt(at);
  };
  yield* inBlocks(call, size === 0 ? 0 : batch * points, sampleAll, blockOf(products));
  return [tensorOf(element, shape, out)];
}

/** Returns the points of a regular grid after an affine map. */
function affineGrid(call: TensorCall): Tensor {
  const theta = tensorInput(call, 0, floats);
  const [batch, , ...sizes] = requiredInts(call, 1) as [number, number, ...number[]];
  const rank = sizes.length;
  if ((rank !== 2 && rank !== 3) || shown(theta.shape) !== shown([batch, rank, rank + 1]))
    throw call.fault(
      `theta ${shown(theta.shape)} for an image of ${rank} spatial axes`,
      'theta [batch, 2, 3] for an image [batch, channels, height, width], or [batch, 3, 4] for an image with a depth',
    );
  const isAligned = flagAttribute(call, 'align_corners', false);
  const shape = [batch, ...sizes, rank];
  const points = countOf(call, sizes);
  countOf(call, shape);
  return computed(call, theta.element, shape, (at) => {
    const [point, axis] = [Math.floor(at / rank), at % rank];
    const row = (Math.floor(point / points) * rank + axis) * (rank + 1);
    let sum = 0;
    // The first coordinate belongs to the last axis.
    for (let other = 0; other < rank; other++)
      sum +=
        theta.data[row + other]! *
        position(indexOf(point % points, sizes, rank - 1 - other), sizes[rank - 1 - other]!, isAligned);
    return sum + theta.data[row + rank]!;
  });
}

const indexOf = (coordinate: number, sizes: Shape, axis: number) =>
  Math.floor(coordinate / elementCount(sizes.slice(axis + 1))) % sizes[axis]!;

/**
 * Converts an index of an axis to a coordinate from -1 to 1. The ends of this range are the outer
 * edges of the image, or with `isAligned` the first and last entry.
 */
function position(index: number, size: number, isAligned: boolean): number {
  if (!isAligned) return (2 * index + 1) / size - 1;
  return size === 1 ? -1 : (2 * index) / (size - 1) - 1;
}
