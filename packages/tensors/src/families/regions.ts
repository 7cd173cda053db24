import { choiceAttribute, floatAttribute, intAttribute, intsAttribute } from '../attributes.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { floats } from '../elements.js';
import { imageInput, takeWork } from '../images.js';
import { indexesOf } from '../indices.js';
import { computedSteps, type Floats, tensorInput } from '../inputs.js';
import { countOf } from '../moving.js';
import { blockOf, interruptible } from '../pauses.js';
import { shown } from '../shapes.js';

/** Operators that pool regions of images to one size. */
export const regionPools = tensorOperators(
  interruptible({ domain: '', operator: 'RoiAlign', versions: [10, 25], steps: roiAlign }),
  interruptible({ domain: '', operator: 'MaxRoiPool', versions: [1, 25], steps: maxRoiPool }),
);

const { max, min } = Math;

/** Reads regions `[regions, width]` of an image with two spatial axes. */
function regionsOf(call: TensorCall, width: number) {
  const { image, batch, channels, spatial } = imageInput(call, floats);
  const regions = tensorInput(call, 1, floats);
  if (spatial.length !== 2 || regions.shape.length !== 2 || regions.shape[1] !== width)
    throw call.fault(
      `regions ${shown(regions.shape)} of ${shown(image.shape)}`,
      `regions [regions, ${width}] of an image [batch, channels, height, width]`,
    );
  return { image, batch, channels, height: spatial[0]!, width: spatial[1]!, regions, count: regions.shape[0]! };
}

function checkRow(call: TensorCall, row: number, batch: number): number {
  if (Number.isInteger(row) && row >= 0 && row < batch) return row;
  throw call.fault(`a region of image ${row}`, indexesOf('image indexes', batch, 'images'));
}

/** One of up to four entries around a point, with its weight. */
type Corner = readonly [index: number, weight: number];

/**
 * Returns bilinear weights around a point. A point up to one entry outside the image is moved to
 * the edge of the image. A point farther away has no weights.
 */
function cornersAround(y: number, x: number, height: number, width: number): Corner[] {
  if (!(y >= -1 && y <= height && x >= -1 && x <= width)) return [];
  const [above, left] = [clamped(y, height), clamped(x, width)];
  const [top, first] = [Math.floor(above), Math.floor(left)];
  const [bottom, last] = [min(top + 1, height - 1), min(first + 1, width - 1)];
  const [down, right] = [above - top, left - first];
  return [
    [top * width + first, (1 - down) * (1 - right)],
    [top * width + last, (1 - down) * right],
    [bottom * width + first, down * (1 - right)],
    [bottom * width + last, down * right],
  ];
}

const clamped = (at: number, size: number) => min(max(at, 0), size - 1);

const poolings = {
  avg: (points: readonly (readonly Corner[])[], value: (index: number) => number) => {
    let sum = 0;
    for (const corners of points) for (const [index, weight] of corners) sum += weight * value(index);
    return sum / max(points.length, 1);
  },
  // The maximum is the greatest weighted entry, not the greatest interpolated point. The test cases
  // of the standard and onnxruntime do the same.
  max: (points: readonly (readonly Corner[])[], value: (index: number) => number) =>
    points.reduce<number>((most, corners, at) => {
      const best = corners.reduce(
        (so, [index, weight]) => max(so, weight * value(index)),
        corners.length === 0 ? 0 : Number.NEGATIVE_INFINITY,
      );
      return at === 0 ? best : max(most, best);
    }, 0),
} as const;

/** Divides regions into bins of equal size and samples each bin at points between entries. */
function* roiAlign(call: TensorCall): OperatorSteps {
  const { image, batch, channels, height, width, regions, count } = regionsOf(call, 4);
  const rows = tensorInput(call, 2, ['int64']);
  if (shown(rows.shape) !== shown([count]))
    throw call.fault(`batch_indices ${shown(rows.shape)}`, `batch_indices of shape [${count}]`);
  const [high, wide] = [intAttribute(call, 'output_height', 1), intAttribute(call, 'output_width', 1)];
  const pool = poolings[choiceAttribute(call, 'mode', ['avg', 'max'], 'avg')];
  const shape = [count, channels, high, wide];
  const bins = countOf(call, [high, wide]);
  call.budget.take(countOf(call, [count, high, wide]));
  const points = Array.from({ length: countOf(call, shape) === 0 ? 0 : count }, (_, region) => {
    checkRow(call, Number(rows.data[region]), batch);
    return pointsOf(call, regions.data.subarray(region * 4, region * 4 + 4), [high, wide], [height, width]);
  });
  const size = height * width;
  const products = bins * channels * points.reduce((sum, one) => sum + 4 * (one[0]?.length ?? 0), 0);
  takeWork(call, products);
  const pooled = (at: number) => {
    const [region, channel] = [Math.floor(at / bins / channels), Math.floor(at / bins) % channels];
    const base = (Number(rows.data[region]) * channels + channel) * size;
    return pool(points[region]![at % bins]!, (index) => image.data[base + index]!);
  };
  const block = blockOf(products / Math.max(1, count * channels * bins));
  return [yield* computedSteps(call, image.element, shape, pooled, block)];
}

/** Returns the sample points of each bin of a region. */
function pointsOf(
  call: TensorCall,
  corners: ArrayLike<number>,
  bins: [number, number],
  sizes: [number, number],
): Corner[][][] {
  const scale = floatAttribute(call, 'spatial_scale', 1);
  const choices = ['half_pixel', 'output_half_pixel'] as const;
  const usual = call.opset < 16 ? 'output_half_pixel' : 'half_pixel';
  const isShifted = choiceAttribute(call, 'coordinate_transformation_mode', choices, usual) === 'half_pixel';
  const [left, top, right, bottom] = Array.from(corners, (at) => at * scale - (isShifted ? 0.5 : 0)) as [
    number,
    number,
    number,
    number,
  ];
  const least = isShifted ? Number.NEGATIVE_INFINITY : 1;
  const [bin, start] = [
    [max(bottom - top, least) / bins[0], max(right - left, least) / bins[1]],
    [top, left],
  ] as const;
  const ratio = intAttribute(call, 'sampling_ratio', 0);
  const [down, across] = bin.map((size) => max(ratio > 0 ? ratio : Math.ceil(size), 0)) as [number, number];
  // Takes all points from the budget before computing, because a request chooses the regions.
  call.budget.take(4 * bins[0] * bins[1] * down * across);
  return Array.from({ length: bins[0] * bins[1] }, (_, at) =>
    Array.from({ length: down * across }, (_, point) => {
      const y = start[0] + (Math.floor(at / bins[1]) + (Math.floor(point / across) + 0.5) / down) * bin[0]!;
      const x = start[1] + ((at % bins[1]) + ((point % across) + 0.5) / across) * bin[1]!;
      return cornersAround(y, x, ...sizes);
    }),
  );
}

/**
 * Divides regions into bins of whole entries and returns the greatest entry of each bin, or 0 for
 * an empty bin.
 */
function* maxRoiPool(call: TensorCall): OperatorSteps {
  const { image, batch, channels, height, width, regions, count } = regionsOf(call, 5);
  const [high, wide] = intsAttribute(call, 'pooled_shape') as [number, number];
  const scale = floatAttribute(call, 'spatial_scale', 1);
  const shape = [count, channels, high, wide];
  if (!(high > 0 && wide > 0))
    throw call.fault(`pooled_shape [${high}, ${wide}]`, 'pooled_shape [height, width], both 1 or greater');
  takeWork(call, countOf(call, [count, channels, height + high, width + wide]));
  const pooled = (at: number) => {
    const region = Math.floor(at / wide / high / channels) * 5;
    const channel = Math.floor(at / wide / high) % channels;
    const edge = (index: number) => roundAway(regions.data[region + index]! * scale);
    const row = checkRow(call, regions.data[region]!, batch);
    const [top, bottom] = binOf(edge(2), edge(4), Math.floor(at / wide) % high, high, height);
    const [left, right] = binOf(edge(1), edge(3), at % wide, wide, width);
    return greatestOf(image, (row * channels + channel) * height * width, width, [top, left, bottom, right]);
  };
  return [yield* computedSteps(call, image.element, shape, pooled, blockOf(height * width))];
}

/** Rounds halves away from zero, like C's `round`. */
const roundAway = (x: number): number => Math.sign(x) * Math.floor(Math.abs(x) + 0.5);

/** Returns the range of entries that bin `index` of `bins` covers, end excluded. */
function binOf(start: number, end: number, index: number, bins: number, size: number): readonly [number, number] {
  const step = max(end - start + 1, 1) / bins;
  const clip = (at: number) => min(max(at + start, 0), size);
  return [clip(Math.floor(index * step)), clip(Math.ceil((index + 1) * step))];
}

function greatestOf(
  image: Floats,
  base: number,
  width: number,
  [top, left, bottom, right]: readonly [number, number, number, number],
): number {
  if (!(bottom > top && right > left)) return 0;
  let most = Number.NEGATIVE_INFINITY;
  for (let y = top; y < bottom; y++)
    for (let x = left; x < right; x++) most = max(most, image.data[base + y * width + x]!);
  return most;
}
